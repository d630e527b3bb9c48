//! Scripts to try: from a grammar, from corpora, and by mutation of both.

mod corpus;
mod flow;
mod grammar;
mod mutate;
mod pieces;
mod puzzle;

mod words;

use fastrand::Rng;

pub(crate) use mutate::tokens;
pub(crate) use pieces::FOUND;

/// The script of a number; the same number gives the same script.
pub(crate) fn script(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let source = match rng.u32(0..100) {
        0..46 => grammar::script(&mut rng),
        46..68 => flow::script(&mut rng),
        68..80 => puzzle::script(&mut rng),
        80..93 => corpus::script(&mut rng).to_owned(),
        _ => {
            let one = grammar::script(&mut rng);
            let sep = *pick(&mut rng, &["\n", ";", " && ", " || ", " | ", " & "]);
            if rng.bool() {
                format!("{}{sep}{one}", corpus::script(&mut rng))
            } else {
                format!("{one}{sep}{}", corpus::script(&mut rng))
            }
        }
    };
    let turns = match rng.u32(0..100) {
        0..76 => 0,
        76..92 => 1,
        92..98 => 2,
        _ => 4,
    };
    let mut source = source;
    for _ in 0..turns {
        source = mutate::once(&mut rng, &source);
    }
    source.replace('\0', "")
}

/// One of several.
fn pick<'t, T>(rng: &mut Rng, among: &'t [T]) -> &'t T {
    &among[rng.usize(..among.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_gives_the_same_script_each_time_and_others_another() {
        let scripts: std::collections::HashSet<String> = (0..200).map(script).collect();
        assert!(scripts.len() > 190);
        assert!((0..200).all(|seed| scripts.contains(&script(seed))));
        assert!(scripts.iter().all(|script| tokens(script).concat() == *script));
    }
}
