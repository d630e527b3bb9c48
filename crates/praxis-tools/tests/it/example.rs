//! The example that newcomers start from.

use std::process::Command;

/// Cargo builds examples with the tests, into a folder beside theirs.
#[test]
fn the_example_does_what_it_says() {
    let tests = std::env::current_exe().unwrap();
    let example = tests.parent().unwrap().parent().unwrap().join("examples/note");
    let output = Command::new(&example).output().unwrap_or_else(|e| panic!("{}: {e}", example.display()));
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "decisions.md: 1 lines\n\
         refused: A permission rule prevents this call: edit is denied by built-in example `edit *.lock`\n\
         refused: The note tool was called with invalid arguments: Expected a string, got 7 at [\"file\"]; \
         Missing key at [\"line\"].\nPlease rewrite the input so that it satisfies the expected schema.\n"
    );
}
