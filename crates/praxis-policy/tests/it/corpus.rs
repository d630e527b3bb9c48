//! Scripts that try to hide what they do, and scripts that hide nothing, each with what the analyser must say of it.

use praxis_policy::shell::{Analysis, Place, analyse};

const PLACE: Place<'static> = Place { cwd: "/w/p", home: "/home/me", users: &[("bob", "/home/bob")] };

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

fn script(written: &str) -> String {
    written.replace("\\n", "\n")
}

fn holds(found: &Analysis, expectation: &str) -> bool {
    match expectation.split_once(':') {
        Some(("write", path)) => found.writes.iter().any(|write| write == path),
        Some(("path", path)) => found.paths.iter().any(|known| known == path),
        Some(("cmd", source)) => found.commands.iter().any(|command| command.source == source),
        _ if expectation == "dynamic" => found.dynamic,
        _ => expectation == "risky" && found.commands.iter().any(|command| command.risky.is_some()),
    }
}

#[test]
fn no_evasion_goes_unseen() {
    let text = include_str!("../corpus/evasions.txt");
    let mut missed = Vec::new();
    for line in lines(text) {
        let (written, expected) = line.rsplit_once('\t').expect("a script, a tab, an expectation");
        let found = analyse(&script(written), &PLACE);
        for one in expected.split(" & ").filter(|one| !holds(&found, one)) {
            missed.push(format!("{written}\n  wanted {one}, found {} {:?}", found.to_json(), found.reasons));
        }
    }
    assert!(lines(text).count() >= 150);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn nothing_harmless_raises_a_question() {
    let text = include_str!("../corpus/harmless.txt");
    let mut asked = Vec::new();
    for line in lines(text) {
        let found = analyse(&script(line), &PLACE);
        let risky = found.commands.iter().find_map(|command| command.risky.clone());
        let outside = found.paths.iter().find(|path| *path != "/w/p" && !path.starts_with("/w/p/"));
        if found.dynamic || risky.is_some() || outside.is_some() {
            asked.push(format!("{line}\n  {:?} {risky:?} {outside:?}", found.reasons));
        }
    }
    assert!(lines(text).count() >= 60);
    assert!(asked.is_empty(), "{}", asked.join("\n"));
}
