//! What one call costs around the tool itself. Budget: under 20 µs through registry, validation and bounding.

use divan::Bencher;
use praxis_proto::{Action, Report, Rule};
use praxis_tools::{Cx, Standalone, Tool, ToolError};
use serde_json::json;

fn main() {
    divan::main();
}

/// Does nothing.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only decoding is measured")]
struct Input {
    /// A file.
    file: String,
    /// Some lines.
    lines: Option<u32>,
}

struct Nothing;

impl Tool for Nothing {
    type Input = Input;

    const NAME: &'static str = "nothing";

    async fn run(&self, _: Input, _: &Cx) -> Result<Report, ToolError> {
        Ok(Report::new("nothing", "done"))
    }
}

#[divan::bench(sample_count = 200, sample_size = 50)]
fn no_op_call(bencher: Bencher) {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|e| panic!("{e}"));
    let allow = Rule::built_in("bench", "*", "*", Action::Allow);
    let tools = runtime.block_on(Standalone::in_folder(".").rule(allow).tool(Nothing).open());
    let tools = tools.unwrap_or_else(|e| panic!("{e}"));
    bencher.bench_local(|| {
        let done = runtime.block_on(tools.call("nothing", json!({ "file": "a.rs", "lines": 3 })));
        assert!(done.outcome.is_ok());
    });
}
