//! The moment tools are resolved for: model, client, agent, switches.

use std::collections::HashSet;

use praxis_policy::{Authority, disabled};

use super::SourceKind;

/// A model, as `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRef {
    /// The provider's id.
    pub provider: String,
    /// The model's id, which may contain slashes.
    pub model: String,
}

impl ModelRef {
    /// Reads `provider/model`.
    pub fn parse(text: &str) -> Option<Self> {
        let (provider, model) = text.split_once('/')?;
        (!provider.is_empty() && !model.is_empty())
            .then(|| Self { provider: provider.to_owned(), model: model.to_owned() })
    }
}

/// What kind of program the user sits at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Client {
    /// A terminal.
    #[default]
    Cli,
    /// A web or mobile app.
    App,
    /// A desktop program.
    Desktop,
    /// Something that cannot put questions to a person.
    Headless,
}

/// Tools and variants that are off unless somebody turns them on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    /// Offer `question` also where the client is not known to show questions.
    pub question: bool,
    /// Offer `batch`.
    pub batch: bool,
    /// Offer `todoread`.
    pub todoread: bool,
    /// Offer `codesearch`.
    pub codesearch: bool,
    /// Offer `websearch` whatever the provider.
    pub websearch: bool,
    /// Offer `apply_patch` instead of `edit` and `write`, or the reverse, whatever the model.
    pub patch: Option<bool>,
}

/// Whether the usual selection applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// What a model is offered in a turn.
    #[default]
    Turn,
    /// Everything there is, for somebody who names a tool outright. The rules still hold when it runs.
    Everything,
}

/// Why a tool that exists is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    /// It has to be switched on.
    #[error("it is off unless switched on; set `\"experimental\": {{ \"{0}\": true }}` in the configuration")]
    SwitchedOff(&'static str),
    /// The client cannot show it.
    #[error("this client cannot put questions to a person; set PRAXIS_ENABLE_QUESTION_TOOL=1 if it can")]
    Client,
    /// Another tool suits the model better, or its provider lacks the service.
    #[error("it is not offered to this model; choose another with --model")]
    Model,
    /// The user's message turned it off.
    #[error("the user turned it off for this message")]
    Message,
    /// The rules deny every use of it.
    #[error("the permission rules deny every use of it; `praxis permission explain` tells which")]
    Denied,
}

/// Everything that decides which tools a model sees.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The model, if one is chosen.
    pub model: Option<ModelRef>,
    /// The client.
    pub client: Client,
    /// What the agent may do in this session.
    pub authority: Authority,
    /// What was turned on.
    pub switches: Switches,
    /// Tools that the user's message turned off.
    pub off: HashSet<String>,
    /// Whether the usual selection applies.
    pub reach: Reach,
}

impl Scene {
    /// A scene for an agent at a terminal, without a model.
    pub fn for_agent(authority: Authority) -> Self {
        Self {
            model: None,
            client: Client::Cli,
            authority,
            switches: Switches::default(),
            off: HashSet::new(),
            reach: Reach::Turn,
        }
    }

    /// Why a tool is not offered, if it is not.
    pub(super) fn withholds(&self, name: &str, kind: SourceKind) -> Option<Withheld> {
        if self.reach == Reach::Everything {
            return None;
        }
        let switched_off = (kind == SourceKind::BuiltIn).then(|| self.switched_off(name)).flatten();
        switched_off
            .or_else(|| (!self.suits(name)).then_some(Withheld::Model))
            .or_else(|| self.off.contains(name).then_some(Withheld::Message))
            .or_else(|| disabled(name, &self.authority).then_some(Withheld::Denied))
    }

    /// Our own tools that do not exist everywhere. Tools of the user's own always do.
    fn switched_off(&self, name: &str) -> Option<Withheld> {
        let Switches { question, batch, todoread, codesearch, .. } = self.switches;
        let off = |on: bool, key| (!on).then_some(Withheld::SwitchedOff(key));
        match name {
            "question" => (self.client == Client::Headless && !question).then_some(Withheld::Client),
            "batch" => off(batch, "batch_tool"),
            "todoread" => off(todoread, "todoread_tool"),
            "codesearch" => off(codesearch, "codesearch_tool"),
            _ => None,
        }
    }

    /// Whether a tool of this name suits the model, whoever made it.
    fn suits(&self, name: &str) -> bool {
        match name {
            "apply_patch" => self.patches(),
            "edit" | "write" => !self.patches(),
            "websearch" => {
                let hosted = |model: &ModelRef| matches!(model.provider.as_str(), "opencode" | "opencode-go");
                self.switches.websearch || self.model.as_ref().is_some_and(hosted)
            }
            _ => true,
        }
    }

    /// GPT models were taught a patch format and edit worse without it.
    fn patches(&self) -> bool {
        let by_name = |model: &ModelRef| {
            let id = &model.model;
            id.contains("gpt-") && !id.contains("oss") && !id.contains("gpt-4")
        };
        self.switches.patch.unwrap_or_else(|| self.model.as_ref().is_some_and(by_name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(model: &str) -> Scene {
        Scene { model: ModelRef::parse(model), ..Scene::for_agent(Authority::new(vec![])) }
    }

    #[test]
    fn models_get_the_editing_tools_they_know() {
        for (model, patches) in [
            ("openai/gpt-5", true),
            ("openai/gpt-5.2-codex", true),
            ("openai/gpt-4.1", false),
            ("openai/gpt-4o", false),
            ("groq/openai/gpt-oss-120b", false),
            ("anthropic/claude-sonnet-4-5", false),
            ("none", false),
        ] {
            let scene = scene(model);
            assert_eq!(scene.suits("apply_patch"), patches, "{model}");
            assert_eq!((scene.suits("edit"), scene.suits("write")), (!patches, !patches), "{model}");
        }
        let forced = Scene {
            switches: Switches { patch: Some(false), ..Switches::default() },
            ..scene("openai/gpt-5")
        };
        assert!(forced.suits("edit"));
    }

    #[test]
    fn searching_the_web_needs_a_hosted_provider_or_a_switch() {
        assert!(scene("opencode/big-pickle").suits("websearch") && scene("opencode-go/x").suits("websearch"));
        assert!(!scene("anthropic/claude").suits("websearch"));
        let on = Switches { websearch: true, ..Switches::default() };
        assert!(Scene { switches: on, ..scene("anthropic/claude") }.suits("websearch"));
    }

    #[test]
    fn a_model_id_keeps_its_slashes() {
        assert_eq!(ModelRef::parse("a/b/c").unwrap().model, "b/c");
        assert_eq!(ModelRef::parse("alone"), None);
        assert_eq!(ModelRef::parse("/x"), None);
    }
}
