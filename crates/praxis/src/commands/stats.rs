//! `praxis stats`: what the sessions come to.

use std::process::ExitCode;

use indexmap::IndexMap;
use praxis_proto::{Message, MessageWithParts, PartBody, SessionId, Tokens, ToolState};
use praxis_store::{Cut, Detail, Filter, SqliteStore, Store};
use praxis_tools::system_clock;
use serde::Serialize;

use crate::Outcome;
use crate::cli::StatsArguments;
use crate::opened;
use crate::screen::{Failure, say, say_json, table};
use crate::shelf::{look, told};

/// Messages read at once, so that a long session does not have to fit into memory.
const PAGE: usize = 200;
/// Rows of each list that people are shown.
const ROWS: usize = 15;
const DAY: u64 = 24 * 60 * 60 * 1_000;

/// The sums.
#[derive(Debug, Default, Serialize)]
struct Stats {
    sessions: u64,
    /// Of users and models.
    messages: u64,
    calls: u64,
    #[serde(flatten)]
    used: Used,
    tools: IndexMap<String, Calls>,
    models: IndexMap<String, OfModel>,
}

#[derive(Debug, Default, Serialize)]
struct Calls {
    calls: u64,
    failed: u64,
}

#[derive(Debug, Default, Serialize)]
struct OfModel {
    messages: u64,
    #[serde(flatten)]
    used: Used,
}

#[derive(Debug, Default, Serialize)]
struct Used {
    cost: f64,
    tokens: Tokens,
}

impl Used {
    fn add(&mut self, cost: f64, step: &Tokens) {
        self.cost += cost;
        let sum = &mut self.tokens;
        sum.input = sum.input.saturating_add(step.input);
        sum.output = sum.output.saturating_add(step.output);
        sum.reasoning = sum.reasoning.saturating_add(step.reasoning);
        sum.cache.read = sum.cache.read.saturating_add(step.cache.read);
        sum.cache.write = sum.cache.write.saturating_add(step.cache.write);
    }
}

pub(crate) async fn run(arguments: StatsArguments) -> Outcome {
    let project = match arguments.project {
        true => Some(opened::look(&arguments.place)?.instance.root().to_string_lossy().into_owned()),
        false => None,
    };
    let span = arguments.days.map(|days| days.saturating_mul(DAY));
    let since = span.map(|span| system_clock()().saturating_sub(span));
    let stats = match look()? {
        Some(store) => count(&store, project, since).await?,
        None => Stats::default(),
    };
    if arguments.json {
        say_json(&stats)?;
    } else {
        say(shown(&stats))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn count(store: &SqliteStore, project: Option<String>, since: Option<u64>) -> Result<Stats, Failure> {
    let filter = Filter { project, since, archived: true, limit: usize::MAX, ..Filter::default() };
    let mut stats = Stats::default();
    for session in store.list(filter).await.map_err(told)? {
        stats.sessions += 1;
        session_into(&mut stats, store, &session.id, since.unwrap_or(0)).await?;
    }
    stats.tools.sort_by(|name, one, other, two| two.calls.cmp(&one.calls).then_with(|| name.cmp(other)));
    stats
        .models
        .sort_by(|name, one, other, two| two.messages.cmp(&one.messages).then_with(|| name.cmp(other)));
    Ok(stats)
}

async fn session_into(
    stats: &mut Stats,
    store: &SqliteStore,
    session: &SessionId,
    since: u64,
) -> Result<(), Failure> {
    let mut before = None;
    loop {
        let cut = Cut { before: before.take(), limit: PAGE, detail: Detail::Light };
        let page = store.history(session, cut).await.map_err(told)?;
        for message in &page.messages {
            if message.info.created() >= since {
                message_into(stats, message);
            }
        }
        before = page.messages.first().map(|oldest| oldest.info.id().clone());
        let goes_on = page.messages.first().is_some_and(|oldest| oldest.info.created() >= since);
        if !page.more || !goes_on {
            return Ok(());
        }
    }
}

fn message_into(stats: &mut Stats, message: &MessageWithParts) {
    stats.messages += 1;
    let Message::Assistant(answer) = &message.info else { return };
    let model = stats.models.entry(format!("{}/{}", answer.provider, answer.model)).or_default();
    model.messages += 1;
    for part in &message.parts {
        match &part.body {
            PartBody::StepFinish(step) => {
                model.used.add(step.cost, &step.tokens);
                stats.used.add(step.cost, &step.tokens);
            }
            PartBody::Tool(tool) => {
                let calls = stats.tools.entry(tool.tool.clone()).or_default();
                calls.calls += 1;
                stats.calls += 1;
                if matches!(tool.state(), ToolState::Error(_)) {
                    calls.failed += 1;
                }
            }
            _ => {}
        }
    }
}

fn shown(stats: &Stats) -> String {
    let Stats { sessions, messages, calls, used, tools, models } = stats;
    let Tokens { input, output, reasoning, cache, .. } = used.tokens;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut blocks = vec![table(&[
        row("sessions", sessions.to_string()),
        row("messages", messages.to_string()),
        row("tool calls", calls.to_string()),
        row("tokens in", format!("{input}, {} from the cache, {} into it", cache.read, cache.write)),
        row("tokens out", format!("{output}, {reasoning} thought")),
        row("cost", format!("${:.4}", used.cost)),
    ])];
    if !models.is_empty() {
        let head = ["model", "answers", "cost"].map(str::to_owned).to_vec();
        let rows = models.iter().take(ROWS).map(|(name, one)| {
            vec![name.clone(), one.messages.to_string(), format!("${:.4}", one.used.cost)]
        });
        blocks.push(table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()));
    }
    if !tools.is_empty() {
        let head = ["tool", "calls", "failed"].map(str::to_owned).to_vec();
        let rows = tools
            .iter()
            .take(ROWS)
            .map(|(name, one)| vec![name.clone(), one.calls.to_string(), one.failed.to_string()]);
        blocks.push(table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()));
    }
    blocks.join("\n\n")
}
