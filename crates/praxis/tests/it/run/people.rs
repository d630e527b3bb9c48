//! A run on a terminal.

use std::process::Command;

use praxis_testkit::Terminal;

use super::scripted;

const SCRIPT: &str = "
- { say: I will., call: { bash: { command: touch made-with-a-long-name, description: Makes it } } }
- { say: [It, ' is', ' there.'] }
";

fn asking() -> praxis_testkit::Project {
    scripted(SCRIPT).file("praxis.json", r#"{"permission":{"bash":"ask"}}"#).variable("TERM", "xterm")
}

#[test]
fn a_question_is_put_and_the_answer_streams() {
    let project = asking();
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "make it"]));
    terminal.expect("Allow `bash` on").type_line("y").expect("It is there.");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("\u{1b}[32m✓\u{1b}[0m bash touch made-with-a-long-name")
            && screen.contains("2 steps"),
        "{screen}"
    );
    assert!(project.directory().join("made-with-a-long-name").exists());
}

#[test]
fn a_no_stops_the_run() {
    let project = asking();
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "make it"]));
    terminal.expect("Allow `bash` on").type_line("n");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 3, "{screen}");
    assert!(!project.directory().join("made-with-a-long-name").exists());
}

#[test]
fn a_question_can_be_left_with_an_interrupt() {
    let project = asking();
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "make it"]));
    terminal.expect("or say what to do instead: ").interrupt();
    let (code, screen) = terminal.finish();
    assert_eq!(code, 130, "{screen}");
    assert!(screen.contains("✗\u{1b}[0m bash touch made-with-a-long-name"), "{screen}");
}

#[test]
fn no_color_means_no_escapes_at_all() {
    let project = asking().variable("NO_COLOR", "1");
    let command = project.command(&["run", "--auto", "--script", "script.yaml", "make it"]);
    let (code, screen) = Terminal::start(command).finish();
    assert_eq!(code, 0, "{screen}");
    assert!(
        !screen.contains('\u{1b}') && screen.contains("✓ bash touch made-with-a-long-name"),
        "{screen:?}"
    );
}

#[test]
fn the_first_interrupt_stops_the_run_in_order() {
    let project = scripted("[{ say: [Begun.], delay_ms: 0, gap_ms: 0, call: { bash: { command: sleep 600, description: Waits } } }]")
        .file("praxis.json", r#"{"permission":{"bash":"allow"}}"#)
        .variable("TERM", "xterm");
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "wait"]));
    // The spinner names the call while it runs.
    terminal.expect("bash sleep 600").interrupt();
    let (code, screen) = terminal.finish();
    assert_eq!(code, 130, "{screen}");
    assert!(screen.contains("interrupted; `praxis run --continue` goes on"), "{screen}");
    let call = super::stored(&project)["messages"][1]["parts"].clone();
    let call = call.as_array().unwrap().iter().find(|part| part["type"] == "tool").unwrap().clone();
    assert_ne!(call["state"]["status"], "running", "{call}");
}

#[test]
fn an_answer_streams_whole_however_fast_it_comes() {
    let project = scripted("[{ say: { text: 'word ', times: 20000 } }]").variable("TERM", "xterm");
    let command = project.command(&["run", "--script", "script.yaml", "talk"]);
    let (code, screen) = Terminal::start(command).finish();
    assert_eq!((code, screen.matches("word ").count()), (0, 20_000));
}

#[test]
fn lines_fit_a_narrow_terminal() {
    let project = asking();
    let typed = project.command(&["run", "--auto", "--script", "script.yaml", "make it"]);
    let mut narrow = Command::new("sh");
    narrow
        .args(["-c", "stty cols 24; exec \"$0\" \"$@\""])
        .arg(typed.get_program())
        .args(typed.get_args())
        .current_dir(project.directory())
        .env_clear()
        .envs(typed.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("NO_COLOR", "1");
    let (code, screen) = Terminal::start(narrow).finish();
    assert_eq!(code, 0, "{screen}");
    let call = screen.lines().find(|line| line.starts_with('✓')).unwrap();
    assert_eq!(call.trim_end(), "✓ bash touch made-with-…", "{screen}");
}
