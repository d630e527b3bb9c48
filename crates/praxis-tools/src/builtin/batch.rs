//! Runs several calls at once.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use crate::registry::Done;
use crate::{Cx, Offer, Report, Tool, ToolError};

/// Calls run in one batch; those beyond are reported, not run.
const MOST_CALLS: usize = 10;

/// Run up to 10 independent tool calls at once and get all their results together.
///
/// Use it for several reads and searches that do not depend on each other. Calls run in parallel, so their order is
/// not defined: do not put calls in one batch where one needs the result or the effect of another. `batch` itself and
/// tools from MCP servers, plugins or custom files cannot be batched; call those directly.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The calls.
    #[schemars(length(min = 1))]
    tool_calls: Vec<Call>,
}

/// One call of a batch.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Call {
    /// The name of the tool.
    tool: String,
    /// The arguments of the tool.
    #[serde(default)]
    parameters: Map<String, Value>,
}

/// The `batch` tool.
#[derive(Debug, Clone, Copy)]
pub struct Batch;

impl Tool for Batch {
    type Input = Input;

    const NAME: &'static str = "batch";

    async fn run(&self, Input { tool_calls }: Input, cx: &Cx) -> Result<Report, ToolError> {
        let offer = cx.offer().ok_or_else(|| ToolError::misuse("There are no tools to call from here"))?;
        let results = run_all(&tool_calls, offer, cx).await;
        let failed = results.iter().filter(|result| result.is_err()).count();
        if results.iter().any(|result| result.as_ref().is_err_and(ToolError::stops_the_run)) {
            return Err(first_stop(results));
        }
        Ok(summary(&tool_calls, results, failed))
    }
}

/// All results in the order of the calls.
async fn run_all(calls: &[Call], offer: &Offer, cx: &Cx) -> Vec<Result<Report, ToolError>> {
    let mut results: Vec<Option<Result<Report, ToolError>>> = Vec::new();
    let mut running = JoinSet::new();
    for (index, call) in calls.iter().enumerate() {
        if let Some(refusal) = refuse(index, call, offer) {
            results.push(Some(Err(ToolError::Misuse(refusal))));
            continue;
        }
        results.push(None);
        let (offer, cx, call) = (offer.clone(), cx.clone(), call.clone());
        running.spawn(async move {
            let Done { outcome, .. } =
                offer.call_within(&call.tool, call.parameters.into(), &cx, index).await;
            (index, outcome)
        });
    }
    while let Some(joined) = running.join_next().await {
        if let Ok((index, outcome)) = joined {
            results[index] = Some(outcome);
        }
    }
    results.into_iter().map(|result| result.unwrap_or(Err(ToolError::Cancelled))).collect()
}

fn refuse(index: usize, call: &Call, offer: &Offer) -> Option<String> {
    let known = offer.understand(&call.tool);
    if index >= MOST_CALLS {
        Some(format!("Only {MOST_CALLS} calls run in one batch; call this one again"))
    } else if known == Some(Batch::NAME) {
        Some("A batch cannot hold a batch; put its calls here directly".to_owned())
    } else if known.is_some() && !offer.is_built_in(&call.tool) {
        Some("This tool comes from outside and cannot be batched; call it directly".to_owned())
    } else if known.is_none() {
        let names: Vec<&str> =
            offer.names().filter(|name| *name != Batch::NAME && offer.is_built_in(name)).collect();
        Some(format!("Unknown tool: {}. Tools that can be batched: {}", call.tool, names.join(", ")))
    } else {
        None
    }
}

/// A user who says no to one call of a batch has said no to the batch.
fn first_stop(results: Vec<Result<Report, ToolError>>) -> ToolError {
    let stop = results.into_iter().filter_map(Result::err).find(ToolError::stops_the_run);
    stop.unwrap_or(ToolError::Dismissed)
}

fn summary(calls: &[Call], results: Vec<Result<Report, ToolError>>, failed: usize) -> Report {
    let total = results.len();
    let title = match (failed, total) {
        (0, 1) => "The call succeeded".to_owned(),
        (0, _) => format!("All {total} calls succeeded"),
        _ => format!("{} of {total} calls succeeded", total - failed),
    };
    let (mut text, mut details, mut attachments) = (format!("{title}."), Vec::new(), Vec::new());
    for (n, (call, result)) in calls.iter().zip(results).enumerate() {
        let name = &call.tool;
        details.push(json!({ "tool": name, "success": result.is_ok() }));
        let (state, body) = match result {
            Ok(report) => {
                attachments.extend(report.attachments);
                ("completed", report.output)
            }
            Err(error) => ("error", error.to_string()),
        };
        text.push_str(&format!("\n\n[{}] {name}: {state}\n{body}", n + 1));
    }
    let mut report = Report::new(title, text)
        .with("totalCalls", total)
        .with("successful", total - failed)
        .with("failed", failed)
        .with("tools", calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>())
        .with("details", details);
    report.attachments = attachments;
    report
}
