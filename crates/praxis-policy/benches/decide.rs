//! How long one decision takes. Budget: under 50 µs against 1,000 rules.

use divan::{Bencher, black_box};
use praxis_policy::Authority;
use praxis_proto::{Action, Rule};

fn main() {
    divan::main();
}

/// The first of many rules is the one that matches, so that all are looked at.
fn authority(rules: usize) -> Authority {
    let first = Rule::built_in("bench", "edit", "*", Action::Allow);
    let others =
        (1..rules).map(|n| Rule::built_in("bench", "edit", &format!("src/module_{n}/*.rs"), Action::Deny));
    Authority::new([first].into_iter().chain(others).collect())
}

#[divan::bench(args = [10, 100, 1_000, 10_000])]
fn decide(bencher: Bencher, rules: usize) {
    let authority = authority(rules);
    bencher.bench_local(|| authority.decide(black_box("edit"), black_box("src/module_x/deep/file.rs"), &[]));
}
