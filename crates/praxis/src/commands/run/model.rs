//! Which model answers, and what to do where there is none.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use praxis_engine::{Models, SCRIPTED, Workbench};
use praxis_llm::provider::{Choice, Found, ProviderError, Providers, find_local, local_servers};
use praxis_llm::script::{Player, Script};
use praxis_os::Http;
use praxis_proto::{MessageModel, Session};
use praxis_store::{Filter, Store};

use crate::cli::RunArguments;
use crate::commands::models::failed;
use crate::opened::{agent, surroundings};
use crate::screen::{Failure, complain};
use crate::shelf::told;

/// The sessions whose models count as used lately.
const RECENT: usize = 10;
/// Models of a local server that are named.
const NAMED: usize = 3;
/// What the script of the command line is called.
const SCRIPT: &str = "script";

/// The models, and the one that was asked for.
pub(super) struct Chosen {
    pub(super) models: Models,
    /// None leaves it to the agent, the session and the configuration.
    pub(super) model: Option<MessageModel>,
    /// The script of the command line.
    pub(super) player: Option<Arc<Player>>,
}

/// Chooses, and makes sure that whoever shall answer can be asked, before anything is stored.
pub(super) async fn choose(
    arguments: &RunArguments,
    workbench: &Workbench,
    session: Option<&Session>,
    store: &Arc<dyn Store>,
) -> Result<Chosen, Failure> {
    let providers = Providers::open(&surroundings(), &workbench.loaded.config).map_err(failed)?;
    for warning in providers.warnings() {
        complain("warning", warning);
    }
    if let Some(file) = &arguments.script {
        let player = Arc::new(Player::new(script(file)?));
        let models = Models::new(providers).with_player(SCRIPT, Arc::clone(&player));
        let choice = Choice { provider: SCRIPTED.to_owned(), model: SCRIPT.to_owned() };
        return Ok(Chosen { models, model: Some(asked(choice, arguments)), player: Some(player) });
    }
    let given = arguments.model.as_deref().map(Choice::parse).transpose().map_err(failed)?;
    let name = arguments.agent.as_deref().or(session.and_then(|session| session.agent.as_deref()));
    let own = agent(workbench, name)?.model.as_deref().map(Choice::parse).transpose().map_err(failed)?;
    let last = session.and_then(|session| session.model.as_ref());
    let last = last.map(|last| Choice { provider: last.provider.clone(), model: last.id.clone() });
    let recent =
        if given.is_none() && own.is_none() && last.is_none() { recent(store).await? } else { Vec::new() };
    let answers = match given.clone().or(own).or(last).map_or_else(|| providers.default_model(&recent), Ok) {
        Ok(choice) => choice,
        Err(ProviderError::NothingUsable) => return Err(Failure::usage(three_ways(&local().await))),
        Err(error) => return Err(failed(error)),
    };
    let is_gone = (answers.provider.as_str(), answers.model.as_str()) == (SCRIPTED, SCRIPT);
    if is_gone && !is_configured(workbench) {
        return Err(Failure::usage(
            "a script answered last in this session; name it with --script FILE, or a model with --model",
        ));
    }
    if answers.provider != SCRIPTED {
        let resolved = providers.resolve(&answers).map_err(failed)?;
        let names: Vec<&str> = resolved.variants.keys().map(String::as_str).collect();
        check_variant(&answers, &names, arguments.variant.as_deref())?;
    }
    let models = Models::new(providers).with_recent(recent);
    Ok(Chosen { models, model: given.map(|given| asked(given, arguments)), player: None })
}

/// A variant that does not exist would be left out without a word.
fn check_variant(model: &Choice, known: &[&str], asked: Option<&str>) -> Result<(), Failure> {
    let Some(asked) = asked.filter(|asked| *asked != "default" && !known.contains(asked)) else {
        return Ok(());
    };
    Err(Failure::usage(match known {
        [] => format!("`{model}` has no variants; leave --variant out"),
        known => format!("`{model}` has no variant `{asked}`; it has {}", known.join(", ")),
    }))
}

/// Whether the configuration has a script of the name that the command line's script has.
fn is_configured(workbench: &Workbench) -> bool {
    let scripted = workbench.loaded.config.provider.get(SCRIPTED);
    let scripts = scripted.and_then(|scripted| scripted.options.other.get("scripts"));
    scripts.is_some_and(|scripts| scripts.get(SCRIPT).is_some())
}

fn asked(choice: Choice, arguments: &RunArguments) -> MessageModel {
    let Choice { provider, model } = choice;
    MessageModel { provider, model, variant: arguments.variant.clone() }
}

fn script(file: &Path) -> Result<Script, Failure> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::usage(format!("could not read the script {name}: {e}")))?;
    Script::parse(&name, &text).map_err(Failure::usage)
}

/// Models used lately, the newest first. A script is nobody's usual model.
async fn recent(store: &Arc<dyn Store>) -> Result<Vec<Choice>, Failure> {
    let filter = Filter { roots: true, limit: RECENT, ..Filter::default() };
    let sessions = store.list(filter).await.map_err(told)?;
    let used = sessions.into_iter().filter_map(|session| session.model);
    let choices = used.map(|used| Choice { provider: used.provider, model: used.id });
    Ok(choices.filter(|choice| choice.provider != SCRIPTED).collect())
}

/// The model servers on this machine; looked for only because there is no other model.
async fn local() -> Vec<Found> {
    find_local(&Http::direct(), local_servers(&surroundings())).await
}

fn three_ways(found: &[Found]) -> String {
    let mut text = "no model can be used yet. Three ways on:\n\n  \
        praxis auth login       store a key of a provider, or set its variable, for example ANTHROPIC_API_KEY\n  \
        praxis models --local   "
        .to_owned();
    if found.is_empty() {
        text.push_str("use a model server on this machine; none answers now, `ollama serve` starts one");
    }
    for (number, Found { server, models }) in found.iter().enumerate() {
        let behind = if number == 0 { "" } else { "\n                          " };
        let names = models.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "no model yet".to_owned() } else { names };
        // Writing into a string cannot fail.
        let _ =
            write!(text, "{behind}use {}, which answers at {} and has {names}", server.name, server.address);
    }
    text + "\n  praxis demo             see what Praxis does, without a model"
}

#[cfg(test)]
mod tests {
    use praxis_config::Surroundings;

    use super::*;

    #[test]
    fn a_server_that_was_found_is_named_with_its_models() {
        let mut servers = local_servers(&Surroundings::from_env([]));
        servers.truncate(2);
        let models = [vec!["a", "b", "c", "d"], vec![]];
        let found = servers.into_iter().zip(models).map(|(server, models)| Found {
            server,
            models: models.into_iter().map(str::to_owned).collect(),
        });
        insta::assert_snapshot!(three_ways(&found.collect::<Vec<_>>()), @r"
        no model can be used yet. Three ways on:

          praxis auth login       store a key of a provider, or set its variable, for example ANTHROPIC_API_KEY
          praxis models --local   use Ollama, which answers at http://127.0.0.1:11434 and has a, b, c
                                  use LM Studio, which answers at http://127.0.0.1:1234 and has no model yet
          praxis demo             see what Praxis does, without a model
        ");
        insta::assert_snapshot!(three_ways(&[]), @r"
        no model can be used yet. Three ways on:

          praxis auth login       store a key of a provider, or set its variable, for example ANTHROPIC_API_KEY
          praxis models --local   use a model server on this machine; none answers now, `ollama serve` starts one
          praxis demo             see what Praxis does, without a model
        ");
    }
}
