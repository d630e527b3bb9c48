//! A run on a terminal.

use std::process::Command;

use praxis_testkit::Terminal;

use super::scripted;

const SCRIPT: &str = "
- { say: I will., call: { bash: { command: touch made-with-a-long-name, description: Makes it } } }
- { say: [It, ' is', ' there.'] }
";

const ASK: &str = r#"{"permission":{"bash":"ask"}}"#;

fn asking() -> praxis_testkit::Project {
    scripted(SCRIPT).file("praxis.json", ASK).variable("TERM", "xterm")
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
    // The line of the question ends before anything else is said.
    assert!(
        screen.contains("instead: \r\n\u{1b}[31m✗\u{1b}[0m bash touch made-with-a-long-name"),
        "{screen}"
    );
}

#[test]
fn what_was_typed_before_a_question_is_no_answer_to_it() {
    let project = scripted(&SCRIPT.replace("say: I will.,", "delay_ms: 500,"))
        .file("praxis.json", ASK)
        .variable("TERM", "xterm");
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "make it"]));
    terminal.expect("thinking").type_line("y").expect("or say what to do instead: ").type_line("n");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 3, "{screen}");
    assert!(!project.directory().join("made-with-a-long-name").exists());
}

#[test]
fn always_holds_for_the_next_run_and_feedback_goes_to_the_model() {
    let project = asking();
    let arguments = ["run", "--script", "script.yaml", "make it"];
    let mut terminal = Terminal::start(project.command(&arguments));
    terminal.expect("instead: ").type_line("use another name");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 0, "{screen}");
    let told = super::stored(&project)["messages"][1]["parts"].to_string();
    assert!(told.contains("with this feedback: use another name"), "{told}");

    let mut terminal = Terminal::start(project.command(&arguments));
    terminal.expect("instead: ").type_line("a");
    assert_eq!(terminal.finish().0, 0);
    let (code, screen) = Terminal::start(project.command(&arguments)).finish();
    assert_eq!((code, screen.contains("Allow `bash`")), (0, false), "{screen}");
}

#[test]
fn a_question_of_the_model_is_answered_or_left() {
    let script = "
- { call: { question: { questions: [{ question: Which?, header: W, options: [{ label: Red, description: warm }, { label: Blue, description: cold }] }] } } }
- { expect: { result: { of: question, text: Blue } }, say: Thanks. }
";
    let project = scripted(script).variable("TERM", "xterm");
    let arguments = ["run", "--script", "script.yaml", "ask me"];
    let mut terminal = Terminal::start(project.command(&arguments));
    terminal.expect("nothing to skip: ").type_line("2").expect("Thanks.");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 0, "{screen}");
    let stored = super::stored(&project);
    let call = stored["messages"][1]["parts"].as_array().unwrap().iter().find(|part| part["type"] == "tool");
    assert_eq!(call.unwrap()["state"]["metadata"]["answers"], serde_json::json!([["Blue"]]));
    // Going on where nobody is: the question waits for nobody, and the run says what it lacks.
    let alone = super::run(&project, &["--continue", "again"]);
    assert_eq!(alone.code, 3, "{alone:?}");
    assert!(alone.stderr.contains("the model asked something that nobody answered"), "{}", alone.stderr);
    let mut terminal = Terminal::start(project.command(&arguments));
    terminal.expect("nothing to skip: ").interrupt();
    assert_eq!(terminal.finish().0, 130);
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
    assert!(screen.contains("✗\u{1b}[0m bash sleep 600 — stopped"), "{screen}");
    // Once is enough.
    assert!(screen.contains("interrupted; `praxis run --continue` goes on"), "{screen}");
    assert!(!screen.contains("the user cancelled the run"), "{screen}");
    let call = super::stored(&project)["messages"][1]["parts"].clone();
    let call = call.as_array().unwrap().iter().find(|part| part["type"] == "tool").unwrap().clone();
    assert_ne!(call["state"]["status"], "running", "{call}");
}

#[test]
fn a_terminal_that_closes_stops_the_run_in_order() {
    let project =
        scripted("[{ say: [Begun.], gap_ms: 0, delay_ms: 0, call: { bash: { command: sleep 600 } } }]")
            .file("praxis.json", r#"{"permission":{"bash":"allow"}}"#)
            .variable("TERM", "xterm");
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "wait"]));
    terminal.expect("bash sleep 600").hang_up();
    assert_eq!(terminal.finish().0, 130);
    let stored = super::stored(&project);
    assert_eq!(stored["messages"][1]["info"]["error"]["name"], "MessageAbortedError", "{stored}");
    assert_eq!(stored["info"]["title"], "wait");
}

#[test]
fn a_second_interrupt_ends_the_program() {
    let project = scripted("[{ call: { bash: { command: sleep 600 } } }]")
        .file("praxis.json", r#"{"permission":{"bash":"allow"}}"#)
        .variable("TERM", "xterm");
    let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "wait"]));
    terminal.expect("bash sleep 600").interrupt().interrupt();
    assert_eq!(terminal.finish().0, 130);
}

#[test]
fn what_cannot_begin_leaves_no_spinner_behind() {
    let project = scripted("[Hello.]").variable("TERM", "xterm");
    let command = project.command(&["run", "--script", "script.yaml", "--command", "grete"]);
    let (code, screen) = Terminal::start(command).finish();
    assert_eq!(code, 2, "{screen}");
    assert!(
        screen.contains("\u{1b}[Kerror: there is no command `/grete`") || screen.starts_with("error: "),
        "{screen:?}"
    );
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
    let command = narrow(&project, &["run", "--auto", "--script", "script.yaml", "make it"]);
    let (code, screen) = Terminal::start(command).finish();
    assert_eq!(code, 0, "{screen}");
    let call = screen.lines().find(|line| line.starts_with('✓')).unwrap();
    assert_eq!(call.trim_end(), "✓ bash touch made-with-…", "{screen}");
}

#[test]
fn sentences_are_broken_between_words() {
    let project = asking();
    let mut terminal = Terminal::start(narrow(&project, &["run", "--script", "script.yaml", "make it"]));
    terminal.expect("instead: ").type_line("n");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 3, "{screen}");
    let screen = screen.replace('\r', "");
    assert!(screen.contains("  a  always in this\n     project, for\n     exactly this\n"), "{screen}");
    assert!(screen.contains("stopped: a permission\n  was rejected. Allow it\n"), "{screen}");
}

/// A command on a terminal of 24 columns, without colours.
fn narrow(project: &praxis_testkit::Project, arguments: &[&str]) -> Command {
    let typed = project.command(arguments);
    let mut narrow = Command::new("sh");
    narrow
        .args(["-c", "stty cols 24; exec \"$0\" \"$@\""])
        .arg(typed.get_program())
        .args(typed.get_args())
        .current_dir(project.directory())
        .env_clear()
        .envs(typed.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("NO_COLOR", "1");
    narrow
}
