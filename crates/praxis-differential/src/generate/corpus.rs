//! Scripts that people wrote down: what tries to hide, and what hides nothing.

use std::sync::LazyLock;

use fastrand::Rng;

const TEXTS: [&str; 4] = [
    include_str!("../../../praxis-policy/tests/corpus/evasions.txt"),
    include_str!("../../../praxis-policy/tests/corpus/forbidden.txt"),
    include_str!("../../../praxis-policy/tests/corpus/harmless.txt"),
    include_str!("../../../praxis-policy/tests/corpus/lookalikes.txt"),
];

static SCRIPTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    TEXTS
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .filter_map(|line| line.split('\t').next())
        .map(|script| script.replace("\\n", "\n").replace("\\t", "\t"))
        .collect()
});

/// One of them.
pub(super) fn script(rng: &mut Rng) -> &'static str {
    &SCRIPTS[rng.usize(..SCRIPTS.len())]
}
