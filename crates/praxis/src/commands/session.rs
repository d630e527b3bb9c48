//! `praxis session`: what was said and done.

mod doctor;
mod transcript;

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use praxis_proto::{MessageId, Mint, Session, SessionId};
use praxis_store::{Existing, Filter, SqliteStore, Store, Transfer};
use praxis_tools::system_clock;

use self::transcript::plain;
use crate::Outcome;
use crate::cli::SessionCommand;
use crate::screen::{Failure, say, say_json, table};
use crate::shelf::{look, open, told};

/// What a file to import may hold at most.
const MOST_BYTES: u64 = 2 * 1_024 * 1_024 * 1_024;

pub(crate) async fn run(command: SessionCommand) -> Outcome {
    match command {
        SessionCommand::List { limit, all, json } => list(limit, all, json).await?,
        SessionCommand::Show { id, json } => show(&id, json).await?,
        SessionCommand::Export { id, out } => export(&id, out.as_deref()).await?,
        SessionCommand::Import { file, replace } => import(&file, replace).await?,
        SessionCommand::Fork { id, before } => fork(&id, before).await?,
        SessionCommand::Delete { ids, yes } => return delete(&ids, yes).await,
        SessionCommand::Doctor { repair, json } => return doctor::run(repair, json).await,
        SessionCommand::Search { text, limit, json } => search(&text.join(" "), limit, json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(limit: usize, all: bool, json: bool) -> Result<(), Failure> {
    let directory = if all { None } else { Some(here()?) };
    let filter = Filter { directory, roots: !all, archived: all, limit, ..Filter::default() };
    let sessions = match look()? {
        Some(store) => store.list(filter).await.map_err(told)?,
        None => Vec::new(),
    };
    if json {
        return Ok(say_json(&sessions)?);
    }
    if sessions.is_empty() {
        let elsewhere =
            if all { "" } else { " in this directory; `praxis session list --all` looks everywhere" };
        return Ok(say(format!("There is no session{elsewhere}."))?);
    }
    let row = |session: &Session| {
        let mut row = vec![session.id.to_string(), since(session.time.updated), plain(&session.title)];
        if all {
            row.insert(2, plain(&session.directory));
        }
        row
    };
    Ok(say(table(&sessions.iter().map(row).collect::<Vec<_>>()))?)
}

/// The current directory, as sessions name it.
fn here() -> Result<String, Failure> {
    let here = std::env::current_dir().map_err(|e| {
        Failure::usage(format!(
            "the current directory is gone ({e}); `praxis session list --all` looks everywhere"
        ))
    })?;
    Ok(here.canonicalize().unwrap_or(here).display().to_string())
}

async fn show(given: &str, json: bool) -> Result<(), Failure> {
    let (store, id) = find(given).await?;
    let whole = store.export(&id).await.map_err(told)?;
    if json { Ok(say_json(&whole)?) } else { Ok(say(transcript::write(&whole))?) }
}

async fn export(given: &str, out: Option<&Path>) -> Result<(), Failure> {
    let (store, id) = find(given).await?;
    let whole = store.export(&id).await.map_err(told)?;
    let Some(path) = out else { return Ok(say_json(&whole)?) };
    let failed = |e: io::Error| match e.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{} is there already; name another file", path.display()))
        }
        _ => Failure::work(format!("could not write {}: {e}", path.display())),
    };
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let mut file = io::BufWriter::new(file);
    serde_json::to_writer_pretty(&mut file, &whole).map_err(|e| failed(e.into()))?;
    file.write_all(b"\n").and_then(|()| file.flush()).map_err(failed)?;
    Ok(say(format!("{id} is in {}", path.display()))?)
}

async fn import(file: &Path, replace: bool) -> Result<(), Failure> {
    let name = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let unreadable = |e: io::Error| Failure::usage(format!("could not read {name}: {e}"));
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
    };
    if read.map_err(unreadable)? as u64 > MOST_BYTES {
        return Err(Failure::usage(format!("{name} is larger than 2 GiB, which no session is")));
    }
    let transfer: Transfer = serde_json::from_slice(&bytes)
        .map_err(|e| Failure::usage(format!("{name} is no exported session: {e}")))?;
    drop(bytes);
    let existing = if replace { Existing::Replace } else { Existing::Keep };
    let messages = transfer.messages.len();
    let session = open()?.import(transfer, existing).await.map_err(told)?;
    Ok(say(format!("{} with {messages} messages: {}", session.id, plain(&session.title)))?)
}

async fn fork(given: &str, before: Option<String>) -> Result<(), Failure> {
    let (known, id) = find(given).await?;
    let whole = known.export(&id).await.map_err(told)?;
    drop(known);
    let before = before.map(MessageId::from_raw);
    let is_there = |id: &MessageId| whole.messages.iter().any(|message| message.info.id() == id);
    if let Some(before) = before.as_ref().filter(|before| !is_there(before)) {
        return Err(Failure::usage(format!(
            "there is no message `{before}` in this session; `praxis session show {given} --json` has their ids"
        )));
    }
    let clock = system_clock();
    let now = clock();
    let mint = Mint::new(move || clock());
    let copy = praxis_engine::fork::copy(whole, before.as_ref(), &mint, now);
    let copy = open()?.import(copy, Existing::Keep).await.map_err(told)?;
    Ok(say(copy.id)?)
}

async fn delete(given: &[String], yes: bool) -> Outcome {
    let Some(known) = look()? else { return Err(Failure::usage("there is no session yet")) };
    let mut ids: Vec<SessionId> = Vec::new();
    for given in given {
        let id = known.find(given).await.map_err(told)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if !yes && !confirm(&known, &ids).await? {
        say("Nothing was deleted.")?;
        return Ok(ExitCode::SUCCESS);
    }
    drop(known);
    let store = open()?;
    for id in ids {
        // A child may have gone with its parent a moment ago.
        if store.session(&id).await.is_err() {
            continue;
        }
        for gone in store.delete(&id).await.map_err(told)? {
            say(format!("Deleted: {gone}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn confirm(store: &SqliteStore, ids: &[SessionId]) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("deleting cannot be undone; say --yes if you mean it"));
    }
    for id in ids {
        let session = store.session(id).await.map_err(told)?;
        say(format!("{id}  {}", plain(&session.title)))?;
    }
    write!(io::stdout().lock(), "Delete for good? [y/N] ")?;
    io::stdout().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

async fn search(text: &str, limit: usize, json: bool) -> Result<(), Failure> {
    let hits = match look()? {
        Some(store) => store.search(text, limit).await.map_err(told)?,
        None => Vec::new(),
    };
    if json {
        return Ok(say_json(&hits)?);
    }
    if hits.is_empty() {
        return Ok(say("It was never said.")?);
    }
    let row =
        |hit: &praxis_store::Hit| vec![hit.session.to_string(), since(hit.updated), plain(&hit.snippet)];
    Ok(say(table(&hits.iter().map(row).collect::<Vec<_>>()))?)
}

/// The store and the session that is meant; what a crash left open in it is closed first.
async fn find(given: &str) -> Result<(SqliteStore, SessionId), Failure> {
    let Some(store) = look()? else { return Err(Failure::usage("there is no session yet")) };
    let id = store.find(given).await.map_err(told)?;
    if store.is_left_open(&id).await.map_err(told)?
        && let Ok(writing) = open()
    {
        // Where it cannot be written, it is still worth reading as it is.
        let _ = writing.open(&id).await;
    }
    Ok((store, id))
}

fn since(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map(|time| time.strftime("%Y-%m-%d %H:%M:%SZ").to_string()).unwrap_or_default()
}
