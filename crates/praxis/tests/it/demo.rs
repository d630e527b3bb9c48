//! `praxis demo`.

use std::time::{Duration, Instant};

use praxis_testkit::{Project, Terminal};

use crate::project;

/// How long the demo may take, once built.
const PATIENCE: Duration = Duration::from_secs(5);

fn leaves_nothing_behind(project: &Project) {
    assert_eq!(std::fs::read_dir(project.home()).unwrap().count(), 0, "the home is as it was");
    assert_eq!(std::fs::read_dir(project.directory()).unwrap().count(), 0, "the folder is as it was");
}

#[test]
fn under_a_pipe_it_answers_for_itself_says_so_and_ends_with_the_change_and_the_passing_test() {
    let project = project();
    let began = Instant::now();
    let run = project.run(&["demo"]);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert_eq!((run.code, &*run.stderr), (0, ""), "{}", run.stdout);
    assert!(!run.stdout.contains('\x1b'), "{:?}", run.stdout);
    let (lines, place) = split(&run.stdout);
    assert!(!std::path::Path::new(place).exists(), "the sample has gone");
    insta::assert_snapshot!(lines, @r#"
    A script plays the model here. Everything else is real: the files, the tools, the rules and the question. There is no key and no network.
    The sample project is in [sample]

    > The test fails. Find out why, and fix it.

    I will run the test first, and keep a list of what there is to do.
    ✓ todowrite
      [>] See which check fails
      [ ] Find the cause
      [ ] Fix it and run the test again
    ✗ bash sh test.sh (exit code 1)
      ok    2023-2 has 28 days
      ok    2024-2 has 29 days
      FAIL  1900-2 has 28 days, not 29
      ok    2000-2 has 29 days
      ok    2024-4 has 30 days
      4 passed, 1 failed

    February 1900 gets a day too many, so 1900 is taken for a leap year. Where is that decided?
    ✓ grep ^is_leap
      Found 1 matches
      lib/year.sh:
        Line 2: is_leap() {
    ✓ read lib/year.sh
      # Is the year a leap year?
      is_leap() {
          [ $(($1 % 4)) -eq 0 ]
      }

    Only the rule of four is there. Before I change it I want to see another century go wrong. No rule of this project allows that command, so this is a question for you.
    ? Allow `bash` on: sh almanac.sh 2100 2
    Yes, once: nobody is at a terminal, so the demo answers for you. It does so in its own folder only.
    ✓ bash sh almanac.sh 2100 2
      29

    29 days in February 2100 as well. Centuries are leap years only where 400 divides them.
    ✓ edit lib/year.sh (+1 -1)

    Now the test again.
    ✓ bash sh test.sh
      ok    2023-2 has 28 days
      ok    2024-2 has 29 days
      ok    1900-2 has 28 days
      ok    2000-2 has 29 days
      ok    2024-4 has 30 days
      5 passed, 0 failed
    ✓ todowrite
      [x] See which check fails
      [x] Find the cause
      [x] Fix it and run the test again

    The test passes. `is_leap` in lib/year.sh knew the rule of four only; it knows the centuries now.

    The change
      --- lib/year.sh
      +++ lib/year.sh
      @@ -1,4 +1,4 @@
       # Is the year a leap year?
       is_leap() {
      -    [ $(($1 % 4)) -eq 0 ]
      +    [ $(($1 % 4)) -eq 0 ] && { [ $(($1 % 100)) -ne 0 ] || [ $(($1 % 400)) -eq 0 ]; }
       }

    The test
      ok    2023-2 has 28 days
      ok    2024-2 has 29 days
      ok    1900-2 has 28 days
      ok    2000-2 has 29 days
      ok    2024-4 has 30 days
      5 passed, 0 failed

    What to do next
      praxis auth login
        give Praxis a key of your provider
      praxis models
        see which models you can use with it
      praxis run 'what is in this project?'
        ask one, in a project of yours
    "#);
    leaves_nothing_behind(&project);
}

/// The text without the line that names the sample's folder, and that folder.
fn split(text: &str) -> (String, &str) {
    let prefix = "The sample project is in ";
    let place = text.lines().find_map(|line| line.strip_prefix(prefix)).unwrap();
    (text.replace(place, "[sample]"), place)
}

#[test]
fn on_a_terminal_it_asks_one_real_question() {
    let project = project().variable("TERM", "xterm");
    let mut terminal = Terminal::start(project.command(&["demo"]));
    terminal.expect("Allow `bash` on:").expect("sh almanac.sh 2100 2").expect("instead:").type_line("y");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(screen.matches("? Allow").count(), 1, "{screen}");
    assert!(screen.contains("\x1b[32m✓ bash sh test.sh"), "{screen}");
    assert!(screen.contains("5 passed, 0 failed"), "{screen}");
    leaves_nothing_behind(&project);
}

#[test]
fn no_color_is_respected_on_a_terminal() {
    let project = project().variable("TERM", "xterm").variable("NO_COLOR", "1");
    let mut terminal = Terminal::start(project.command(&["demo"]));
    terminal.expect("instead:").type_line("y");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && !screen.contains('\x1b'), "{screen:?}");
}

#[test]
fn a_no_stops_the_run_and_says_what_to_do() {
    for refusal in ["n", "look at the readme instead"] {
        let project = project();
        let mut terminal = Terminal::start(project.command(&["demo"]));
        terminal.expect("instead:").type_line(refusal);
        let (code, screen) = terminal.finish();
        assert_eq!(code, 3, "{screen}");
        for shown in ["You said no", "Nothing was changed", "answer y to see the test pass"] {
            assert!(screen.contains(shown), "{shown}\n{screen}");
        }
        assert!(!screen.contains("5 passed"), "{screen}");
        leaves_nothing_behind(&project);
    }
}

#[test]
fn ctrl_c_at_the_question_ends_it_and_clears_up() {
    let project = project().variable("NO_COLOR", "1");
    let mut terminal = Terminal::start(project.command(&["demo"]));
    terminal.expect("instead:").interrupt();
    let (code, screen) = terminal.finish();
    assert_eq!(code, 130, "{screen}");
    let place = split(&screen).1.trim_end().to_owned();
    assert!(!std::path::Path::new(&place).exists(), "the sample has gone");
}

/// Without `sh` the test cannot run, and the script does not say that it has.
#[test]
fn what_does_not_go_as_scripted_is_said() {
    let project = project().variable("PATH", "/nowhere");
    let run = project.run(&["demo"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("did not go as scripted"), "{}", run.stderr);
    assert!(run.stderr.contains("FAIL  1900-2 has 28 days, not 29"), "{}", run.stderr);
    assert!(!run.stdout.contains("What to do next"), "{}", run.stdout);
    leaves_nothing_behind(&project);
}
