//! Answers to what tools ask: fixed ones from the command line, or those of the person at the terminal.

mod ask;
mod trust;

use std::io::{self, IsTerminal};
use std::sync::Arc;

use praxis_engine::Workbench;
use praxis_policy::Care;
use praxis_proto::{Answers, Event, PermissionRequest, Question, QuestionRequest, Reply};
use praxis_tools::{Attendance, Permissions, Questions};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use self::ask::{ask_permission, ask_questions, forget_typed};
pub(crate) use self::trust::{Consent, ask_trust};
use crate::cli::Answer;
use crate::paint::Paint;
use crate::screen::complain;

/// The permission that is asked for where a call is made again and again.
const DOOM_LOOP: &str = "doom_loop";
/// What the model hears where nobody can say whether that is meant.
const NOBODY_SAYS: &str = "nobody is here to say that this is meant";

/// Who answers questions for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answerer {
    /// The command line, always the same.
    Fixed(Answer),
    /// The person at the terminal.
    Person,
    /// Nobody.
    Nobody,
}

impl Answerer {
    /// What the command line says, else a person if there is one.
    pub(crate) fn choose(given: Option<Answer>) -> Self {
        match given {
            Some(answer) => Self::Fixed(answer),
            None if io::stdin().is_terminal() && io::stderr().is_terminal() => Self::Person,
            None => Self::Nobody,
        }
    }

    /// Whether asking makes sense.
    pub(crate) fn attendance(self) -> Attendance {
        match self {
            Self::Fixed(_) | Self::Person => Attendance::Attended,
            Self::Nobody => Attendance::Unattended,
        }
    }

    /// The answer to one question for permission.
    pub(crate) async fn reply(self, request: PermissionRequest) -> Reply {
        match self {
            Self::Fixed(Answer::Allow | Answer::Print) => standing_yes(&Care::of(&request)),
            // Going in circles is no act that somebody forbids: the call fails, and the model may still find a way.
            Self::Nobody if request.permission == DOOM_LOOP => Reply::Reject(Some(NOBODY_SAYS.to_owned())),
            Self::Fixed(Answer::Deny) | Self::Nobody => Reply::Reject(None),
            Self::Person => {
                // stderr is not held while waiting, or nobody could say that the run was stopped meanwhile.
                let asked = tokio::task::spawn_blocking(move || {
                    forget_typed();
                    ask_permission(&request, &mut io::stdin().lock(), &mut io::stderr(), Paint::of_stderr())
                });
                // No answer, for whatever reason, is no permission.
                asked.await.ok().and_then(Result::ok).unwrap_or(Reply::Reject(None))
            }
        }
    }

    /// Answers everything that is asked from now on, until dropped.
    pub(crate) fn attend(self, workbench: &Workbench) -> Attending {
        let events = workbench.bus.subscribe();
        Attending(tokio::spawn(self.desk(workbench).serve(events)))
    }

    /// Answers what it is handed, for whoever listens to the bus already.
    pub(crate) fn desk(self, workbench: &Workbench) -> Desk {
        Desk {
            answerer: self,
            permissions: Arc::clone(&workbench.permissions),
            questions: Arc::clone(&workbench.questions),
        }
    }
}

/// Stops answering when it goes.
pub(crate) struct Attending(tokio::task::JoinHandle<()>);

impl Drop for Attending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Where questions are answered.
pub(crate) struct Desk {
    answerer: Answerer,
    permissions: Arc<Permissions>,
    questions: Arc<Questions>,
}

impl Desk {
    async fn serve(self, mut events: Receiver<Event>) {
        loop {
            match events.recv().await {
                Ok(Event::PermissionAsked(request)) => self.permission(request).await,
                Ok(Event::QuestionAsked(request)) => self.question(request).await,
                Ok(_) => {}
                // Some questions went by unheard; they still wait.
                Err(RecvError::Lagged(_)) => {
                    for request in self.permissions.pending() {
                        self.permission(request).await;
                    }
                    for request in self.questions.pending() {
                        self.question(request).await;
                    }
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Answers one question for permission.
    pub(crate) async fn permission(&self, request: PermissionRequest) {
        let id = request.id.clone();
        let reply = self.answerer.reply(request).await;
        if let Err(error) = self.permissions.reply(&id, reply) {
            complain("warning", error);
        }
    }

    async fn question(&self, request: QuestionRequest) {
        let QuestionRequest { id, questions, .. } = request;
        match answers(questions).await {
            Some(answers) => self.questions.reply(&id, answers),
            None => self.questions.reject(&id),
        };
    }
}

/// The answers that come from standard input; none when the person leaves.
pub(crate) async fn answers(questions: Vec<Question>) -> Option<Answers> {
    let asked = tokio::task::spawn_blocking(move || {
        forget_typed();
        ask_questions(&questions, &mut io::stdin().lock(), &mut io::stderr(), Paint::of_stderr())
    });
    asked.await.ok().and_then(Result::ok).flatten()
}

/// A yes that was given before the question was known. It answers a rule's question; it cannot confirm an act that
/// needs a person's word, nor stand for a rule that names what leaves the machine.
fn standing_yes(care: &Care) -> Reply {
    let told = match care {
        Care::Usual | Care::Doubt { grave: false, .. } => return Reply::Once,
        Care::Doubt { reason, grave: true } => format!(
            "this needs a person's word ({reason}); a standing answer does not cover what may be lost, shown or sent \
             away without all of it being known. Say it so that every command and path stands in the text"
        ),
        Care::Leaves { what, acts } => format!(
            "this would {what}; a standing answer does not cover what leaves the machine, only a rule that names it \
             does, such as `{} *`. Choose another way",
            acts.first().map_or("", String::as_str)
        ),
        Care::Confirm(act) => format!(
            "this would {act}; a standing answer does not confirm that, only a person at a terminal can. \
             Choose another way"
        ),
    };
    Reply::Reject(Some(format!("{told}, or leave this step to the user.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_yes_confirms_nothing() {
        assert_eq!(standing_yes(&Care::Usual), Reply::Once);
        assert_eq!(standing_yes(&Care::doubt("x")), Reply::Once);
        let grave = Care::Doubt { reason: "the path `$X` is not known".into(), grave: true };
        assert!(matches!(standing_yes(&grave), Reply::Reject(Some(told)) if told.contains("`$X`")));
        let leaves = Care::Leaves { what: "push commits".into(), acts: vec!["git push".into()] };
        assert!(matches!(standing_yes(&leaves), Reply::Reject(Some(told)) if told.contains("`git push *`")));
        let Reply::Reject(Some(told)) = standing_yes(&Care::Confirm("delete `/`".into())) else {
            panic!("a standing answer is no confirmation")
        };
        assert!(told.contains("this would delete `/`") && told.contains("only a person"), "{told}");
    }
}
