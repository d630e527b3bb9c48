//! What one call costs around the tool itself. Budget: under 20 µs through registry, validation and bounding, which is
//! 2 ms for the hundred of a sample.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
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

/// Calls in one sample, one after the other, from a task as a session's loop is one.
const CALLS: usize = 100;

#[divan::bench(sample_count = 100)]
fn a_hundred_calls_that_do_nothing(bencher: Bencher) {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|e| panic!("{e}"));
    let allow = Rule::built_in("bench", "*", "*", Action::Allow);
    let tools = runtime.block_on(Standalone::in_folder(".").rule(allow).tool(Nothing).open());
    let tools = Arc::new(tools.unwrap_or_else(|e| panic!("{e}")));
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        let tools = Arc::clone(&tools);
        let calls = runtime.spawn(async move {
            for _ in 0..CALLS {
                let done = tools.call("nothing", json!({ "file": "a.rs", "lines": 3 })).await;
                assert!(done.outcome.is_ok());
            }
        });
        runtime.block_on(calls).unwrap_or_else(|e| panic!("{e}"));
    });
}
