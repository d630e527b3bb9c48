//! Answers to what tools ask: fixed ones from the command line, or those of the person at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use praxis_engine::Workbench;
use praxis_policy::Care;
use praxis_proto::{Answers, Event, PermissionRequest, Question, QuestionRequest, Reply};
use praxis_tools::{Attendance, Permissions, Questions};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::cli::Answer;
use crate::screen::complain;

/// Lines of a diff or other preview shown with a question.
const PREVIEW_LINES: usize = 40;

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
            Self::Fixed(Answer::Deny) | Self::Nobody => Reply::Reject(None),
            Self::Person => {
                // stderr is not held while waiting, or nobody could say that the run was stopped meanwhile.
                let asked = tokio::task::spawn_blocking(move || {
                    ask_permission(&request, &mut io::stdin().lock(), &mut io::stderr())
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
        ask_questions(&questions, &mut io::stdin().lock(), &mut io::stderr())
    });
    asked.await.ok().and_then(Result::ok).flatten()
}

/// A yes that was given before the question was known. It cannot confirm an act that needs a person's word.
fn standing_yes(care: &Care) -> Reply {
    match care {
        Care::Usual | Care::Doubt(_) => Reply::Once,
        Care::Confirm(act) => Reply::Reject(Some(format!(
            "this would {act}; a standing answer does not confirm that, only a person at a terminal can. \
             Choose another way, or leave this step to the user."
        ))),
    }
}

/// One question for permission. Anything that is not a clear yes is a no.
fn ask_permission(
    request: &PermissionRequest,
    input: &mut impl BufRead,
    screen: &mut impl Write,
) -> io::Result<Reply> {
    writeln!(screen, "\n? Allow `{}` on:", request.permission)?;
    for pattern in &request.patterns {
        writeln!(screen, "    {pattern}")?;
    }
    let care = Care::of(request);
    match &care {
        Care::Usual => {}
        Care::Doubt(reason) => writeln!(screen, "  no general rule allows it: {reason}")?,
        Care::Confirm(act) => writeln!(screen, "  ! This would {act}.")?,
    }
    if let Some(diff) = request.metadata.get("diff").and_then(|diff| diff.as_str()) {
        diff.lines().take(PREVIEW_LINES).try_for_each(|line| writeln!(screen, "  {line}"))?;
        let more = diff.lines().count().saturating_sub(PREVIEW_LINES);
        if more > 0 {
            writeln!(screen, "  … {more} more lines")?;
        }
    }
    let always = request.always.join(", ");
    writeln!(screen, "  y  yes, once")?;
    let may_last = !care.confirms();
    if may_last {
        writeln!(screen, "  a  always in this project, for exactly this")?;
    }
    if may_last && request.always != request.patterns && !always.is_empty() {
        writeln!(screen, "  e  always in this project, for everything like it: {always}")?;
    }
    writeln!(screen, "  n  no, and stop")?;
    write!(screen, "  or say what to do instead: ")?;
    screen.flush()?;
    let Some(line) = read_line(input)? else { return Ok(Reply::Reject(None)) };
    Ok(match line.as_str() {
        "y" | "Y" | "yes" => Reply::Once,
        "a" | "A" | "always" if may_last => Reply::Always(Some(request.patterns.clone())),
        "e" | "E" if may_last && !request.always.is_empty() => Reply::Always(None),
        "" | "n" | "N" | "no" => Reply::Reject(None),
        "a" | "A" | "always" | "e" | "E" => Reply::Reject(None),
        instead => Reply::Reject(Some(instead.to_owned())),
    })
}

/// All questions in order; `None` when the person leaves.
fn ask_questions(
    questions: &[Question],
    input: &mut impl BufRead,
    screen: &mut impl Write,
) -> io::Result<Option<Answers>> {
    let mut answers = Vec::new();
    for question in questions {
        writeln!(screen, "\n? {}", question.question)?;
        for (number, choice) in (1..).zip(&question.options) {
            writeln!(screen, "  {number}  {}: {}", choice.label, choice.description)?;
        }
        let several = question.multiple == Some(true);
        let how = if several { "numbers with commas" } else { "a number" };
        write!(screen, "  {how}, or your own words; nothing to skip: ")?;
        screen.flush()?;
        let Some(line) = read_line(input)? else { return Ok(None) };
        answers.push(chosen(question, &line, several));
    }
    Ok(Some(answers))
}

/// The labels behind what was typed: numbers, labels, or own words.
fn chosen(question: &Question, line: &str, several: bool) -> Vec<String> {
    let pick = |text: &str| {
        let by_number = text.parse::<usize>().ok().and_then(|n| question.options.get(n.checked_sub(1)?));
        let by_label = || question.options.iter().find(|choice| choice.label.eq_ignore_ascii_case(text));
        by_number.or_else(by_label).map(|choice| choice.label.clone())
    };
    if line.is_empty() {
        return Vec::new();
    }
    let parts: Vec<&str> = if several { line.split(',').map(str::trim).collect() } else { vec![line] };
    let picked: Option<Vec<String>> = parts.into_iter().filter(|part| !part.is_empty()).map(pick).collect();
    picked.unwrap_or_else(|| vec![line.to_owned()])
}

/// A line without its end, or `None` at the end of input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = input.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use praxis_proto::{Choice, SessionId};
    use serde_json::{Map, json};

    use super::*;

    fn request() -> PermissionRequest {
        PermissionRequest {
            id: "per_1".into(),
            session: SessionId::from_raw("ses_1"),
            permission: "edit".into(),
            patterns: vec!["src/a.rs".into()],
            metadata: Map::from_iter([("diff".to_owned(), json!("-old\n+new"))]),
            always: vec!["*".into()],
            tool: None,
        }
    }

    fn reply(typed: &str) -> (Reply, String) {
        let mut screen = Vec::new();
        let reply = ask_permission(&request(), &mut typed.as_bytes(), &mut screen).unwrap();
        (reply, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        for (typed, expected) in [
            ("y\n", Reply::Once),
            ("a\n", Reply::Always(Some(vec!["src/a.rs".into()]))),
            ("e\n", Reply::Always(None)),
            ("n\n", Reply::Reject(None)),
            ("\n", Reply::Reject(None)),
            ("", Reply::Reject(None)),
            ("use b.rs\n", Reply::Reject(Some("use b.rs".into()))),
        ] {
            assert_eq!(reply(typed).0, expected, "{typed:?}");
        }
        let screen = reply("n\n").1;
        for shown in ["Allow `edit`", "src/a.rs", "-old", "+new", "everything like it: *"] {
            assert!(screen.contains(shown), "{shown}\n{screen}");
        }
    }

    fn careful(key: &str, text: &str, typed: &str) -> (Reply, String) {
        let mut request = request();
        request.metadata.insert(key.into(), json!(text));
        let mut screen = Vec::new();
        let reply = ask_permission(&request, &mut typed.as_bytes(), &mut screen).unwrap();
        (reply, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn a_doubt_is_told_and_a_confirmation_holds_once() {
        let (reply, screen) = careful("doubt", "`git -c`", "y\n");
        assert_eq!(reply, Reply::Once);
        assert!(screen.contains("no general rule allows it: `git -c`"), "{screen}");
        let (reply, screen) = careful("confirm", "delete `/`", "y\n");
        assert_eq!(reply, Reply::Once);
        assert!(screen.contains("! This would delete `/`.") && !screen.contains("always"), "{screen}");
        assert_eq!(careful("confirm", "delete `/`", "a\n").0, Reply::Reject(None));
    }

    #[test]
    fn a_standing_yes_confirms_nothing() {
        assert_eq!(standing_yes(&Care::Usual), Reply::Once);
        assert_eq!(standing_yes(&Care::Doubt("x".into())), Reply::Once);
        let Reply::Reject(Some(told)) = standing_yes(&Care::Confirm("delete `/`".into())) else {
            panic!("a standing answer is no confirmation")
        };
        assert!(told.contains("this would delete `/`") && told.contains("only a person"), "{told}");
    }

    fn question(multiple: bool) -> Question {
        let choice = |label: &str| Choice { label: label.into(), description: "…".into() };
        Question {
            question: "Which?".into(),
            header: "W".into(),
            options: vec![choice("Left"), choice("Right")],
            multiple: Some(multiple),
        }
    }

    #[test]
    fn numbers_labels_and_own_words_are_understood() {
        for (typed, several, expected) in [
            ("2", false, vec!["Right"]),
            ("left", false, vec!["Left"]),
            ("1, 2", true, vec!["Left", "Right"]),
            ("neither of them", false, vec!["neither of them"]),
            ("3", false, vec!["3"]),
            ("1, other", true, vec!["1, other"]),
            ("", false, vec![]),
        ] {
            assert_eq!(chosen(&question(several), typed, several), expected, "{typed:?}");
        }
    }

    #[test]
    fn the_end_of_input_dismisses() {
        let mut screen = Vec::new();
        let questions = [question(false), question(false)];
        assert_eq!(ask_questions(&questions, &mut "1\n".as_bytes(), &mut screen).unwrap(), None);
        assert_eq!(
            ask_questions(&questions, &mut "1\n\n".as_bytes(), &mut screen).unwrap(),
            Some(vec![vec!["Left".to_owned()], vec![]])
        );
    }
}
