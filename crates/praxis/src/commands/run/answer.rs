//! Answers to what the run's tools ask, one question at a time.

use std::io::{self, Write};
use std::sync::Arc;

use praxis_engine::Workbench;
use praxis_proto::{Answers, PermissionRequest, QuestionRequest, Reply, ReplyKind};
use praxis_tools::{Permissions, Questions};
use tokio::task::JoinHandle;

use super::view::By;
use crate::prompt::{Answerer, answers};
use crate::screen::complain;

/// Takes questions of the session, and of the sessions it starts, so that no run ever waits for nobody.
pub(super) struct Desk {
    answerer: Answerer,
    permissions: Arc<Permissions>,
    questions: Arc<Questions>,
    asking: Option<JoinHandle<Answered>>,
}

/// A question with its answer.
enum Answered {
    Permission(Box<PermissionRequest>, Reply),
    Question(Box<QuestionRequest>, Option<Answers>),
}

/// A question for permission that was answered.
pub(super) struct Settled {
    pub(super) request: Box<PermissionRequest>,
    pub(super) reply: ReplyKind,
    pub(super) by: By,
}

impl Desk {
    pub(super) fn new(answerer: Answerer, workbench: &Workbench) -> Self {
        let permissions = Arc::clone(&workbench.permissions);
        let questions = Arc::clone(&workbench.questions);
        Self { answerer, permissions, questions, asking: None }
    }

    /// Whether a question is being answered.
    pub(super) fn is_busy(&self) -> bool {
        self.asking.is_some()
    }

    /// Whether a question waits and none is being answered.
    pub(super) fn is_wanted(&self) -> bool {
        let waits = || !self.permissions.pending().is_empty() || !self.questions.pending().is_empty();
        self.asking.is_none() && waits()
    }

    /// Lets go of a question that the run no longer waits for.
    pub(super) fn leave(&mut self) {
        let Some(asking) = self.asking.take() else { return };
        asking.abort();
        if self.needs_the_screen() {
            // The line that waits for an answer ends here.
            let _ = writeln!(io::stderr());
        }
    }

    /// Whether the answers come from the screen that everything else is shown on.
    pub(super) fn needs_the_screen(&self) -> bool {
        self.answerer == Answerer::Person
    }

    /// Begins with the first question that waits, if there is one.
    pub(super) fn attend(&mut self) {
        let answerer = self.answerer;
        if let Some(request) = self.permissions.pending().into_iter().next() {
            let asking = async move {
                let reply = answerer.reply(request.clone()).await;
                Answered::Permission(Box::new(request), reply)
            };
            self.asking = Some(tokio::spawn(asking));
        } else if let Some(request) = self.questions.pending().into_iter().next() {
            let asking = async move {
                let answers = match answerer {
                    Answerer::Person => answers(request.questions.clone()).await,
                    Answerer::Fixed(_) | Answerer::Nobody => None,
                };
                Answered::Question(Box::new(request), answers)
            };
            self.asking = Some(tokio::spawn(asking));
        }
    }

    /// Waits for the answer and passes it on. Waits for ever where nothing was asked.
    pub(super) async fn answered(&mut self) -> Option<Settled> {
        let Some(asking) = &mut self.asking else { return std::future::pending().await };
        let answered = asking.await;
        self.asking = None;
        match answered.ok()? {
            Answered::Permission(request, reply) => {
                let kind = reply.kind();
                if let Err(error) = self.permissions.reply(&request.id, reply) {
                    complain("warning", error);
                }
                Some(Settled { request, reply: kind, by: self.by() })
            }
            Answered::Question(request, answers) => {
                match answers {
                    Some(answers) => self.questions.reply(&request.id, answers),
                    None => self.questions.reject(&request.id),
                };
                None
            }
        }
    }

    fn by(&self) -> By {
        match self.answerer {
            Answerer::Person => By::Person,
            Answerer::Fixed(_) => By::Standing,
            Answerer::Nobody => By::Nobody,
        }
    }
}
