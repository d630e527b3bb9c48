//! Names models get slightly wrong.

use strsim::osa_distance;

/// The one known name that was meant: by case, by stray space, by `-` for `_`, or by a single wrong letter.
pub(super) fn repair<'a>(given: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let fold = |name: &str| name.trim().to_lowercase().replace('-', "_");
    let by = |same: &dyn Fn(&str) -> bool| known.clone().find(|name| same(name));
    let wanted = fold(given);
    by(&|name| name == given)
        .or_else(|| by(&|name| name == given.trim().to_lowercase()))
        .or_else(|| only(known.clone().filter(|name| fold(name) == wanted)))
        .or_else(|| {
            only(known.clone().filter(|name| name.len() > 3 && osa_distance(&fold(name), &wanted) == 1))
        })
}

fn only<T>(mut candidates: impl Iterator<Item = T>) -> Option<T> {
    let first = candidates.next()?;
    candidates.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_only_mean_one_tool_is_understood() {
        let known = ["bash", "read", "todoread", "todowrite", "web_fetch", "list_a", "list_b"];
        for (given, meant) in [
            ("read", Some("read")),
            ("Read", Some("read")),
            (" READ\n", Some("read")),
            ("web-fetch", Some("web_fetch")),
            ("Web-Fetch", Some("web_fetch")),
            ("todo_write", Some("todowrite")),
            ("raed", Some("read")),
            ("list_c", None),
            ("rm", None),
            ("", None),
        ] {
            assert_eq!(repair(given, known.into_iter()), meant, "{given:?}");
        }
    }
}
