//! Places that a call itself wants: each is a question.

use praxis_os::RealPath;
use praxis_os::sandbox::{self, Place};
use praxis_proto::Action;

use super::super::WantedPlace;
use crate::shell::ViewKind;
use crate::{Ask, Cx, ToolError};

/// A place that a call wants, found.
pub(super) struct Wanted {
    path: RealPath,
    write: bool,
}

impl Wanted {
    /// Finds the places.
    pub(super) fn of(given: &[WantedPlace], cx: &Cx) -> Result<Vec<Self>, ToolError> {
        given.iter().map(|wanted| Self::find(wanted, cx)).collect()
    }

    fn find(wanted: &WantedPlace, cx: &Cx) -> Result<Self, ToolError> {
        let given = wanted.path.as_str();
        let problem = |what: &str| ToolError::misuse(format!("`access` names {given}, which {what}."));
        let path =
            cx.instance().resolve(given).map_err(|error| problem(&format!("cannot be used: {error}")))?;
        if !path.as_path().exists() {
            return Err(problem("does not exist; name the folder that it shall be made in"));
        }
        if path.as_path().parent().is_none() {
            return Err(problem("is the whole machine; name the place that is needed"));
        }
        Ok(Self { path, write: wanted.write.unwrap_or(false) })
    }

    /// Asks for it: outside by its folder, inside by the file itself.
    pub(super) async fn ask(self, command: &str, kind: ViewKind, cx: &Cx) -> Result<Place, ToolError> {
        let Self { path, write } = self;
        if write && kind == ViewKind::Look {
            return Err(ToolError::misuse(
                "This agent only looks: its commands write nothing. Ask for reading, or leave this step to an agent that \
                 may edit.",
            ));
        }
        let place = if write { Place::write(path.as_path()) } else { Place::read(path.as_path()) };
        let name = cx.instance().name_of(&path);
        if cx.instance().contains(&path) {
            let (permission, act) = if write { ("edit", "write") } else { ("read", "read") };
            let ask = Ask::new(permission, &name).always([name.clone()]).with("command", command);
            let protected = cx.instance().places().protected(path.as_path()).filter(|_| write);
            let ask = match protected {
                Some(protected) => ask.confirm(format!("let a command {act} `{name}`, {}", protected.why)),
                None => ask,
            };
            let _granted = cx.ask(ask).await?;
            return Ok(place);
        }
        let folder = path.as_path().to_string_lossy().trim_end_matches('/').to_owned();
        let pattern = if path.as_path().is_dir() { format!("{folder}/*") } else { folder };
        let ask = Ask::new("external_directory", &pattern)
            .always([pattern.clone()])
            .with("command", command)
            .with("filepath", path.as_path().to_string_lossy());
        let _granted = cx.ask(ask).await?;
        if write && cx.authority().decide("edit", &name, &[]).action != Action::Allow {
            let _granted =
                cx.ask(Ask::new("edit", &name).always([name.clone()]).with("command", command)).await?;
        }
        Ok(sandbox::Place { path: place.path, access: place.access })
    }
}
