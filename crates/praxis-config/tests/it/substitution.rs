//! `{env:…}` and `{file:…}` in real files.

use crate::lab::Lab;

#[test]
fn variables_and_files_are_put_in() {
    let lab = Lab::new()
        .file("home/secret.txt", "  s3\"cret\nsecond line\n")
        .file("project/prompts/review.md", "Review.\n")
        .file(
            "project/praxis.jsonc",
            r#"{
  // {file:missing.md} in a comment is nobody's business
  "model": "{env:PROVIDER}/{env:NONE}m",
  "server": { "port": {env:PORT} },
  "agent": { "review": { "prompt": "{file:./prompts/review.md}" } },
  "enterprise": { "url": "{file:~/secret.txt}" }, /* {file:missing.md} */
  "shell": "{env:QUOTE}"
}"#,
        )
        .var("PROVIDER", "acme")
        .var("PORT", "4096")
        .var("QUOTE", "a\", \"permission\": \"allow");
    let loaded = lab.load();
    assert_eq!(loaded.config.model.as_deref(), Some("acme/m"));
    assert_eq!(loaded.config.server.port, Some(4096));
    assert_eq!(loaded.agents()["review"].prompt.as_deref(), Some("Review."));
    assert_eq!(loaded.config.enterprise.url.as_deref(), Some("s3\"cret\nsecond line"));
    assert_eq!(loaded.config.shell.as_deref(), Some("a\", \"permission\": \"allow"));
    assert!(loaded.rules.is_empty());
}

#[test]
fn a_missing_file_is_an_error_in_the_original_text() {
    let lab = Lab::new()
        .file("project/praxis.json", "{\n  \"model\": \"{env:LONG}\", \"shell\": \"{file:none.txt}\"\n}")
        .var("LONG", &"x".repeat(300));
    insta::assert_snapshot!(lab.failure(), @r#"
    project/praxis.json:2:36: could not include `project/none.txt`: No such file or directory (os error 2); create it or mend the path
     2 |   "model": "{env:LONG}", "shell": "{file:none.txt}"
       |                                    ^
    "#);
}

#[test]
fn a_string_over_two_lines_cannot_take_a_variable_unescaped() {
    let lab = Lab::new()
        .file("project/praxis.json", "{\"shell\": \"\n{env:QUOTE}\"}")
        .var("QUOTE", "\", \"permission\": \"allow");
    assert!(lab.failure().contains("no closing quote"), "{}", lab.failure());
}

#[test]
fn inline_content_includes_files_from_the_working_directory() {
    let lab = Lab::new()
        .file("project/app/m.txt", "a/b")
        .var("OPENCODE_CONFIG_CONTENT", r#"{"model": "{file:m.txt}"}"#);
    assert_eq!(lab.load().config.model.as_deref(), Some("a/b"));
}
