//! Questions to the user: asked on the bus, answered or dismissed by whoever listens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use praxis_proto::{Answers, Event, Mint, Prefix, Question, QuestionRequest};
use tokio::sync::oneshot;

use crate::lock::lock;
use crate::{Attendance, Bus, Cx, ToolError};

/// A request and whoever waits for its answers; none means that it was dismissed.
type Asked = (QuestionRequest, oneshot::Sender<Option<Answers>>);

/// The questions of one project that wait for an answer.
pub struct Questions {
    mint: Arc<Mint>,
    bus: Bus,
    attendance: Attendance,
    waiting: Mutex<HashMap<String, Asked>>,
}

impl Questions {
    /// No questions yet.
    pub fn new(mint: Arc<Mint>, bus: Bus, attendance: Attendance) -> Self {
        Self { mint, bus, attendance, waiting: Mutex::default() }
    }

    /// Asks and waits. A dismissal, and a place where nobody can answer, is [`ToolError::Dismissed`].
    pub async fn ask(&self, questions: Vec<Question>, cx: &Cx) -> Result<Answers, ToolError> {
        if self.attendance == Attendance::Unattended {
            return Err(ToolError::Dismissed);
        }
        let request = QuestionRequest {
            id: self.mint.next(Prefix::Question),
            session: cx.session().clone(),
            questions,
            tool: Some(cx.call_ref()),
        };
        let (sender, receiver) = oneshot::channel();
        let id = request.id.clone();
        lock(&self.waiting).insert(id.clone(), (request.clone(), sender));
        let _waiting = Waiting { questions: self, id: &id };
        self.bus.publish(Event::QuestionAsked(request));
        tokio::select! {
            biased;
            () = cx.cancelled() => Err(ToolError::Cancelled),
            answers = receiver => answers.ok().flatten().ok_or(ToolError::Dismissed),
        }
    }

    /// Gives the answers; `false` if there is no such question.
    pub fn reply(&self, id: &str, answers: Answers) -> bool {
        let Some((request, sender)) = lock(&self.waiting).remove(id) else { return false };
        let event = Event::QuestionReplied {
            session: request.session,
            request: request.id,
            answers: answers.clone(),
        };
        let _ = sender.send(Some(answers));
        self.bus.publish(event);
        true
    }

    /// Dismisses a question; `false` if there is no such question.
    pub fn reject(&self, id: &str) -> bool {
        let Some((request, sender)) = lock(&self.waiting).remove(id) else { return false };
        let _ = sender.send(None);
        self.bus.publish(Event::QuestionRejected { session: request.session, request: request.id });
        true
    }

    /// What waits for an answer, oldest first.
    pub fn pending(&self) -> Vec<QuestionRequest> {
        let mut pending: Vec<_> = lock(&self.waiting).values().map(|(request, _)| request.clone()).collect();
        pending.sort_by(|a, b| a.id.cmp(&b.id));
        pending
    }

    /// Dismisses everything, because the project is being closed.
    pub fn close(&self) {
        for request in self.pending() {
            self.reject(&request.id);
        }
    }
}

struct Waiting<'a> {
    questions: &'a Questions,
    id: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.questions.waiting).remove(self.id);
    }
}
