//! A typed command becomes the parts of a prompt.

use std::collections::HashSet;
use std::time::Duration;

use praxis_config::AgentMode;
use praxis_proto::{MessageModel, SessionId, SubtaskPart};
use praxis_tools::registry::ModelRef;
use praxis_tools::shell::{Shell, ViewKind};
use praxis_tools::{Act, Ask, Cx, ToolError};
use serde_json::Map;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Command, CommandError, CommandOrigin, Piece, expand, expanded_at_most};
use crate::prompt::mention::{self, Lookup};
use crate::prompt::{Attached, MOST_TEXT, PromptBody, PromptInput, PromptPart};
use crate::{Agent, CallSetting, Workbench};

/// Commands of one template that run at once.
const AT_ONCE: usize = 8;
/// Commands of one template that run at all.
const MOST_SCRIPTS: usize = 64;
/// What a command gets to end by itself when it is stopped.
const GRACE: Duration = Duration::from_secs(1);

/// Who typed the command, and what with.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The session.
    pub session: SessionId,
    /// The agent they are with; none means the default.
    pub agent: Option<String>,
    /// The model they are with.
    pub model: Option<MessageModel>,
    /// What they attached.
    pub parts: Vec<PromptPart>,
    /// Stops it.
    pub cancel: CancellationToken,
}

/// A command as a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The parts.
    pub parts: Vec<PromptPart>,
    /// The agent that answers the message; none means the default.
    pub agent: Option<String>,
    /// The model that answers it; none means the current one.
    pub model: Option<MessageModel>,
}

impl Prepared {
    /// The prompt for a session.
    pub fn into_prompt(self, session: SessionId) -> PromptInput {
        let Self { parts, agent, model } = self;
        let variant = model.as_ref().and_then(|model| model.variant.clone());
        PromptInput { agent, model, variant, ..PromptInput::new(session, parts) }
    }
}

/// Fills in the arguments, runs what the template wants run, follows its mentions and decides who works on it.
pub async fn prepare(
    workbench: &Workbench,
    command: &Command,
    arguments: &str,
    caller: Caller,
) -> Result<Prepared, CommandError> {
    let name = command.agent.as_deref().or(caller.agent.as_deref());
    let agent = workbench
        .agents
        .get(name)
        .map_err(|error| CommandError::Agent { command: command.name.clone(), problem: error.to_string() })?;
    let own = model(command, agent)?;
    let pieces = pieces(command, arguments)?;
    let text = Run { workbench, command, agent, caller: &caller }.all(pieces).await?;
    let text = text.trim().to_owned();

    let apart = match command.subtask {
        Some(apart) => apart,
        None => agent.mode == AgentMode::Subagent,
    };
    if apart {
        let subtask = SubtaskPart {
            prompt: text,
            description: command.description.clone().unwrap_or_default(),
            agent: agent.name.clone(),
            model: own.or_else(|| caller.model.clone()),
            command: Some(command.name.clone()),
            extra: Map::new(),
        };
        let parts = std::iter::once(PromptBody::Subtask(subtask).into()).chain(caller.parts).collect();
        return Ok(Prepared { parts, agent: caller.agent, model: caller.model });
    }
    let mentioned = mention::parts(&text, &Lookup::of(workbench));
    let parts = together(text, mentioned, arguments, caller.parts);
    Ok(Prepared { parts, agent: Some(agent.name.clone()), model: own.or(caller.model) })
}

/// The filled template, unless it is more than a prompt may be.
fn pieces(command: &Command, arguments: &str) -> Result<Vec<Piece>, CommandError> {
    let too_much = |problem| Err(CommandError::TooMuch { command: command.name.clone(), problem });
    if expanded_at_most(&command.template, arguments) > MOST_TEXT {
        return too_much(format!(
            "with these arguments it has more than {MOST_TEXT} bytes; name a file instead"
        ));
    }
    let pieces = expand(&command.template, arguments);
    let scripts = pieces.iter().filter(|piece| matches!(piece, Piece::Shell(_))).count();
    if scripts > MOST_SCRIPTS {
        return too_much(format!("it has {scripts} shell commands, and {MOST_SCRIPTS} are the most"));
    }
    Ok(pieces)
}

/// The command's model, else that of the agent it names.
fn model(command: &Command, agent: &Agent) -> Result<Option<MessageModel>, CommandError> {
    let of_agent = || command.agent.as_ref().and(agent.model.as_ref()).map(|model| (model, &agent.variant));
    let of_command = command.model.as_ref().map(|model| (model, &command.variant));
    let Some((text, variant)) = of_command.or_else(of_agent) else { return Ok(None) };
    let wrong = || CommandError::Model { command: command.name.clone(), model: text.clone() };
    let ModelRef { provider, model } = ModelRef::parse(text).ok_or_else(wrong)?;
    Ok(Some(MessageModel { provider, model, variant: variant.clone() }))
}

/// The text, what it names, and what the caller attached, each once. What stands in the arguments the user named.
fn together(
    text: String,
    mentioned: Vec<PromptPart>,
    arguments: &str,
    attached: Vec<PromptPart>,
) -> Vec<PromptPart> {
    let known: HashSet<String> = attached.iter().map(mention::identity).collect();
    let typed: HashSet<String> =
        mention::find(arguments).into_iter().map(|mention| mention.source.value).collect();
    let named = mentioned.into_iter().filter(|part| !known.contains(&mention::identity(part)));
    let named = named.map(|part| {
        let by_user = mention::written(&part).is_some_and(|value| {
            typed.iter().any(|typed| typed == value || typed.trim_end_matches(mention::CLOSING) == value)
        });
        PromptPart { by: if by_user { Attached::ByUser } else { Attached::ByTemplate }, ..part }
    });
    std::iter::once(PromptPart::text(text)).chain(named).chain(attached).collect()
}

/// Runs what stands in a template.
struct Run<'a> {
    workbench: &'a Workbench,
    command: &'a Command,
    agent: &'a Agent,
    caller: &'a Caller,
}

impl Run<'_> {
    /// The text with the output of every shell command in its place.
    async fn all(&self, pieces: Vec<Piece>) -> Result<String, CommandError> {
        let script = |piece: &Piece| match piece {
            Piece::Shell(script) => Some(script.clone()),
            Piece::Text(_) => None,
        };
        let scripts: Vec<String> = pieces.iter().filter_map(script).collect();
        let mut outputs = self.outputs(scripts).await?.into_iter();
        let filled = pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Shell(_) => outputs.next().unwrap_or_default(),
        });
        Ok(filled.collect())
    }

    async fn outputs(&self, scripts: Vec<String>) -> Result<Vec<String>, CommandError> {
        if scripts.is_empty() {
            return Ok(Vec::new());
        }
        let told = self.approve(&scripts).await?;
        let mut outputs = Vec::with_capacity(scripts.len());
        for some in scripts.chunks(AT_ONCE) {
            let mut running = JoinSet::new();
            for (number, script) in some.iter().enumerate() {
                let (shell, cx) = (self.workbench.shell.clone(), self.cx(&told));
                let script = script.clone();
                running.spawn(async move { (number, output(&shell, &script, &cx).await, script) });
            }
            let mut done = running.join_all().await;
            done.sort_by_key(|(number, ..)| *number);
            for (_, output, script) in done {
                outputs.push(output.map_err(|error| self.failed(script, error))?);
            }
        }
        Ok(outputs)
    }

    fn failed(&self, script: String, error: ToolError) -> CommandError {
        let command = self.command.name.clone();
        match error {
            ToolError::Cancelled => CommandError::Cancelled(command),
            error => CommandError::Shell { command, script, problem: error.to_string() },
        }
    }

    /// What somebody else wrote runs after one approval of that very text; says by whose word it runs.
    async fn approve(&self, scripts: &[String]) -> Result<String, CommandError> {
        let Command { name, origin, .. } = self.command;
        let source = match origin {
            CommandOrigin::BuiltIn | CommandOrigin::User(_) => {
                return Ok(format!("the user's command /{name}"));
            }
            CommandOrigin::Project(file) => file.to_string_lossy().into_owned(),
            CommandOrigin::Server(server) => format!("the MCP server {server}"),
            CommandOrigin::Skill(skill) => format!("the skill {skill}"),
        };
        let fingerprint = self.command.fingerprint();
        let script = scripts.join("\n");
        let ask = Ask::new("bash", &fingerprint)
            .always([fingerprint.clone()])
            .doubt(format!("the command /{name} of {source} wants to run this before the prompt is sent"))
            .with("command", script.clone())
            .with("template", self.command.template.clone());
        let setting = self.setting();
        let asked = self.workbench.cx(self.agent, setting).ask(ask).await;
        match asked {
            Ok(_approval) => Ok(format!("the approved command {fingerprint}")),
            Err(ToolError::Cancelled) => Err(CommandError::Cancelled(name.clone())),
            Err(error) => Err(CommandError::NotApproved {
                command: name.clone(),
                script,
                refusal: error.to_string(),
                fingerprint,
            }),
        }
    }

    fn cx(&self, told: &str) -> Cx {
        let agent = Agent { authority: self.workbench.users_authority(told), ..self.agent.clone() };
        self.workbench.cx(&agent, self.setting())
    }

    fn setting(&self) -> CallSetting {
        CallSetting {
            session: self.caller.session.clone(),
            message: self.workbench.mint.message(),
            call: self.workbench.mint.call(),
            cancel: self.caller.cancel.clone(),
        }
    }
}

/// What a script prints on standard output, whatever its exit code.
async fn output(shell: &Shell, script: &str, cx: &Cx) -> Result<String, ToolError> {
    // Both streams come through one pipe; a syntax error is still told, because the shell meets it before the redirection.
    let command = format!("{{ {script}\n}} 2>/dev/null");
    let act = Act::Run { command, cwd: cx.instance().directory().to_owned() };
    let grant = cx.ask(Ask::new("bash", script).to(act).with("command", script)).await?;
    let job = shell.begin(&grant, ViewKind::Work, &[("TERM", "dumb")], cx).await?;
    let timeout = shell.parts().timeout;
    let late = tokio::select! {
        biased;
        () = cx.cancelled() => {
            job.stop(GRACE).await;
            return Err(ToolError::Cancelled);
        }
        _ = job.ended() => false,
        () = tokio::time::sleep(timeout) => true,
    };
    if late {
        job.stop(GRACE).await;
    }
    let shown = job.show();
    let mut text = shown.text.trim_end_matches(['\n', '\r']).to_owned();
    if let (true, Some(path)) = (shown.cut, &shown.path) {
        text.push_str(&format!("\n(the whole output is in {})", path.display()));
    }
    if late {
        text.push_str(&format!("\n(`{script}` was stopped after {} s)", timeout.as_secs()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
