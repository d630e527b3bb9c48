//! `praxis demo`.

use praxis_testkit::Terminal;

use crate::project;

#[test]
fn the_tour_runs_without_anybody_and_keeps_the_secret() {
    let project = project();
    let run = project.run(&["demo"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for shown in [
        "2: while :; do echo on; sleep 5; done",
        r#"Expected a string, got 7 at ["filePath"]"#,
        "1 of 2 calls succeeded.",
        "-while :; do echo on; sleep 5; done\n    +while :; do echo on; sleep 3; done",
        "Could not find oldString",
        "nobody can give one here",
        "build edit Cargo.lock    → deny  by praxis.jsonc:4 `edit *.lock`",
        "plan  edit src/blink.sh  → deny  by the ceiling `agent plan`",
    ] {
        assert!(run.stdout.contains(shown), "{shown}\n---\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("correct-horse"));
    assert_eq!(std::fs::read_dir(project.home()).unwrap().count(), 0, "the tour leaves no trace");
}

#[test]
fn on_a_terminal_it_asks_one_real_question() {
    let project = project();
    let mut terminal = Terminal::start(project.command(&["demo"]));
    terminal.expect("Allow `read` on:").expect("instead:").type_line("y");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && screen.contains("LAMP_PASSWORD=correct-horse"), "{screen}");
}
