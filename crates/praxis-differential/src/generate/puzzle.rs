//! Commands whose words are put together from pieces that do not belong together.

use fastrand::Rng;

use super::pieces;

/// A few commands with such words, and redirections to them.
pub(super) fn script(rng: &mut Rng) -> String {
    let mut out = if rng.u32(0..4) == 0 { String::new() } else { "x=src; y=f\n".to_owned() };
    for _ in 0..1 + rng.usize(..2) {
        out.push_str(
            ["stat", "rm", "cat", "tool", ">", "<", "ls >", "rm 2>", "", "touch", "z=", "cd"]
                [rng.usize(..12)],
        );
        for _ in 0..1 + rng.usize(..2) {
            if !out.ends_with('=') {
                out.push(' ');
            }
            out.push_str(&word(rng));
        }
        out.push_str(["\n", "\n", "; ", " # c\n", " && ", " | "][rng.usize(..6)]);
    }
    out.push_str("rm f $z");
    out
}

fn word(rng: &mut Rng) -> String {
    (0..1 + rng.usize(..4)).map(|_| pieces::any(rng, "fragments")).collect()
}
