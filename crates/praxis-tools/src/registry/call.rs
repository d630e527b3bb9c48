//! One call from name to report: repair, hook, check, run, bound, hook. No tool can leave a step out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use praxis_proto::{Action, Report};
use serde_json::{Map, Value, json};
use tokio::task::{JoinError, JoinHandle};

use super::offer::Offered;
use super::{Offer, SourceKind};
use crate::builtin::INVALID;
use crate::{AnyTool, Cx, Guard, HookTrouble, Hooks, ToolCall, ToolError};

/// Arguments larger than this are refused unread.
const MOST_ARGUMENT_BYTES: usize = 32 << 20;
/// How long a cancelled call may take to wind up with what it has.
const GRACE: Duration = Duration::from_millis(250);
/// Tool names told when a model calls one that does not exist.
const MOST_NAMES: usize = 20;

/// A call that has come to its end.
#[derive(Debug)]
pub struct Done {
    /// The tool that ran, which may not be the name that was called.
    pub tool: String,
    /// The arguments as the tool got them.
    pub arguments: Value,
    /// The report, or why there is none.
    pub outcome: Result<Report, ToolError>,
    /// The metadata the call had told while it ran, for the record of a failure.
    pub progress: Map<String, Value>,
    /// How long it took.
    pub took: Duration,
}

impl Offer {
    /// Calls a tool by the name a model gave.
    pub async fn call(&self, name: &str, arguments: Value, cx: &Cx) -> Done {
        let cx = cx.within(self.clone());
        let started = Instant::now();
        let (tool, mut arguments, offered) = match self.understand(name).and_then(|known| self.get(known)) {
            Some(offered) => (offered.definition.name.clone(), arguments, Some(offered)),
            None => {
                let (tool, arguments) = self.reroute(name);
                let offered = self.get(&tool);
                (tool, arguments, offered)
            }
        };
        let outcome = match offered {
            Some(offered) => self.steps(offered, &tool, &mut arguments, &cx).await,
            None => Err(ToolError::misuse(format!("Unknown tool: {name}"))),
        };
        let progress = cx.progress_state().seal();
        let took = started.elapsed();
        match &outcome {
            Ok(_) => tracing::debug!(tool, call = %cx.call(), ?took, "call completed"),
            Err(error) => tracing::debug!(tool, call = %cx.call(), ?took, %error, "call failed"),
        }
        Done { tool, arguments, outcome, progress, took }
    }

    /// Calls one of our own tools on behalf of another call; `n` numbers it within that call.
    pub(crate) async fn call_within(&self, name: &str, arguments: Value, cx: &Cx, n: usize) -> Done {
        self.call(name, arguments, &cx.child(n)).await
    }

    /// Whether a name means one of our own tools, which may be called by other calls.
    pub(crate) fn is_built_in(&self, name: &str) -> bool {
        self.understand(name)
            .and_then(|known| self.get(known))
            .is_some_and(|tool| tool.kind == SourceKind::BuiltIn)
    }

    fn reroute(&self, name: &str) -> (String, Value) {
        let names: Vec<&str> = self.names().collect();
        let told = names[..names.len().min(MOST_NAMES)].join(", ");
        let more = names.len().saturating_sub(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown: String = name.chars().take(80).collect();
        let error = format!("there is no such tool here. Available tools: {told}{more}");
        (INVALID.to_owned(), json!({ "tool": shown, "error": error }))
    }

    async fn steps(
        &self,
        offered: &Offered,
        name: &str,
        arguments: &mut Value,
        cx: &Cx,
    ) -> Result<Report, ToolError> {
        let inner = &self.inner;
        if cx.cancel().is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        if weighs_more_than(arguments, MOST_ARGUMENT_BYTES) {
            let detail =
                format!("they are larger than {} MiB; send less in one call", MOST_ARGUMENT_BYTES >> 20);
            return Err(ToolError::Arguments { tool: name.to_owned(), detail });
        }
        let call = ToolCall { tool: name.to_owned(), session: cx.session().clone(), call: cx.call().clone() };
        for hook in &inner.hooks {
            before(hook, &call, arguments).await?;
        }
        offered
            .tool
            .shape()
            .fit_or_tell(arguments)
            .map_err(|detail| ToolError::Arguments { tool: name.to_owned(), detail })?;

        let report = run(&offered.tool, arguments.clone(), cx).await?;
        let delegates = cx.authority().decide("task", "*", &[]).action != Action::Deny;
        let mut report = inner.outputs.settle(report, delegates).await?;
        for hook in &inner.hooks {
            let (mut draft, arguments) = (report.clone(), &*arguments);
            let after = hook.attempt("tool.execute.after", Some(cx.session()), |hook| {
                hook.after(&call, arguments, &mut draft)
            });
            if after.await.is_some() {
                report = draft;
            }
        }
        Ok(report)
    }
}

/// Lets an extension change the arguments. One that guards calls and does not answer lets none through.
async fn before(hook: &Guard<dyn Hooks>, call: &ToolCall, arguments: &mut Value) -> Result<(), ToolError> {
    const POINT: &str = "tool.execute.before";
    let mut draft = arguments.clone();
    match hook.run(|hook| hook.before(call, &mut draft)).await {
        Ok(()) => *arguments = draft,
        Err(HookTrouble::Failed { failure }) => return Err(ToolError::Misuse(failure.0)),
        Err(trouble) => {
            hook.tell(POINT, Some(&call.session), &trouble);
            return Err(ToolError::Misuse(hook.told(POINT, &trouble)));
        }
    }
    Ok(())
}

/// Runs the tool on a task of its own: a panic ends that task alone, and a tool that blocks its thread can be left.
async fn run(tool: &Arc<dyn AnyTool>, arguments: Value, cx: &Cx) -> Result<Report, ToolError> {
    let name = tool.name().to_owned();
    let deadline = tool.deadline();
    let mut task = AbortOnDrop(tokio::spawn({
        let (tool, cx) = (Arc::clone(tool), cx.clone());
        async move { tool.run(arguments, &cx).await }
    }));
    tokio::select! {
        biased;
        joined = &mut task.0 => finished(&name, joined),
        () = cx.cancelled() => {
            // What a call has so far is worth more than the word "aborted".
            match tokio::time::timeout(GRACE, &mut task.0).await {
                Ok(joined) => finished(&name, joined),
                Err(_) => Err(ToolError::Cancelled),
            }
        }
        after = expiry(deadline, cx) => Err(ToolError::TimedOut { tool: name, after }),
    }
}

fn finished(tool: &str, joined: Result<Result<Report, ToolError>, JoinError>) -> Result<Report, ToolError> {
    match joined {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => {
            let panic = error.into_panic();
            let message = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_owned());
            Err(ToolError::Crashed { tool: tool.to_owned(), message })
        }
        Err(_) => Err(ToolError::Cancelled),
    }
}

/// Ends when the call has worked for its whole deadline. Waiting for people is not work.
async fn expiry(deadline: Option<Duration>, cx: &Cx) -> Duration {
    let Some(deadline) = deadline else { return std::future::pending().await };
    let started = Instant::now();
    loop {
        let worked = started.elapsed().saturating_sub(cx.waited());
        match deadline.checked_sub(worked).filter(|left| !left.is_zero()) {
            Some(left) => tokio::time::sleep(left).await,
            None if cx.is_waiting() => tokio::time::sleep(deadline).await,
            None => return deadline,
        }
    }
}

struct AbortOnDrop(JoinHandle<Result<Report, ToolError>>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Counts without recursion and only as far as it must.
fn weighs_more_than(value: &Value, most: usize) -> bool {
    let mut left = most;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let cost = match value {
            Value::String(text) => text.len() + 2,
            Value::Array(items) => {
                open.extend(items);
                2
            }
            Value::Object(map) => {
                open.extend(map.values());
                map.keys().map(|key| key.len() + 3).sum::<usize>() + 2
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        };
        match left.checked_sub(cost) {
            Some(rest) => left = rest,
            None => return true,
        }
    }
    false
}
