//! Questions on the terminal, and what is typed in answer.

use std::io::{self, BufRead, IsTerminal, Write};

use praxis_policy::Care;
use praxis_proto::{Answers, PermissionRequest, Question, Reply};
use rustix::termios::{QueueSelector, tcflush};

use crate::paint::{Lines, Paint, harmless};

/// Lines of a diff or other preview shown with a question.
const PREVIEW_LINES: usize = 40;

/// Forgets what was typed before the question was there to be read: it is no answer to it.
pub(super) fn forget_typed() {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        // A terminal that cannot forget only asks with what was typed already.
        let _ = tcflush(stdin, QueueSelector::IFlush);
    }
}

/// One question for permission. Anything that is not a clear yes is a no.
pub(super) fn ask_permission(
    request: &PermissionRequest,
    input: &mut impl BufRead,
    screen: &mut impl Write,
    paint: Paint,
) -> io::Result<Reply> {
    let care = Care::of(request);
    write!(screen, "{}", paint.wrap(&told(request, &care)))?;
    screen.flush()?;
    let may_last = !care.confirms();
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

/// The question. What is asked about was written by a model, so none of it may reach the terminal's controls.
fn told(request: &PermissionRequest, care: &Care) -> String {
    let mut lines = vec![String::new(), format!("? Allow `{}` on:", one(&request.permission))];
    for pattern in &request.patterns {
        lines.extend(harmless(pattern, Lines::Many).lines().map(|line| format!("    {line}")));
    }
    match care {
        Care::Usual => {}
        Care::Leaves { what, .. } => lines.push(format!("  this would {}, for good", one(what))),
        Care::Doubt { reason, .. } => lines.push(format!("  no general rule allows it: {}", one(reason))),
        Care::Confirm(act) => lines.push(format!("  ! This would {}.", one(act))),
    }
    if let Some(diff) = request.metadata.get("diff").and_then(|diff| diff.as_str()) {
        lines.extend(diff.lines().take(PREVIEW_LINES).map(|line| format!("  {}", one(line))));
        let more = diff.lines().count().saturating_sub(PREVIEW_LINES);
        if more > 0 {
            lines.push(format!("  … {more} more lines"));
        }
    }
    lines.push("  y  yes, once".to_owned());
    if !care.confirms() {
        lines.push("  a  always in this project, for exactly this".to_owned());
        let always = one(&request.always.join(", "));
        if request.always != request.patterns && !always.is_empty() {
            lines.push(format!("  e  always in this project, for everything like it: {always}"));
        }
    }
    lines.push("  n  no, and stop".to_owned());
    lines.push("  or say what to do instead: ".to_owned());
    lines.join("\n")
}

/// All questions in order; `None` when the person leaves.
pub(super) fn ask_questions(
    questions: &[Question],
    input: &mut impl BufRead,
    screen: &mut impl Write,
    paint: Paint,
) -> io::Result<Option<Answers>> {
    let mut answers = Vec::new();
    for question in questions {
        let mut lines = vec![String::new(), format!("? {}", harmless(&question.question, Lines::Many))];
        for (number, choice) in (1..).zip(&question.options) {
            let (label, about) = (one(&choice.label), one(&choice.description));
            let behind = if about.is_empty() { String::new() } else { format!(": {about}") };
            lines.push(format!("  {number}  {label}{behind}"));
        }
        let several = question.multiple == Some(true);
        let how = if several { "numbers with commas" } else { "a number" };
        lines.push(format!("  {how}, or your own words; nothing to skip: "));
        write!(screen, "{}", paint.wrap(&lines.join("\n")))?;
        screen.flush()?;
        let Some(line) = read_line(input)? else { return Ok(None) };
        answers.push(chosen(question, &line, several));
    }
    Ok(Some(answers))
}

fn one(text: &str) -> String {
    harmless(text, Lines::One)
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
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
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
        let reply = ask_permission(&request(), &mut typed.as_bytes(), &mut screen, Paint::plain()).unwrap();
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

    #[test]
    fn what_a_model_wrote_cannot_hide_behind_the_terminal() {
        let mut request = request();
        request.patterns = vec!["rm -rf x\r\u{1b}[2Kls\nls".into()];
        request.metadata.insert("diff".into(), json!("+\u{1b}[8mhidden"));
        let mut screen = Vec::new();
        ask_permission(&request, &mut "n\n".as_bytes(), &mut screen, Paint::plain()).unwrap();
        insta::assert_snapshot!(String::from_utf8(screen).unwrap().trim(), @r"
        ? Allow `edit` on:
            rm -rf x��[2Kls
            ls
          +�[8mhidden
          y  yes, once
          a  always in this project, for exactly this
          e  always in this project, for everything like it: *
          n  no, and stop
          or say what to do instead:
        ");
    }

    fn careful(key: &str, text: &str, typed: &str) -> (Reply, String) {
        let mut request = request();
        request.metadata.insert(key.into(), json!(text));
        let mut screen = Vec::new();
        let reply = ask_permission(&request, &mut typed.as_bytes(), &mut screen, Paint::plain()).unwrap();
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
        assert_eq!(
            ask_questions(&questions, &mut "1\n".as_bytes(), &mut screen, Paint::plain()).unwrap(),
            None
        );
        assert_eq!(
            ask_questions(&questions, &mut "1\n\n".as_bytes(), &mut screen, Paint::plain()).unwrap(),
            Some(vec![vec!["Left".to_owned()], vec![]])
        );
    }
}
