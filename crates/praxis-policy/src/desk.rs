//! The desk: takes requests, decides what the rules decide, keeps the rest until somebody answers.
//!
//! It is a plain state machine. Whoever owns it waits, publishes and stores.

use indexmap::IndexMap;
use praxis_proto::{Action, CallRef, PermissionRequest, Reply, ReplyKind, SessionId};
use serde_json::{Map, Value};

use crate::{Act, Authority, Care, Decision, DecisionLog, Grant, LogEntry, StoredGrant};

/// A request as it reaches the desk.
#[derive(Debug, Clone)]
pub struct Query {
    /// The session that asks.
    pub session: SessionId,
    /// The call that asks, if it is one.
    pub tool: Option<CallRef>,
    /// Which permission.
    pub permission: String,
    /// The resources, each of which must be allowed.
    pub patterns: Vec<String>,
    /// What an "always" would allow.
    pub always: Vec<String>,
    /// What a client may show.
    pub metadata: Map<String, Value>,
    /// What the grant will be good for.
    pub act: Act,
    /// The rules and ceilings of whoever asks.
    pub authority: Authority,
    /// Whether the kernel contains the act, so that no rule's question needs a person. Ceilings still ask.
    pub contained: bool,
    /// How careful to be beyond what rules and grants say.
    pub care: Care,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A rule or a ceiling said no.
    #[error("A permission rule prevents this call: {} is denied by {}", .0.0, .0.1.reason())]
    Denied(Box<(String, Decision)>),
    /// The user said no.
    #[error("The user rejected permission to use this tool.")]
    Rejected,
    /// The user said no and what to do instead.
    #[error("The user rejected permission to use this tool, with this feedback: {0}")]
    Corrected(String),
    /// It is a question and nobody is there to answer it.
    #[error(
        "Permission `{permission}` needs an answer and nobody can give one here. Allow it with a rule (`\"{permission}\": \
         {{ \"{pattern}\": \"allow\" }}`), run in a terminal, or choose another way."
    )]
    Unattended {
        /// Which permission.
        permission: String,
        /// What a rule that allows it would name.
        pattern: String,
    },
    /// It leaves the machine, no rule names it, and there is nobody to ask.
    #[error(
        "This would {what}, which leaves this machine for good. Only a rule that names it allows it, such as \
         `\"bash\": {{\"{act} *\": \"allow\"}}`, and nobody is here to be asked. Leave this step to the user."
    )]
    Unnamed {
        /// What it would do.
        what: String,
        /// The words that name it.
        act: String,
    },
    /// It is an act that only a person may confirm, and there is none.
    #[error(
        "This would {0}. Nothing but a person's answer to that very question allows it, and nobody is here to give \
         one. Choose another way, or leave this step to the user."
    )]
    Unconfirmed(String),
}

/// What became of a request at once.
#[derive(Debug)]
pub enum Asked {
    /// The rules allow it.
    Granted(Grant),
    /// The rules deny it.
    Refused(Refusal),
    /// Somebody has to answer.
    Pending(Box<PermissionRequest>),
}

/// A request that came to its end through a reply.
#[derive(Debug)]
pub struct Settled {
    /// The request.
    pub request: PermissionRequest,
    /// How it is announced.
    pub reply: ReplyKind,
    /// What its caller gets.
    pub outcome: Result<Grant, Refusal>,
}

/// Everything one reply brought about.
#[derive(Debug, Default)]
pub struct Replied {
    /// The requests that are settled, the one answered first.
    pub settled: Vec<Settled>,
    /// Grants that are new and should be stored.
    pub granted: Vec<StoredGrant>,
}

/// There is no such request, or it was answered already.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("permission request `{0}` is not pending")]
pub struct UnknownRequest(pub String);

struct Pending {
    request: PermissionRequest,
    query: Query,
}

/// Pending requests, standing grants and the log of one project.
#[derive(Default)]
pub struct Desk {
    pending: IndexMap<String, Pending>,
    grants: Vec<StoredGrant>,
    log: DecisionLog,
}

impl Desk {
    /// A desk with the grants that were given earlier.
    pub fn new(grants: Vec<StoredGrant>) -> Self {
        Self { grants, ..Self::default() }
    }

    /// Takes a request. `id` names it if it has to wait; `now` is for the log.
    pub fn ask(&mut self, id: String, query: Query, now: u64) -> Asked {
        let Query { authority, permission, patterns, care, .. } = &query;
        let Some(mut decision) = authority.decide_all(permission, patterns, &self.grants, care) else {
            return Asked::Granted(Grant::new(query.act));
        };
        let is_question =
            decision.action == Action::Ask && decision.ceiling.is_none() && !care.needs_person();
        if query.contained && is_question {
            decision.action = Action::Allow;
            decision.contained = true;
        }
        self.log.push(LogEntry {
            time: now,
            session: query.session.clone(),
            tool: query.tool.clone(),
            permission: query.permission.clone(),
            patterns: query.patterns.clone(),
            always: query.always.clone(),
            decision: decision.clone(),
        });
        match decision.action {
            Action::Allow => Asked::Granted(Grant::new(query.act)),
            Action::Deny => Asked::Refused(Refusal::Denied(Box::new((query.permission, decision)))),
            Action::Ask => {
                let mut metadata = query.metadata.clone();
                query.care.told_in(&mut metadata);
                let request = PermissionRequest {
                    id: id.clone(),
                    session: query.session.clone(),
                    permission: query.permission.clone(),
                    patterns: query.patterns.clone(),
                    metadata,
                    always: query.always.clone(),
                    tool: query.tool.clone(),
                };
                self.pending.insert(id, Pending { request: request.clone(), query });
                Asked::Pending(Box::new(request))
            }
        }
    }

    /// Answers a request and whatever follows from the answer.
    ///
    /// A plain "no" also ends the session's other questions, since it stops the run. A "no" with feedback lets the
    /// run go on, so the others stay. An "always" settles every question, of any session, that it now answers.
    pub fn reply(&mut self, id: &str, reply: Reply, now: u64) -> Result<Replied, UnknownRequest> {
        let Pending { request, query } =
            self.pending.shift_remove(id).ok_or_else(|| UnknownRequest(id.to_owned()))?;
        // A confirmation is for one act, whatever the answer was called.
        let reply = match reply {
            Reply::Always(_) if query.care.confirms() => Reply::Once,
            reply => reply,
        };
        let kind = reply.kind();
        let session = request.session.clone();
        let mut replied = Replied::default();
        match reply {
            Reply::Once => {
                replied.settled.push(Settled { request, reply: kind, outcome: Ok(Grant::new(query.act)) });
            }
            Reply::Always(patterns) => {
                let patterns = patterns.unwrap_or_else(|| query.always.clone());
                let granted = patterns.into_iter().map(|p| StoredGrant::new(&query.permission, p, now));
                replied.granted =
                    granted.filter(|new| !self.grants.iter().any(|old| old.same_as(new))).collect();
                self.grants.extend(replied.granted.iter().cloned());
                replied.settled.push(Settled { request, reply: kind, outcome: Ok(Grant::new(query.act)) });
                replied.settled.extend(self.settle_allowed());
            }
            Reply::Reject(feedback) => match feedback.filter(|text| !text.trim().is_empty()) {
                Some(text) => {
                    replied.settled.push(Settled {
                        request,
                        reply: kind,
                        outcome: Err(Refusal::Corrected(text)),
                    });
                }
                None => {
                    replied.settled.push(Settled { request, reply: kind, outcome: Err(Refusal::Rejected) });
                    replied.settled.extend(self.reject_where(|pending| pending.request.session == session));
                }
            },
        }
        Ok(replied)
    }

    /// Forgets a request whose caller has gone.
    pub fn withdraw(&mut self, id: &str) -> bool {
        self.pending.shift_remove(id).is_some()
    }

    /// Refuses everything that waits, because the project is being closed.
    pub fn close(&mut self) -> Vec<Settled> {
        self.reject_where(|_| true)
    }

    /// What waits for an answer, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &PermissionRequest> {
        self.pending.values().map(|pending| &pending.request)
    }

    /// The standing grants.
    pub fn grants(&self) -> &[StoredGrant] {
        &self.grants
    }

    /// The last decisions.
    pub fn log(&self) -> &DecisionLog {
        &self.log
    }

    fn settle_allowed(&mut self) -> Vec<Settled> {
        let grants = &self.grants;
        let answered = self.pending.extract_if(.., |_, pending| {
            let Query { authority, permission, patterns, care, .. } = &pending.query;
            authority
                .decide_all(permission, patterns, grants, care)
                .is_none_or(|decision| decision.action == Action::Allow)
        });
        answered
            .map(|(_, Pending { request, query })| Settled {
                request,
                reply: ReplyKind::Always,
                outcome: Ok(Grant::new(query.act)),
            })
            .collect()
    }

    fn reject_where(&mut self, mut which: impl FnMut(&Pending) -> bool) -> Vec<Settled> {
        self.pending
            .extract_if(.., |_, pending| which(pending))
            .map(|(_, Pending { request, .. })| Settled {
                request,
                reply: ReplyKind::Reject,
                outcome: Err(Refusal::Rejected),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use praxis_proto::Rule;

    use super::*;

    fn query(session: &str, permission: &str, patterns: &[&str], rules: &[(&str, &str, Action)]) -> Query {
        Query {
            session: SessionId::from_raw(session),
            tool: None,
            permission: permission.into(),
            patterns: patterns.iter().map(ToString::to_string).collect(),
            always: vec!["*".into()],
            metadata: Map::new(),
            act: Act::Custom,
            authority: Authority::new(
                rules.iter().map(|(p, t, a)| Rule::built_in("test", p, t, *a)).collect(),
            ),
            care: Care::Usual,
            contained: false,
        }
    }

    const ASK_EDIT: &[(&str, &str, Action)] = &[("edit", "*", Action::Ask)];

    fn wait(desk: &mut Desk, id: &str, query: Query) {
        assert!(matches!(desk.ask(id.into(), query, 0), Asked::Pending(request) if request.id == id));
    }

    fn told(replied: &Replied) -> Vec<(String, ReplyKind, bool)> {
        replied.settled.iter().map(|s| (s.request.id.clone(), s.reply, s.outcome.is_ok())).collect()
    }

    fn waiting(desk: &Desk) -> Vec<&str> {
        desk.pending().map(|request| request.id.as_str()).collect()
    }

    #[test]
    fn rules_answer_at_once_where_they_can() {
        let mut desk = Desk::default();
        let allow = query("s", "edit", &["a"], &[("edit", "*", Action::Allow)]);
        assert!(matches!(desk.ask("1".into(), allow, 0), Asked::Granted(_)));
        assert!(matches!(desk.ask("2".into(), query("s", "edit", &[], &[]), 0), Asked::Granted(_)));
        let mixed =
            query("s", "edit", &["a", "b"], &[("edit", "a", Action::Ask), ("edit", "b", Action::Deny)]);
        let Asked::Refused(refusal) = desk.ask("3".into(), mixed, 0) else {
            panic!("a deny among asks must deny")
        };
        assert_eq!(
            refusal.to_string(),
            "A permission rule prevents this call: edit is denied by built-in test `edit b`"
        );
        assert!(waiting(&desk).is_empty());
        assert_eq!(desk.log().entries().count(), 2);
    }

    #[test]
    fn once_settles_one_request() {
        let mut desk = Desk::default();
        wait(&mut desk, "1", query("s", "edit", &["a"], ASK_EDIT));
        wait(&mut desk, "2", query("s", "edit", &["b"], ASK_EDIT));
        let replied = desk.reply("1", Reply::Once, 0).unwrap();
        assert_eq!(told(&replied), [("1".into(), ReplyKind::Once, true)]);
        assert_eq!(waiting(&desk), ["2"]);
        assert_eq!(desk.reply("1", Reply::Once, 0).unwrap_err(), UnknownRequest("1".into()));
    }

    #[test]
    fn always_is_remembered_and_answers_what_it_covers_in_every_session() {
        let mut desk = Desk::default();
        wait(&mut desk, "1", query("s", "edit", &["a"], ASK_EDIT));
        wait(&mut desk, "2", query("s", "edit", &["b"], ASK_EDIT));
        wait(&mut desk, "3", query("other", "edit", &["c"], ASK_EDIT));
        wait(&mut desk, "4", query("s", "bash", &["ls"], &[]));
        let replied = desk.reply("1", Reply::Always(None), 5).unwrap();
        assert_eq!(
            told(&replied),
            [
                ("1".into(), ReplyKind::Always, true),
                ("2".into(), ReplyKind::Always, true),
                ("3".into(), ReplyKind::Always, true),
            ]
        );
        assert_eq!(replied.granted, [StoredGrant::new("edit", "*", 5)]);
        assert_eq!(waiting(&desk), ["4"]);
        assert!(matches!(desk.ask("5".into(), query("s", "edit", &["z"], ASK_EDIT), 0), Asked::Granted(_)));
    }

    #[test]
    fn always_can_be_narrower_than_what_the_tool_offered() {
        let mut desk = Desk::default();
        wait(&mut desk, "1", query("s", "edit", &["src/a"], ASK_EDIT));
        let replied = desk.reply("1", Reply::Always(Some(vec!["src/*".into()])), 0).unwrap();
        assert_eq!(replied.granted, [StoredGrant::new("edit", "src/*", 0)]);
        assert!(matches!(
            desk.ask("2".into(), query("s", "edit", &["src/b"], ASK_EDIT), 0),
            Asked::Granted(_)
        ));
        wait(&mut desk, "3", query("s", "edit", &["docs/b"], ASK_EDIT));
    }

    #[test]
    fn always_never_beats_a_deny_and_is_stored_once() {
        let mut desk = Desk::new(vec![StoredGrant::new("edit", "*", 0)]);
        let denied = query("s", "edit", &["Cargo.lock"], &[("edit", "*.lock", Action::Deny)]);
        assert!(matches!(desk.ask("1".into(), denied, 0), Asked::Refused(_)));
        wait(&mut desk, "2", query("s", "bash", &["ls"], &[]));
        desk.reply("2", Reply::Always(Some(vec!["*".into()])), 0).unwrap();
        assert_eq!(desk.grants().len(), 2);
    }

    fn careful(care: Care, patterns: &[&str], rules: &[(&str, &str, Action)]) -> Query {
        Query { care, ..query("s", "bash", patterns, rules) }
    }

    #[test]
    fn a_doubt_is_met_only_by_the_very_same_text() {
        let doubt = || Care::doubt("`git -c`");
        let broad: &[_] = &[("bash", "*", Action::Allow)];
        let mut desk = Desk::new(vec![StoredGrant::new("bash", "git *", 0)]);
        let Asked::Pending(request) = desk.ask("1".into(), careful(doubt(), &["git -c a=b x"], broad), 0)
        else {
            panic!("a broad allow is not enough")
        };
        assert_eq!(Value::from(request.metadata), serde_json::json!({ "doubt": "`git -c`" }));
        let logged = serde_json::to_value(desk.log().entries().next_back()).unwrap();
        assert_eq!((&logged["action"], &logged["doubt"]), (&"ask".into(), &"`git -c`".into()));
        let exact: &[_] = &[("bash", "*", Action::Allow), ("bash", "git -c a=b x", Action::Allow)];
        let granted = desk.ask("2".into(), careful(doubt(), &["git -c a=b x"], exact), 0);
        assert!(matches!(granted, Asked::Granted(_)));
        let globbed: &[_] = &[("bash", "rm -rf $X/*", Action::Allow)];
        wait(&mut desk, "3", careful(doubt(), &["rm -rf $X/*"], globbed));
        let denied = careful(doubt(), &["git -c a=b x"], &[("bash", "git *", Action::Deny)]);
        assert!(matches!(desk.ask("4".into(), denied, 0), Asked::Refused(_)));
        wait(&mut desk, "5", careful(doubt(), &[], broad));
        desk.reply("1", Reply::Always(Some(vec!["git -c a=b x".into()])), 0).unwrap();
        let again = desk.ask("6".into(), careful(doubt(), &["git -c a=b x"], broad), 0);
        assert!(matches!(again, Asked::Granted(_)), "the answer for exactly this holds");
        assert_eq!(waiting(&desk), ["3", "5"]);
    }

    #[test]
    fn a_confirmation_is_asked_every_time_and_never_kept() {
        let confirm = || Care::Confirm("delete the home folder".into());
        let exact: &[_] = &[("bash", "rm -rf ~", Action::Allow)];
        let mut desk = Desk::new(vec![StoredGrant::new("bash", "rm -rf ~", 0)]);
        wait(&mut desk, "1", careful(confirm(), &["rm -rf ~"], exact));
        wait(&mut desk, "2", careful(confirm(), &["rm -rf ~"], exact));
        wait(&mut desk, "3", query("s", "bash", &["ls"], &[]));
        let replied = desk.reply("1", Reply::Always(Some(vec!["*".into()])), 0).unwrap();
        assert_eq!(told(&replied), [("1".into(), ReplyKind::Once, true)]);
        assert_eq!(replied.granted, []);
        desk.reply("3", Reply::Always(None), 0).unwrap();
        assert_eq!(waiting(&desk), ["2"], "an always for all does not confirm");
        let Some(request) = desk.pending().next() else { panic!("it waits") };
        assert_eq!(Care::of(request), confirm());
        let denied = careful(confirm(), &["rm -rf ~"], &[("bash", "rm *", Action::Deny)]);
        assert!(matches!(desk.ask("4".into(), denied, 0), Asked::Refused(_)));
        wait(&mut desk, "5", careful(confirm(), &[], exact));
    }

    #[test]
    fn nobody_but_the_desk_speaks_of_doubt() {
        let mut desk = Desk::default();
        let mut pretends = query("s", "edit", &["a"], ASK_EDIT);
        pretends.metadata.insert("confirm".into(), "nothing".into());
        wait(&mut desk, "1", pretends);
        let Some(request) = desk.pending().next() else { panic!("it waits") };
        assert_eq!(Care::of(request), Care::Usual);
    }

    #[test]
    fn a_plain_no_ends_the_sessions_other_questions() {
        let mut desk = Desk::default();
        wait(&mut desk, "1", query("s", "edit", &["a"], ASK_EDIT));
        wait(&mut desk, "2", query("s", "bash", &["b"], &[]));
        wait(&mut desk, "3", query("other", "edit", &["c"], ASK_EDIT));
        let replied = desk.reply("1", Reply::Reject(None), 0).unwrap();
        assert_eq!(
            told(&replied),
            [("1".into(), ReplyKind::Reject, false), ("2".into(), ReplyKind::Reject, false)]
        );
        assert_eq!(waiting(&desk), ["3"]);
    }

    #[test]
    fn a_no_with_feedback_reaches_the_model_word_for_word_and_leaves_the_others() {
        let mut desk = Desk::default();
        wait(&mut desk, "1", query("s", "edit", &["a"], ASK_EDIT));
        wait(&mut desk, "2", query("s", "edit", &["b"], ASK_EDIT));
        let mut replied = desk.reply("1", Reply::Reject(Some("use tabs".into())), 0).unwrap();
        let refusal = replied.settled.remove(0).outcome.unwrap_err();
        assert!(refusal.to_string().contains("use tabs"));
        assert_eq!(waiting(&desk), ["2"]);
    }

    #[test]
    fn a_caller_that_went_away_and_a_closed_project_leave_nothing() {
        let mut desk = Desk::default();
        wait(&mut desk, "1", query("s", "edit", &["a"], ASK_EDIT));
        wait(&mut desk, "2", query("t", "edit", &["b"], ASK_EDIT));
        assert!(desk.withdraw("1") && !desk.withdraw("1"));
        let closed = desk.close();
        assert!(closed.len() == 1 && closed[0].outcome.is_err());
        assert!(waiting(&desk).is_empty());
    }
}
