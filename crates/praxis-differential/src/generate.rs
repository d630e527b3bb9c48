//! Scripts to try: from a grammar, from corpora, and by mutation of both.

mod corpus;
mod grammar;
mod mutate;
mod pieces;

mod words;

use fastrand::Rng;

pub(crate) use mutate::tokens;

/// The script of a number; the same number gives the same script.
pub(crate) fn script(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let source = match rng.u32(0..100) {
        0..78 => grammar::script(&mut rng),
        78..88 => corpus::script(&mut rng).to_owned(),
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
