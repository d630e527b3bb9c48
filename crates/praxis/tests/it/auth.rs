//! `praxis auth`.

use std::os::unix::fs::PermissionsExt;

use praxis_testkit::Terminal;
use serde_json::json;

use crate::project;

const FILE: &str = ".local/share/praxis/auth.json";

#[test]
fn a_key_from_a_pipe_is_stored_privately_listed_and_removed() {
    let project = project();
    let run = project.run_with_input(&["auth", "login", "openai", "--key-stdin"], "  sk-s3cret\n");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let path = project.home().join(FILE);
    assert!(
        run.stdout.starts_with(&format!("Stored the key of OpenAI in {}", path.display())),
        "{}",
        run.stdout
    );
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let stored: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((&stored["openai"]["type"], &stored["openai"]["key"]), (&json!("api"), &json!("sk-s3cret")));

    let listed = project.run(&["auth", "list", "--json"]).json();
    assert!(listed[0]["added"].as_u64().unwrap() > 1_700_000_000_000);
    assert_eq!((&listed[0]["provider"], &listed[0]["type"]), (&json!("openai"), &json!("api")));
    assert!(project.run(&["models"]).stdout.contains("openai (OpenAI): usable, by "));
    for arguments in [&["auth", "list"][..], &["auth", "list", "--json"], &["models"]] {
        assert!(!format!("{:?}", project.run(arguments)).contains("s3cret"), "{arguments:?}");
    }

    assert_eq!(project.run(&["auth", "logout", "openai"]).code, 0);
    assert_eq!(project.run(&["auth", "list", "--json"]).json(), json!([]));
    let again = project.run(&["auth", "logout", "openai"]);
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (1, "error: could not remove the key of `openai`: nothing is stored at all\n")
    );
}

#[test]
fn what_is_no_key_is_refused_and_not_repeated() {
    let project = project();
    for (provider, input, told) in [
        ("openai", "s3cret\nsecond", "the key has a line break after 6 characters"),
        ("openai", "\n", "the key is empty"),
        ("openai", "s3cret\u{0}", "the key has a character that no key has"),
        ("opnai", "s3cret", "did you mean `openai`?"),
        ("amazon-bedrock", "s3cret", "is not supported: it wants requests signed by AWS"),
    ] {
        let run = project.run_with_input(&["auth", "login", provider, "--key-stdin"], input);
        assert_eq!(run.code, 2, "{input:?}");
        assert!(run.stderr.contains(told) && !run.stderr.contains("s3cret"), "{}", run.stderr);
    }
    assert_eq!(std::fs::read_dir(project.home()).unwrap().count(), 0);
}

#[test]
fn without_a_terminal_it_says_how_to_pipe_a_key() {
    let run = project().run(&["auth", "login", "openai"]);
    assert!(run.code == 2 && run.stderr.contains("--key-stdin"), "{}", run.stderr);
    let run = project().run(&["auth", "login"]);
    assert!(run.code == 2 && run.stderr.contains("praxis auth login anthropic"), "{}", run.stderr);
}

#[test]
fn on_a_terminal_the_key_is_typed_unseen() {
    let project = project();
    let mut terminal = Terminal::start(project.command(&["auth", "login"]));
    terminal.expect("Provider, for example").type_line("groq");
    terminal.expect("Key of Groq (it is not shown): ").type_line("gsk-s3cret");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && screen.contains("Stored the key of Groq"), "{screen}");
    assert!(!screen.contains("s3cret"), "{screen}");
    assert!(std::fs::read_to_string(project.home().join(FILE)).unwrap().contains("gsk-s3cret"));
}

#[test]
fn leaving_at_the_question_stores_nothing() {
    let project = project();
    let mut terminal = Terminal::start(project.command(&["auth", "login", "groq"]));
    terminal.expect("not shown): ").type_line("gsk\u{3}");
    assert_eq!(terminal.finish().0, 130);
    assert!(!project.home().join(FILE).exists());
}

#[test]
fn what_opencode_stored_is_used_and_left_alone() {
    let theirs = r#"{"groq":{"type":"api","key":"s3cret"},"anthropic":{"type":"oauth","access":"a","refresh":"r","expires":1}}"#;
    let project = project().home_file(".local/share/opencode/auth.json", theirs);
    let path = project.home().join(".local/share/opencode/auth.json");
    let listed = project.run(&["auth", "list", "--json"]).json();
    assert_eq!(
        listed,
        json!([
            {"provider": "groq", "type": "api", "source": path, "added": null},
            {"provider": "anthropic", "type": "oauth", "source": path, "added": null},
        ])
    );
    let models = project.run(&["models"]).stdout;
    assert!(models.starts_with("groq (Groq): usable, by ") && !models.contains("anthropic ("), "{models}");
    let told = project.run(&["models", "anthropic"]).stdout;
    assert!(told.contains("is OAuth, which is not supported"), "{told}");
    let run = project.run(&["auth", "logout", "groq"]);
    assert!(run.code == 1 && run.stderr.contains("it is OpenCode's"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(path).unwrap(), theirs);
}

#[test]
fn a_damaged_file_is_named_and_its_content_is_not() {
    let project = project().home_file(FILE, r#"{"openai": "s3cret"#);
    for arguments in [&["auth", "list"][..], &["models"], &["auth", "logout", "openai"]] {
        let run = project.run(arguments);
        assert_eq!(run.code, 1, "{arguments:?}");
        assert!(
            run.stderr.contains("auth.json is damaged") && !run.stderr.contains("s3cret"),
            "{}",
            run.stderr
        );
    }
}
