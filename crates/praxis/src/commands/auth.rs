//! `praxis auth`: keys, stored so that only their owner reads them, and never shown.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use praxis_llm::Secret;
use praxis_llm::auth::{self, Auth, AuthFile, Credential, Place as Stored};
use praxis_llm::provider::{KeySource, Listing, Providers, Standing};
use serde_json::{Value, json};

use super::models::{failed, open};
use crate::Outcome;
use crate::cli::{AuthCommand, Place};
use crate::hidden;
use crate::opened::surroundings;
use crate::screen::{Failure, INTERRUPTED, complain, say, say_json, table};

/// Longer than any key.
const MOST_INPUT: u64 = 16_384;

pub(crate) fn run(command: AuthCommand) -> Outcome {
    match command {
        AuthCommand::Login { provider, key_stdin, place } => return login(provider, key_stdin, &place),
        AuthCommand::List { json, place } => list(&place, json)?,
        AuthCommand::Logout { provider } => logout(&provider)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn login(provider: Option<String>, key_stdin: bool, place: &Place) -> Outcome {
    let providers = open(place)?;
    let person = !key_stdin && io::stdin().is_terminal() && io::stderr().is_terminal();
    let Some(provider) = provider.map_or_else(|| which(person), |given| Ok(Some(given)))? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let info = providers.info(&provider).map_err(failed)?;
    let standing = providers.standing(&info);
    if let Standing::Unsupported(reason) = &standing {
        return Err(Failure::usage(format!("`{provider}` is not supported: {reason}")));
    }
    let typed = if key_stdin {
        Some(piped()?)
    } else if person {
        hidden::ask(&format!("Key of {} (it is not shown): ", info.name))?
    } else {
        return Err(Failure::usage("there is no terminal to ask at; pipe the key in and add --key-stdin"));
    };
    let Some(typed) = typed else { return Ok(ExitCode::from(INTERRUPTED)) };
    let key = Secret::new(&typed).map_err(|problem| Failure::usage(format!("the key {problem}")))?;
    let path = auth::path(&surroundings());
    AuthFile::at(&path).store(&provider, &key, now()).map_err(Failure::work)?;
    say(format!("Stored the key of {} in {}, which only you can read.", info.name, path.display()))?;
    if standing == Standing::Usable(KeySource::Config) {
        complain(
            "warning",
            format!("the configuration of `{provider}` comes before the stored key where it has one"),
        );
    }
    if let Some((variable, _)) = surroundings().flag_entry("AUTH_CONTENT") {
        complain("warning", format!("{variable} is set and takes the place of what is stored"));
    }
    say(format!("See its models with: praxis models {provider}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Asks which provider; `None` when the person leaves.
fn which(person: bool) -> Result<Option<String>, Failure> {
    if !person {
        return Err(Failure::usage("say which provider, for example `praxis auth login anthropic`"));
    }
    let mut screen = io::stderr().lock();
    write!(screen, "Provider, for example anthropic, openai, google or openrouter: ")?;
    screen.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|provider| !provider.is_empty()))
}

fn piped() -> Result<String, Failure> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(MOST_INPUT)
        .read_to_string(&mut text)
        .map_err(|_| Failure::usage("what came on standard input is no text; pipe in the key alone"))?;
    Ok(text)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}

/// A key, told without being shown.
struct Told {
    provider: String,
    kind: String,
    source: String,
    added: Option<u64>,
}

fn list(place: &Place, json: bool) -> Result<(), Failure> {
    let told = told(&open(place)?);
    if json {
        let row = |one: &Told| json!({ "provider": one.provider, "type": one.kind, "source": one.source, "added": one.added });
        return Ok(say_json(&told.iter().map(row).collect::<Vec<Value>>())?);
    }
    if told.is_empty() {
        return Ok(say("No key is stored and none is set. Store one with: praxis auth login PROVIDER")?);
    }
    let row = |one: &Told| {
        let since = one.added.and_then(since).map(|since| format!("since {since}")).unwrap_or_default();
        vec![one.provider.clone(), one.kind.clone(), one.source.clone(), since]
    };
    Ok(say(table(&told.iter().map(row).collect::<Vec<_>>()))?)
}

/// What is stored, then what the environment and the configuration give where nothing is stored.
fn told(providers: &Providers) -> Vec<Told> {
    let stored = |(name, credential, place): (&str, Credential<'_>, &Stored)| Told {
        provider: name.to_owned(),
        kind: credential.kind().to_owned(),
        source: place.to_string(),
        added: credential.added(),
    };
    let given = |Listing { info, standing }: Listing| {
        let kind = match &standing {
            Standing::Usable(KeySource::Variable(_)) => "variable",
            Standing::Usable(KeySource::Config) => "config",
            _ => return None,
        };
        let Standing::Usable(source) = standing else { return None };
        Some(Told { provider: info.id, kind: kind.to_owned(), source: source.to_string(), added: None })
    };
    providers.auth().iter().map(stored).chain(providers.list().into_iter().filter_map(given)).collect()
}

fn since(milliseconds: u64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(milliseconds).ok()?).ok()?;
    Some(time.strftime("%Y-%m-%d").to_string())
}

fn logout(provider: &str) -> Result<(), Failure> {
    let surroundings = surroundings();
    let path = auth::path(&surroundings);
    if AuthFile::at(&path).remove(provider).map_err(Failure::work)? {
        return Ok(say(format!("Removed the key of {provider} from {}.", path.display()))?);
    }
    let auth = Auth::open(&surroundings).map_err(Failure::work)?;
    let reason = match auth.get(provider) {
        Some((_, Stored::OpenCodes(path))) => {
            format!("it is OpenCode's, in {}; log out there", path.display())
        }
        Some((_, place)) => format!("it comes from {place}"),
        None => match auth.iter().map(|(name, _, _)| name).collect::<Vec<_>>().as_slice() {
            [] => "nothing is stored at all".to_owned(),
            names => format!("none is stored for it; stored are {}", names.join(", ")),
        },
    };
    Err(Failure::work(format!("could not remove the key of `{provider}`: {reason}")))
}
