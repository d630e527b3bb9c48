//! What some servers leave to their clients: thoughts between tags, and calls that are printed as text.

use crate::provider::{Resolved, WireKind, is_loopback};
use crate::recover::{Mode, Recover};
use crate::think::{Think, Thinking};
use crate::{Event, Request};

/// Watches the events of one answer.
pub(super) struct Filter {
    think: Option<Think>,
    recover: Option<Recover>,
    between: Vec<Event>,
}

impl Filter {
    /// Only chat completions are spoken by servers that need it. `called`: a model made a call in the conversation as its
    /// wire format has it.
    pub(super) fn new(resolved: &Resolved, called: bool, request: &Request) -> Self {
        let is_chat = resolved.endpoint.wire == WireKind::Chat;
        let recover = (is_chat && prints_calls(resolved, called)).then(|| {
            let mode = if request.output_schema.is_none() { Mode::Any } else { Mode::Marked };
            let prefix: String = std::iter::repeat_with(fastrand::alphanumeric).take(16).collect();
            Recover::new(&request.tools, mode, &format!("call_{prefix}"))
        });
        Self { think: is_chat.then(|| Think::new(&Thinking::default())), recover, between: Vec::new() }
    }

    /// Replaces events by what they mean.
    pub(super) fn pass(&mut self, events: &mut Vec<Event>) {
        let Some(think) = &mut self.think else { return };
        for event in events.drain(..) {
            think.event(event, &mut self.between);
        }
        let Some(recover) = &mut self.recover else {
            events.append(&mut self.between);
            return;
        };
        for event in self.between.drain(..) {
            recover.event(event, events);
        }
    }
}

/// Whether calls that a model prints are meant as calls.
///
/// Nothing in a text tells a call that is meant from one that is quoted, so it depends on who speaks: a model that is said
/// not to make calls (`tool_call: false`), or one at a server on this machine, whose template may be at fault, until
/// the first real call of the conversation or of that server. Whoever has made one knows how to.
fn prints_calls(resolved: &Resolved, called: bool) -> bool {
    let Resolved { model, endpoint, target, callers, .. } = resolved;
    if !model.tool_call {
        return !callers.knows_model(endpoint, target);
    }
    is_loopback(&endpoint.base_url) && !called && !callers.knows_server(endpoint)
}

#[cfg(test)]
mod tests {
    use praxis_config::{Config, Surroundings};
    use serde_json::json;

    use super::*;
    use crate::provider::{Choice, Providers};

    fn resolved(base: &str, model: &serde_json::Value) -> Resolved {
        let provider = json!({ "options": { "baseURL": base, "apiKey": "k" }, "models": { "m": model } });
        let config: Config = serde_json::from_value(json!({ "provider": { "lab": provider } })).unwrap();
        let config = config.vouched();
        let home = tempfile::tempdir().unwrap();
        let home = ("HOME".to_owned(), home.path().to_string_lossy().into_owned());
        let providers = Providers::open(&Surroundings::from_env([home]), &config).unwrap();
        providers.resolve(&Choice { provider: "lab".into(), model: "m".into() }).unwrap()
    }

    #[test]
    fn it_depends_on_who_speaks() {
        let (far, here) = ("https://models.example/v1", "http://127.0.0.1:9/v1");
        let (native, printing) = (json!({}), json!({ "tool_call": false }));
        for (base, model, called, expected) in [
            (far, &native, false, false),
            (far, &native, true, false),
            (far, &printing, false, true),
            (far, &printing, true, true),
            (here, &native, false, true),
            (here, &native, true, false),
            (here, &printing, true, true),
        ] {
            let resolved = resolved(base, model);
            assert_eq!(prints_calls(&resolved, called), expected, "{base} {model} {called}");
            resolved.callers.note(&resolved.endpoint, &resolved.target);
            assert!(!prints_calls(&resolved, called), "{base} {model} {called}, afterwards");
        }
    }
}
