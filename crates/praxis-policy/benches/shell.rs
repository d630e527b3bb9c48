//! How long the reading of scripts takes.

use divan::{Bencher, black_box};
use praxis_policy::shell::{Place, analyse};

const PLACE: Place<'static> = Place { cwd: "/work", home: "/home/me", users: &[] };

fn main() {
    divan::main();
}

#[divan::bench(args = [
    "ls -la",
    "cd src && cargo test -p praxis-policy 2>&1 | tail -n 20",
    "for f in a b; do grep -rn \"x $f\" src > /dev/null || echo \"$(date) none\"; done",
])]
fn typical(script: &str) {
    black_box(analyse(black_box(script), &PLACE));
}

#[divan::bench(args = [100, 1_000])]
fn kilobytes(bencher: Bencher<'_, '_>, size: usize) {
    let line = "grep -rn 'some text' src/a.rs | head -n 5 > out.txt && echo \"done $(date)\"\n";
    let script = line.repeat(size * 1_024 / line.len());
    bencher.bench_local(|| black_box(analyse(black_box(&script), &PLACE)));
}

#[divan::bench]
fn parentheses(bencher: Bencher<'_, '_>) {
    let script = format!("{}ls{}", "(".repeat(10_000), ")".repeat(10_000));
    bencher.bench_local(|| black_box(analyse(black_box(&script), &PLACE)));
}
