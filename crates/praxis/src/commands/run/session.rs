//! Which session a run is in, and as whom.

use std::sync::Arc;

use praxis_engine::{Engine, NewSession, Workbench, fork};
use praxis_proto::{Action, Session, SessionId, SessionRule};
use praxis_store::{Change, Cut, Existing, Filter, Store};

use super::request::Request;
use praxis_tools::system_clock;

use crate::cli::RunArguments;
use crate::opened::agent;
use crate::prompt::Answerer;
use crate::screen::{Failure, complain};
use crate::shelf::told;

/// Characters of a title that is made of a message.
const TITLE_CHARS: usize = 50;

/// Another agent than the one that was asked for might do what that one must not, so a wrong name ends here.
pub(super) fn check_agent(workbench: &Workbench, name: Option<&str>) -> Result<(), Failure> {
    let Some(name) = name else { return Ok(()) };
    if agent(workbench, Some(name))?.is_primary() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "`{name}` is a subagent, which only other agents call; `praxis agent list` shows who can be asked"
    )))
}

/// The session to go on with, or a copy of it; none means a new one.
pub(super) async fn known(
    arguments: &RunArguments,
    workbench: &Workbench,
    store: &Arc<dyn Store>,
) -> Result<Option<Session>, Failure> {
    let directory = workbench.instance.directory().to_string_lossy().into_owned();
    let id = match (&arguments.session, arguments.again) {
        (Some(given), _) => store.find(given).await.map_err(told)?,
        (None, true) => newest(store, &directory).await?,
        (None, false) => return Ok(None),
    };
    let session = store.session(&id).await.map_err(told)?;
    if session.directory != directory {
        complain(
            "warning",
            format!("this session began in {}; it goes on in {directory}", session.directory),
        );
    }
    if !arguments.fork {
        return Ok(Some(session));
    }
    let whole = store.export(&id).await.map_err(told)?;
    let copy = fork::copy(whole, None, &workbench.mint, system_clock()());
    store.import(copy, Existing::Keep).await.map(Some).map_err(told)
}

async fn newest(store: &Arc<dyn Store>, directory: &str) -> Result<SessionId, Failure> {
    let filter = Filter { directory: Some(directory.to_owned()), roots: true, limit: 1, ..Filter::default() };
    let found = store.list(filter).await.map_err(told)?.into_iter().next();
    found.map(|session| session.id).ok_or_else(|| {
        Failure::usage("there is no session in this directory yet; leave --continue out to begin one")
    })
}

/// A new session. What needs somebody to talk to is denied where there is nobody.
pub(super) fn new(arguments: &RunArguments, request: &Request, answerer: Answerer) -> NewSession {
    let mut denied = vec!["plan_enter", "plan_exit"];
    if answerer != Answerer::Person {
        denied.push("question");
    }
    let deny = |permission: &str| SessionRule {
        permission: permission.to_owned(),
        pattern: "*".to_owned(),
        action: Action::Deny,
    };
    NewSession {
        title: title(arguments, request),
        agent: arguments.agent.clone(),
        permission: Some(denied.into_iter().map(deny).collect()),
        ..NewSession::default()
    }
}

/// The title that the command line asks for.
fn title(arguments: &RunArguments, request: &Request) -> Option<String> {
    let title = match arguments.title.as_deref()?.trim() {
        "" => shortened(&request.beginning(arguments)),
        given => given.to_owned(),
    };
    Some(title).filter(|title| !title.is_empty())
}

/// The session with the title that the command line asks for.
pub(super) async fn renamed(
    engine: &Engine,
    session: Session,
    arguments: &RunArguments,
    request: &Request,
) -> Result<Session, Failure> {
    match title(arguments, request) {
        Some(title) => engine.store().change(&session.id, vec![Change::Title(title)]).await.map_err(told),
        None => Ok(session),
    }
}

/// Gives a session that nobody has named, because the run was faster than that, the beginning of what was said.
pub(super) async fn entitle(engine: &Engine, id: &SessionId, beginning: &str) {
    let title = shortened(beginning);
    let Ok(session) = engine.store().session(id).await else { return };
    if title.is_empty() || !session.has_default_title() {
        return;
    }
    // A session without a title is whole all the same.
    let _ = engine.store().change(id, vec![Change::Title(title)]).await;
}

/// Takes back a session in which nothing was said after all, so that `--continue` finds the one before it.
pub(super) async fn forget_if_empty(engine: &Engine, id: &SessionId) {
    let cut = Cut { limit: 1, ..Cut::default() };
    let said = engine.store().history(id, cut).await;
    if said.is_ok_and(|page| page.messages.is_empty()) {
        // One more that is empty does no harm.
        let _ = engine.store().delete(id).await;
    }
}

/// The first line, if need be cut.
fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_beginning_of_the_first_line() {
        assert_eq!(shortened("  fix it\nand more"), "fix it");
        assert_eq!(shortened(&"é".repeat(50)), "é".repeat(50));
        assert_eq!(shortened(&"é".repeat(51)), format!("{}…", "é".repeat(50)));
        assert_eq!(shortened(" \n"), "");
    }
}
