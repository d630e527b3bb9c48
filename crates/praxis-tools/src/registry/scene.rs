//! The moment tools are resolved for: model, client, agent, switches.

use std::collections::HashSet;

use praxis_policy::Authority;

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
        }
    }

    /// Whether a tool of ours exists here at all. Tools of the user's own always do.
    pub(super) fn has_built_in(&self, name: &str) -> bool {
        let Switches { question, batch, todoread, codesearch, .. } = self.switches;
        match name {
            "question" => self.client != Client::Headless || question,
            "batch" => batch,
            "todoread" => todoread,
            "codesearch" => codesearch,
            _ => true,
        }
    }

    /// Whether a tool of this name suits the model, whoever made it.
    pub(super) fn suits(&self, name: &str) -> bool {
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
