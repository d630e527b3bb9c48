//! Scripts that try to hide what they do, and scripts that hide nothing, each with the decision that must come of it.
//!
//! A line is a script (`\n` stands for a line end), a tab, the decision of a desk with generous rules, and for evasions
//! another tab and what the analyser must have found.

use praxis_policy::shell::Analysis;

use crate::ground::{Outcome, authority, judged, judged_on, outcome};

fn lines(text: &'static str) -> impl Iterator<Item = (String, Outcome, &'static str)> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).map(|line| {
        let mut parts = line.split('\t');
        let (script, decision) = (parts.next().expect("a script"), parts.next().expect("a decision"));
        (
            script.replace("\\n", "\n").replace("\\t", "\t"),
            Outcome::named(decision),
            parts.next().unwrap_or_default(),
        )
    })
}

fn holds(found: &Analysis, expectation: &str) -> bool {
    match expectation.split_once(':') {
        Some(("write", path)) => found.writes.iter().any(|write| write == path),
        Some(("path", path)) => found.paths.iter().any(|known| known == path),
        Some(("cmd", source)) => found.commands.iter().any(|command| command.source == source),
        _ if expectation == "dynamic" => found.dynamic,
        _ if expectation == "risky" => found.commands.iter().any(|command| command.risky.is_some()),
        _ => expectation.is_empty(),
    }
}

/// Programs that a generous user lets run with any arguments.
const ALLOWED: &str = include_str!("../corpus/allowed.txt");

/// Every line that comes out otherwise than it says.
fn missed(text: &'static str, allowed: &str, asked: &[&str]) -> String {
    let authority = authority(allowed, asked);
    let mut missed = Vec::new();
    for (script, expected, findings) in lines(text) {
        let (analysis, judgement) = judged(&script);
        let decided = outcome(&judgement, &authority);
        let found = findings.split(" & ").all(|one| holds(&analysis, one));
        if decided != expected || !found {
            missed.push(format!("{script}\n  {decided:?} {found} {judgement:?}"));
        }
    }
    missed.join("\n")
}

#[test]
fn no_evasion_runs_unasked() {
    let text = include_str!("../corpus/evasions.txt");
    assert_eq!(missed(text, ALLOWED, &["rm", "git push"]), "");
    assert!(lines(text).count() >= 300);
    assert!(lines(text).all(|(_, decision, _)| decision > Outcome::Allow));
}

/// Where everything is allowed but `rm` and `git push`, hiding them must not help either.
#[test]
fn no_evasion_slips_through_a_blanket_allow() {
    // Programs of the project itself: to allow everything is to allow them.
    const OWN: &[&str] = &["./rm x", "echo rm x > ls; chmod +x ls; ./ls"];
    let authority = authority("*", &["rm", "git push"]);
    let slipped: Vec<String> = lines(include_str!("../corpus/evasions.txt"))
        .map(|(script, ..)| script)
        .filter(|script| outcome(&judged(script).1, &authority) == Outcome::Allow)
        .collect();
    assert_eq!(slipped, OWN);
}

#[test]
fn nothing_harmless_raises_a_question() {
    let text = include_str!("../corpus/harmless.txt");
    assert_eq!(missed(text, ALLOWED, &[]), "");
    assert!(lines(text).count() >= 100);
    assert!(lines(text).all(|(_, decision, _)| decision == Outcome::Allow));
}

#[test]
fn what_must_not_be_lost_is_confirmed_however_it_is_spelled() {
    let text = include_str!("../corpus/forbidden.txt");
    assert_eq!(missed(text, "*", &[]), "");
    assert!(lines(text).count() >= 60);
    assert!(lines(text).all(|(_, decision, _)| decision == Outcome::Confirm));
}

#[test]
fn what_only_looks_like_it_is_not() {
    let text = include_str!("../corpus/lookalikes.txt");
    assert_eq!(missed(text, "*", &[]), "");
    assert!(lines(text).count() >= 30);
    assert!(lines(text).all(|(_, decision, _)| decision != Outcome::Confirm));
}

/// What people let an agent do all day, where the kernel holds the files.
#[test]
fn hardly_anything_of_every_day_is_a_question() {
    let authority = authority(ALLOWED, &[]);
    let scripts: Vec<String> = include_str!("../corpus/everyday.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .map(|line| line.replace("\\n", "\n"))
        .collect();
    assert!(scripts.len() >= 120);
    let asked: Vec<String> = scripts
        .iter()
        .map(|script| (script, judged_on(script, true).1))
        .filter(|(_, judgement)| outcome(judgement, &authority) != Outcome::Allow)
        .map(|(script, judgement)| format!("{script}\n    {:?} {:?}", judgement.care, judgement.outside))
        .collect();
    assert!(
        asked.len() * 100 <= scripts.len() * 5,
        "{} of {} ask\n{}",
        asked.len(),
        scripts.len(),
        asked.join("\n")
    );
}

/// A view holds files; it does not say which program runs.
#[test]
fn evasions_about_programs_are_questions_under_a_view_too() {
    let authority = authority("*", &["rm", "git push"]);
    let slipped: Vec<String> = lines(include_str!("../corpus/evasions.txt"))
        .map(|(script, ..)| script)
        .filter(|script| outcome(&judged_on(script, true).1, &authority) == Outcome::Allow)
        .collect();
    let known: Vec<&str> =
        include_str!("../corpus/held.txt").lines().filter(|line| !line.starts_with("# ")).collect();
    assert_eq!(slipped.join("\n"), known.join("\n").replace("\\n", "\n").replace("\\t", "\t"));
}

/// Fresh ones, with the kernel holding the files: none of these is about files alone.
#[test]
fn no_trick_runs_unasked_under_a_view() {
    let authority = authority("*", &["rm", "git push"]);
    let text = include_str!("../corpus/tricks.txt");
    let scripts: Vec<String> =
        text.lines().filter(|line| !line.starts_with("# ")).map(|line| line.replace("\\n", "\n")).collect();
    assert!(scripts.len() >= 250);
    let slipped: Vec<String> = scripts
        .into_iter()
        .map(|script| (judged_on(&script, true).1, script))
        .filter(|(judgement, _)| outcome(judgement, &authority) == Outcome::Allow)
        .map(|(_, script)| script)
        .collect();
    assert_eq!(slipped.join("\n"), "");
}
