//! Scripts that change a state in every position where that may or may not happen, and then lean on it.

use fastrand::Rng;

use super::pieces;

/// Changes of folder, variables and functions, followed by what depends on them.
pub(super) fn script(rng: &mut Rng) -> String {
    // Mostly with values that are known.
    let mut out = if rng.u32(0..4) == 0 { String::new() } else { "x=src; y=f\n".to_owned() };
    for _ in 0..1 + rng.usize(..4) {
        out.push_str(&placed(rng, 0));
        out.push_str(if rng.bool() { "\n" } else { "; " });
    }
    for _ in 0..1 + rng.usize(..2) {
        out.push_str(pieces::any(rng, "probes"));
        out.push('\n');
    }
    out
}

/// A state in a place.
fn placed(rng: &mut Rng, depth: u32) -> String {
    let context = pieces::any(rng, "contexts");
    let inner = |rng: &mut Rng| match rng.u32(0..8) {
        0 => pieces::any(rng, "probes").to_owned(),
        1 if depth < 2 => placed(rng, depth + 1),
        _ => pieces::any(rng, "states").to_owned(),
    };
    let (one, two) = (inner(rng), inner(rng));
    context.replace('①', &one).replace('②', &two).replace("; ;", ";").replace("\n;", "\n")
}
