//! What file tools cost in a running program. Budgets: 1,000 reads of a small file under 1 s, an edit of a 10 MB file
//! under 150 ms.

use divan::Bencher;
use praxis_proto::{Action, Rule};
use praxis_tools::builtin::{Edit, NearbyInstructions, Read};
use praxis_tools::{Files, ImageLimits, Standalone};
use serde_json::json;
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

struct Setting {
    folder: tempfile::TempDir,
    runtime: Runtime,
    tools: Standalone,
}

fn setting() -> Setting {
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let runtime = Runtime::new().unwrap_or_else(|e| panic!("{e}"));
    let plan = Standalone::in_folder(folder.path())
        .rule(Rule::built_in("bench", "*", "*", Action::Allow))
        .tool(Read::new(Files::default(), ImageLimits::default(), NearbyInstructions::default()))
        .tool(Edit::new(Files::default()));
    let tools = runtime.block_on(plan.open()).unwrap_or_else(|e| panic!("{e}"));
    Setting { folder, runtime, tools }
}

#[divan::bench(sample_count = 5)]
fn a_thousand_reads_of_a_small_file(bencher: Bencher) {
    let Setting { folder, runtime, tools } = setting();
    let text = "a line of some forty bytes, as code has\n".repeat(50);
    std::fs::write(folder.path().join("a.rs"), text).unwrap_or_else(|e| panic!("{e}"));
    bencher.bench_local(|| {
        for _ in 0..1_000 {
            let done = runtime.block_on(tools.call("read", json!({ "filePath": "a.rs" })));
            assert!(done.outcome.is_ok());
        }
    });
}

#[divan::bench(sample_count = 10)]
fn an_edit_of_ten_megabytes(bencher: Bencher) {
    let Setting { folder, runtime, tools } = setting();
    let text: String =
        (0..200_000).map(|n| format!("line {n:07} holds some fifty bytes of plain text, so\n")).collect();
    std::fs::write(folder.path().join("big.txt"), text).unwrap_or_else(|e| panic!("{e}"));
    let mut words = ["line 0123456 holds", "row 0123456 holds"];
    bencher.bench_local(|| {
        let change = json!({ "filePath": "big.txt", "oldString": words[0], "newString": words[1] });
        let done = runtime.block_on(tools.call("edit", change));
        assert!(done.outcome.is_ok());
        words.swap(0, 1);
    });
}
