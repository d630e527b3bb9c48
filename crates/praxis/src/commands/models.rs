//! `praxis models`: which models there are, what they cost, and which can be used.

use std::process::ExitCode;

use indexmap::IndexMap;
use praxis_llm::Modality;
use praxis_llm::catalogue::{self, Model, Status, kind_name};
use praxis_llm::cost::Cost;
use praxis_llm::provider::{
    Found, Listing, LocalServer, Offered, ProviderError, Providers, Standing, find_local, local_servers,
};
use praxis_os::Http;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::{ModelsArguments, Place};
use crate::opened::{look, surroundings};
use crate::screen::{Failure, complain, say, say_json, table};

pub(crate) async fn run(arguments: ModelsArguments) -> Outcome {
    if arguments.refresh {
        refresh(arguments.json).await?;
    } else if arguments.local {
        local(arguments.json).await?;
    } else {
        list(&arguments)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The providers of a project, with what looks wrong told.
pub(super) fn open(place: &Place) -> Result<Providers, Failure> {
    let workbench = look(place)?;
    let providers = Providers::open(&surroundings(), &workbench.loaded.config).map_err(failed)?;
    for warning in providers.warnings() {
        complain("warning", warning);
    }
    Ok(providers)
}

/// Sorted by who has to act: the person at the command line, or whoever keeps the machine.
pub(super) fn failed(error: ProviderError) -> Failure {
    match error {
        ProviderError::Catalogue(_) | ProviderError::Auth(_) => Failure::work(error),
        _ => Failure::usage(error),
    }
}

async fn refresh(json: bool) -> Result<(), Failure> {
    let fetched = catalogue::refresh(&Http::default(), &surroundings()).await.map_err(Failure::work)?;
    let (providers, models, path) = (fetched.providers, fetched.models, fetched.path.display().to_string());
    if json {
        return Ok(say_json(&json!({ "providers": providers, "models": models, "path": path }))?);
    }
    say(format!("Fetched {models} models of {providers} providers."))?;
    Ok(say(format!("They are kept in {path}; remove it to go back to the catalogue inside the program."))?)
}

async fn local(json: bool) -> Result<(), Failure> {
    let servers = local_servers(&surroundings());
    let found = find_local(&Http::direct(), servers.clone()).await;
    if json {
        return Ok(say_json(&found.iter().map(found_json).collect::<Vec<_>>())?);
    }
    if found.is_empty() {
        return Ok(say(nothing_local(&servers))?);
    }
    for one in &found {
        say(format!("{} at {}:", one.server.name, one.server.address))?;
        if one.models.is_empty() {
            say("  it has no model yet")?;
        }
        one.models.iter().try_for_each(|model| say(format!("  {}/{model}", one.server.id)))?;
    }
    say("\nTo use them, put this into praxis.json:\n")?;
    Ok(say(format!("{:#}", snippet(&found)))?)
}

fn found_json(found: &Found) -> Value {
    let Found { server, models } = found;
    json!({ "id": server.id, "name": server.name, "baseURL": found.base_url(), "models": models, "config": found.config() })
}

fn nothing_local(servers: &[LocalServer]) -> String {
    let rows: Vec<Vec<String>> =
        servers.iter().map(|server| vec![format!("  {}", server.name), server.address.clone()]).collect();
    format!(
        "No model server answered on this machine. Looked for:\n{}\nStart one, for example with `ollama serve`, and try again.",
        table(&rows)
    )
}

/// One piece of configuration for all of them.
fn snippet(found: &[Found]) -> Value {
    let mut providers = serde_json::Map::new();
    for one in found {
        if let Value::Object(own) = one.config()["provider"].take() {
            providers.extend(own);
        }
    }
    json!({ "provider": providers })
}

fn list(arguments: &ModelsArguments) -> Result<(), Failure> {
    let providers = open(&arguments.place)?;
    let listed = match &arguments.provider {
        Some(id) => {
            let info = providers.info(id).map_err(failed)?;
            vec![Listing { standing: providers.standing(&info), info }]
        }
        None => {
            let mut listed = providers.list();
            listed.retain(|one| arguments.all || one.standing.is_usable());
            listed
        }
    };
    let mut shown = Vec::new();
    for listing in listed {
        let models = providers.models(&listing.info.id).map_err(failed)?;
        shown.push((listing, models));
    }
    if arguments.json {
        return Ok(say_json(&shown.iter().map(whole).collect::<Vec<_>>())?);
    }
    if shown.is_empty() {
        return Ok(say(NOTHING_USABLE)?);
    }
    for (number, one) in shown.iter().enumerate() {
        if number > 0 {
            say("")?;
        }
        show(one)?;
    }
    if arguments.provider.is_none() && !arguments.all {
        say("\n`praxis models --all` shows the models of every provider.")?;
    }
    Ok(())
}

const NOTHING_USABLE: &str = "No model can be used yet. Three ways on:

  praxis auth login        store a key of a provider, or set its variable, for example ANTHROPIC_API_KEY
  praxis models --local    find a model server on this machine, such as Ollama
  praxis demo              see what Praxis does, without a model

`praxis models --all` shows every model there is.";

fn show((Listing { info, standing }, models): &(Listing, IndexMap<String, Offered>)) -> Result<(), Failure> {
    say(format!("{} ({}): {}", info.id, info.name, told(&info.id, standing)))?;
    if models.is_empty() {
        return Ok(say("  no model; name some under `models` of the provider in the configuration")?);
    }
    let head =
        ["  model", "context", "output", "$ in / out per million", "abilities"].map(str::to_owned).to_vec();
    let rows = models.iter().map(|(id, one)| row(&info.id, id, &one.model));
    Ok(say(table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()))?)
}

fn row(provider: &str, id: &str, model: &Model) -> Vec<String> {
    vec![
        format!("  {provider}/{id}"),
        short(model.limit.context),
        short(model.limit.output),
        price(model.cost.as_ref()),
        abilities(model).join(" "),
    ]
}

fn told(provider: &str, standing: &Standing) -> String {
    match standing {
        Standing::Usable(source) => format!("usable, by {source}"),
        Standing::NoKey(env) => match env.first() {
            Some(name) => format!("no key; `praxis auth login {provider}`, or set {name}"),
            None => format!("no key; `praxis auth login {provider}`"),
        },
        Standing::Unsupported(reason) => format!("not supported, {reason}"),
        Standing::Broken(problem) => format!("not usable, {problem}"),
    }
}

fn short(tokens: u64) -> String {
    match tokens {
        0 => "–".to_owned(),
        1..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{:.1}M", tokens as f64 / 1e6).replace(".0M", "M"),
    }
}

fn price(cost: Option<&Cost>) -> String {
    let Some(Cost { base, .. }) = cost else { return "–".to_owned() };
    let (input, output) = (base.input.dollars(), base.output.dollars());
    if input == 0.0 && output == 0.0 { "free".to_owned() } else { format!("{input} / {output}") }
}

fn abilities(model: &Model) -> Vec<&'static str> {
    let able = [("tools", model.tool_call), ("thinking", model.reasoning)];
    let able = able.into_iter().filter(|(_, able)| *able).map(|(name, _)| name);
    let takes =
        model.modalities.input.iter().filter(|kind| **kind != Modality::Text).map(|kind| kind_name(*kind));
    let trial = model.status.and_then(|status| match status {
        Status::Alpha => Some("alpha"),
        Status::Beta => Some("beta"),
        Status::Deprecated | Status::Active => None,
    });
    able.chain(takes).chain(trial).collect()
}

fn whole((Listing { info, standing }, models): &(Listing, IndexMap<String, Offered>)) -> Value {
    let models: serde_json::Map<String, Value> =
        models.iter().map(|(id, one)| (id.clone(), json!(one.model))).collect();
    json!({
        "id": info.id,
        "name": info.name,
        "env": info.env,
        "npm": info.npm,
        "usable": standing.is_usable(),
        "why": told(&info.id, standing),
        "models": models,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0, 999, 1_000, 200_000, 999_999, 1_000_000, 1_048_576, 2_500_000].map(short),
            ["–", "999", "1k", "200k", "999k", "1M", "1M", "2.5M"]
        );
    }
}
