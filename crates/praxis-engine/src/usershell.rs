//! A command that the user runs themselves: the model is not asked, and sees it in its next request.

use std::time::Duration;

use praxis_llm::Metadata;
use praxis_os::process::Ended;
use praxis_proto::{
    AnswerPath, AnswerTime, AssistantMessage, Created, MessageId, MessageModel, Part, PartBody, SessionId,
    TextPart, Tokens, ToolPart, UserMessage,
};
use praxis_tools::shell::{Job, Progress, Shown, ViewKind};
use praxis_tools::{Act, Ask, Clock, Report, ToolError};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{Agent, CallSetting, Workbench, prompts};

/// What a command gets to end by itself when the user stops it.
const GRACE: Duration = Duration::from_secs(3);
/// The shortest time between two views of its output.
const PACE: Duration = Duration::from_millis(100);
/// Characters of the output that clients are shown.
const PREVIEW: usize = 30_000;

/// What the user typed, and with whom.
#[derive(Debug, Clone)]
pub struct ShellInput<'a> {
    /// The session.
    pub session: SessionId,
    /// The id the user message shall have.
    pub message: Option<MessageId>,
    /// The agent they are with.
    pub agent: &'a Agent,
    /// The model they are with.
    pub model: MessageModel,
    /// The command.
    pub command: String,
}

/// A command of the user, drafted or done: the four records of it. All are stored before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct UserShell {
    /// Says that the user ran something.
    pub user: UserMessage,
    /// The same in words.
    pub note: Part,
    /// Holds the call.
    pub answer: AssistantMessage,
    /// The call.
    pub call: Part,
}

impl UserShell {
    /// Writes the records of a command that is about to run; `now` is in milliseconds since the Unix epoch.
    pub fn draft(workbench: &Workbench, input: ShellInput<'_>, now: u64) -> Self {
        let ShellInput { session, message, agent, model, command } = input;
        let mint = &workbench.mint;
        let user = UserMessage {
            id: message.unwrap_or_else(|| mint.message()),
            session: session.clone(),
            time: Created { created: now },
            format: None,
            summary: None,
            agent: agent.name.clone(),
            model: model.clone(),
            system: None,
            tools: None,
            extra: Map::new(),
        };
        let text = prompts::USER_SHELL.trim_end().to_owned();
        let note = Part {
            id: mint.part(),
            session: session.clone(),
            message: user.id.clone(),
            body: PartBody::Text(TextPart { text, synthetic: Some(true), ..TextPart::default() }),
        };
        let answer = answer(workbench, &user, model, now);
        let mut tool = ToolPart::new(mint.call(), "bash");
        tool.metadata = Some(Metadata::not_native().0);
        tool.start(json!({ "command": command }), now);
        let call = Part { id: mint.part(), session, message: answer.id.clone(), body: PartBody::Tool(tool) };
        Self { user, note, answer, call }
    }

    /// Runs the command and settles the call, also when it is cancelled. `seen` gets the running call, at most ten
    /// times a second; what it is shown is not meant for the store.
    pub async fn run(
        mut self,
        workbench: &Workbench,
        agent: &Agent,
        clock: &Clock,
        cancel: &CancellationToken,
        mut seen: impl FnMut(&Part),
    ) -> Self {
        let outcome = self.work(workbench, agent, cancel, &mut seen).await;
        let now = clock();
        if let PartBody::Tool(tool) = &mut self.call.body {
            match outcome {
                Ok(report) => tool.complete(report, Vec::new(), now),
                Err(ToolError::Cancelled) => tool.interrupt(prompts::INTERRUPTED.trim_end(), now),
                Err(error) => tool.fail(error.to_string(), now),
            };
        }
        self.answer.time.completed = Some(now);
        self
    }

    async fn work(
        &mut self,
        workbench: &Workbench,
        agent: &Agent,
        cancel: &CancellationToken,
        seen: &mut impl FnMut(&Part),
    ) -> Result<Report, ToolError> {
        let PartBody::Tool(tool) = &self.call.body else { return Err(ToolError::Cancelled) };
        let praxis_proto::ToolState::Running(running) = tool.state() else {
            return Err(ToolError::Cancelled);
        };
        let command = running.input.get("command").and_then(Value::as_str).unwrap_or_default().to_owned();
        let setting = CallSetting {
            session: self.call.session.clone(),
            message: self.call.message.clone(),
            call: tool.call.clone(),
            cancel: cancel.clone(),
        };
        // The user needs nobody's leave to do what they could do in any terminal.
        let user = Agent { authority: workbench.users_authority("the user typed it"), ..agent.clone() };
        let cx = workbench.cx(&user, setting);
        let act = Act::Run { command: command.clone(), cwd: workbench.instance.directory().to_owned() };
        let grant = cx.ask(Ask::new("bash", &command).to(act).with("command", command.as_str())).await?;
        let job = workbench.shell.begin(&grant, ViewKind::Free, &[("TERM", "dumb")], &cx).await?;
        let ended = self.follow(&job, &command, cancel, seen).await;
        Ok(report(command, &job, ended))
    }

    /// Shows the output as it grows. `None` means that the user stopped it.
    async fn follow(
        &mut self,
        job: &Job,
        command: &str,
        cancel: &CancellationToken,
        seen: &mut impl FnMut(&Part),
    ) -> Option<Ended> {
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    job.stop(GRACE).await;
                    return None;
                }
                ended = job.ended() => return Some(ended),
                () = job.grown() => {}
            }
            // Shown a moment later, with what comes meanwhile; an end is not waited for.
            tokio::select! {
                () = cancel.cancelled() => {}
                _ = job.ended() => {}
                () = tokio::time::sleep(PACE) => {
                    let output = Map::from_iter([("output".to_owned(), Value::from(job.newest(PREVIEW)))]);
                    if let PartBody::Tool(tool) = &mut self.call.body {
                        tool.progress(Some(command.to_owned()), output);
                    }
                    seen(&self.call);
                }
            }
        }
    }
}

fn answer(workbench: &Workbench, user: &UserMessage, model: MessageModel, now: u64) -> AssistantMessage {
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    AssistantMessage {
        id: workbench.mint.message(),
        session: user.session.clone(),
        time: AnswerTime { created: now, completed: None },
        error: None,
        parent: user.id.clone(),
        model: model.model,
        provider: model.provider,
        mode: user.agent.clone(),
        agent: user.agent.clone(),
        path: AnswerPath { cwd: text(workbench.instance.directory()), root: text(workbench.instance.root()) },
        summary: None,
        cost: 0.0,
        tokens: Tokens::default(),
        structured: None,
        variant: model.variant,
        finish: None,
        extra: Map::new(),
    }
}

fn report(command: String, job: &Job, ended: Option<Ended>) -> Report {
    let Shown { text, cut, path, problem } = job.show();
    let mut output = if text.is_empty() { "(no output)".to_owned() } else { text };
    if let (true, Some(path)) = (cut, &path) {
        output = format!("...output truncated...\n\nFull output saved to: {}\n\n{output}", path.display());
    }
    let (exit, how) = match ended {
        Some(Ended::Code(0)) => (Some(0), None),
        Some(Ended::Code(code)) => (Some(code), Some(format!("The command ended with exit code {code}"))),
        Some(Ended::Signal(signal)) => (None, Some(format!("The command was ended by signal {signal}"))),
        None => (None, Some("User aborted the command".to_owned())),
    };
    let left = matches!(job.progress(), Progress::Left(_))
        .then(|| "What it had started in the background was ended with it".to_owned());
    let notes: Vec<String> = [how, left, problem].into_iter().flatten().collect();
    if !notes.is_empty() {
        output.push_str(&format!("\n\n<shell_metadata>\n{}\n</shell_metadata>", notes.join("\n")));
    }
    let report = Report::new(command, output)
        .with("output", job.newest(PREVIEW))
        .with("exit", exit)
        .with("truncated", cut);
    match path.filter(|_| cut) {
        Some(path) => report.with("outputPath", path.to_string_lossy()),
        None => report,
    }
}

#[cfg(test)]
mod tests;
