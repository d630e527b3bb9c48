//! The system text: one block that never changes in a session, one with what there is to know about this place.

mod instructions;
mod setting;

use std::borrow::Cow;
use std::sync::Arc;

use praxis_config::AgentMode;
use praxis_llm::SystemBlock;
use praxis_policy::disabled;

pub use instructions::{InstructionText, Library};
pub use setting::{ReferenceText, Setting};

use crate::Agent;
use crate::prompts::{self, Family};

/// What a server says about itself that goes into the system text is cut here.
const MOST_SERVER_BYTES: usize = 16 << 10;
/// Characters of a skill's description.
const MOST_SKILL_CHARS: usize = 1_024;
/// Skills that are listed.
const MOST_SKILLS: usize = 200;

/// Everything the system text of one request is made of.
#[derive(Clone, Copy)]
pub struct SystemInput<'a> {
    /// Who answers.
    pub agent: &'a Agent,
    /// With which model.
    pub model: ModelFacts<'a>,
    /// What is the same through the whole session.
    pub setting: &'a Setting,
    /// What MCP servers say about themselves.
    pub servers: &'a [ServerText],
    /// The skills there are.
    pub skills: &'a [SkillText],
    /// Whether the answer must be a call of `StructuredOutput`.
    pub structured: bool,
    /// What the user message adds.
    pub system: Option<&'a str>,
}

/// What the text needs to know about a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFacts<'a> {
    /// Its provider.
    pub provider: &'a str,
    /// Its id, as the provider names it.
    pub id: &'a str,
    /// Its name, for people.
    pub name: &'a str,
}

/// The instructions of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerText {
    /// The server.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Its tools; when the agent may use none of them, the text is left out.
    pub tools: Vec<String>,
}

/// A skill in the list of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillText {
    /// Its name.
    pub name: String,
    /// When to load it.
    pub description: String,
}

/// The two blocks of a request. Both are the same, byte for byte, as long as the input is.
pub fn blocks(input: &SystemInput<'_>) -> Vec<SystemBlock> {
    let about = Some(input.setting.environment(input.model));
    let pieces = [
        about,
        input.setting.references(),
        input.setting.instructions(),
        servers(input),
        skills(input),
        input.structured.then(|| prompts::STRUCTURED.trim_end().to_owned()),
        input.system.map(str::to_owned),
    ];
    let rest: Vec<String> = pieces.into_iter().flatten().filter(|piece| !piece.trim().is_empty()).collect();
    vec![block(&role(input.agent, input.model)), block(&rest.join("\n\n"))]
}

/// The blocks for work behind the scenes (titles, summaries): the agent's prompt and what the user message adds.
pub fn bare_blocks(agent: &Agent, model: ModelFacts<'_>, system: Option<&str>) -> Vec<SystemBlock> {
    let more = system.filter(|text| !text.trim().is_empty());
    [Some(block(&role(agent, model))), more.map(block)].into_iter().flatten().collect()
}

fn block(text: &str) -> SystemBlock {
    SystemBlock(Arc::from(text.trim_end()))
}

/// The agent's own prompt, else that of the model's family.
fn role<'a>(agent: &'a Agent, model: ModelFacts<'_>) -> Cow<'a, str> {
    let own = agent.prompt.as_deref().filter(|prompt| !prompt.trim().is_empty());
    if let Some(own) = own.or_else(|| prompts::of_agent(&agent.name)) {
        return Cow::Borrowed(own);
    }
    let family = Family::of(model.provider, model.id).text();
    match agent.mode {
        AgentMode::Subagent => Cow::Owned(format!("{family}{}", prompts::HELPER)),
        AgentMode::Primary | AgentMode::All => Cow::Borrowed(family),
    }
}

fn servers(input: &SystemInput<'_>) -> Option<String> {
    let usable = |server: &&ServerText| {
        let out = |tool: &String| disabled(tool, &input.agent.authority);
        !server.text.trim().is_empty() && (server.tools.is_empty() || !server.tools.iter().all(out))
    };
    let mut servers: Vec<&ServerText> = input.servers.iter().filter(usable).collect();
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let told = |server: &&ServerText| {
        let text = cut(server.text.trim(), MOST_SERVER_BYTES);
        format!("<mcp_server name=\"{}\">\n{text}\n</mcp_server>", attribute(&server.name))
    };
    let told: Vec<String> = servers.iter().map(told).collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

fn skills(input: &SystemInput<'_>) -> Option<String> {
    if input.skills.is_empty() || disabled("skill", &input.agent.authority) {
        return None;
    }
    let mut skills: Vec<&SkillText> = input.skills.iter().collect();
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    let line = |skill: &&SkillText| {
        let words: Vec<&str> = skill.description.split_whitespace().collect();
        let description: String = words.join(" ").chars().take(MOST_SKILL_CHARS).collect();
        format!("- {}: {description}", skill.name)
    };
    let mut lines: Vec<String> = skills.iter().take(MOST_SKILLS).map(line).collect();
    if let Some(more @ 1..) = skills.len().checked_sub(MOST_SKILLS) {
        lines.push(format!("- and {more} more, which the `skill` tool lists"));
    }
    let intro =
        "Skills are guides for particular kinds of work. Load one with the `skill` tool when the task fits:";
    Some(format!("{intro}\n<available_skills>\n{}\n</available_skills>", lines.join("\n")))
}

fn attribute(name: &str) -> String {
    name.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '<' | '>')).collect()
}

/// The beginning of a text, and word of the rest.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let kept = &text[..praxis_text::floor_char(text, most)];
    Cow::Owned(format!("{kept}\n(cut here: {} of {} bytes are shown)", kept.len(), text.len()))
}

#[cfg(test)]
mod tests;
