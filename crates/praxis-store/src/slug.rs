//! Two words for file names, drawn from a session's id.

const ADJECTIVES: [&str; 32] = [
    "amber", "bold", "brisk", "calm", "clear", "cosy", "crisp", "deft", "eager", "early", "fair", "fleet",
    "fresh", "gentle", "glad", "golden", "keen", "kind", "lively", "lucid", "mellow", "neat", "noble",
    "patient", "plain", "quiet", "ready", "silver", "steady", "sunny", "swift", "warm",
];
const NOUNS: [&str; 32] = [
    "anchor", "badger", "beacon", "birch", "bridge", "brook", "cedar", "comet", "delta", "falcon", "fern",
    "garden", "harbor", "heron", "island", "lantern", "maple", "meadow", "orchard", "otter", "pebble",
    "pine", "prairie", "quarry", "raven", "reef", "ridge", "river", "sparrow", "summit", "valley", "willow",
];

/// The words for an id; the same id has the same words.
pub fn slug(id: &str) -> String {
    let hash = blake3::hash(id.as_bytes());
    let [first, second, ..] = *hash.as_bytes();
    let pick = |words: &[&'static str; 32], byte: u8| words[usize::from(byte) % words.len()];
    format!("{}-{}", pick(&ADJECTIVES, first), pick(&NOUNS, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_has_one_slug_and_many_ids_have_many() {
        assert_eq!(slug("ses_1"), slug("ses_1"));
        let all: std::collections::BTreeSet<String> = (0..500).map(|n| slug(&n.to_string())).collect();
        assert!(all.len() > 300, "{}", all.len());
    }
}
