//! `glob` and `grep`, on real trees.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

use praxis_proto::{Action, Report};
use praxis_tools::ToolError;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::lab::Lab;

/// The files a glob finds, relative to the project.
async fn names(lab: &Lab, arguments: Value) -> Vec<String> {
    let output = lab.output("glob", arguments).await;
    let root = lab.path("");
    output.lines().map(|line| line.strip_prefix(&root).unwrap_or(line).to_owned()).collect()
}

/// What grep says, with the project's path left out.
async fn lines(lab: &Lab, arguments: Value) -> String {
    lab.output("grep", arguments).await.replace(&lab.path(""), "")
}

fn metadata(report: Report) -> Value {
    Value::Object(report.metadata)
}

#[tokio::test]
async fn glob_finds_by_name_in_every_folder_and_sorts() {
    let lab = Lab::open().start();
    for name in ["src/b.ts", "src/a/z.ts", "a.ts", "b.txt"] {
        lab.file(name, "");
    }
    let report = lab.call("glob", json!({ "pattern": "*.ts" })).await.outcome.unwrap();
    assert_eq!(report.title, "");
    assert_eq!(
        report.output,
        format!("{}\n{}\n{}", lab.path("a.ts"), lab.path("src/a/z.ts"), lab.path("src/b.ts"))
    );
    assert_eq!(metadata(report), json!({ "count": 3, "truncated": false }));

    let below = lab.call("glob", json!({ "pattern": "*.ts", "path": "src" })).await.outcome.unwrap();
    assert_eq!(below.title, "src");
    assert_eq!(below.output, format!("{}\n{}", lab.path("src/a/z.ts"), lab.path("src/b.ts")));
    assert_eq!(names(&lab, json!({ "pattern": "src/*.ts" })).await, ["src/b.ts"]);
    assert_eq!(names(&lab, json!({ "pattern": "*.ts", "path": lab.path("src/a") })).await, ["src/a/z.ts"]);
    let nothing = lab.call("glob", json!({ "pattern": "*.py" })).await.outcome.unwrap();
    assert_eq!(nothing.output, "No files found");
    assert_eq!(metadata(nothing), json!({ "count": 0, "truncated": false }));
    assert_eq!(lab.asked()[..2], ["glob: *.ts", "glob: *.ts"]);
}

#[tokio::test]
async fn bad_requests_are_told_what_is_wrong() {
    let lab = Lab::open().start();
    lab.file("a.txt", "text");
    for path in ["a.txt".to_owned(), lab.path("a.txt")] {
        let told = lab.error("glob", json!({ "pattern": "*", "path": path })).await;
        assert_eq!(told, format!("glob path must be a directory: {}", lab.path("a.txt")));
    }
    for tool in ["glob", "grep"] {
        assert_eq!(lab.error(tool, json!({ "pattern": "" })).await, "pattern is required");
        let told = lab.error(tool, json!({ "pattern": "a", "path": "missing" })).await;
        assert!(told.starts_with(&format!("Path not found: {}.", lab.path("missing"))), "{told}");
    }
    assert!(lab.error("glob", json!({ "pattern": "a[" })).await.starts_with("`a[` is not a valid glob: "));
    let told = lab.error("grep", json!({ "pattern": "a", "include": "a[" })).await;
    assert!(told.starts_with("`a[` is not a valid glob: "), "{told}");
    let told = lab.error("grep", json!({ "pattern": "fn (" })).await;
    assert!(told.starts_with("The pattern is not a valid regular expression: "), "{told}");
    assert!(told.contains("unclosed group"), "{told}");
    let told = lab.error("grep", json!({ "pattern": "a(?!b)" })).await;
    assert!(told.contains("Look-ahead and look-behind are not supported"), "{told}");
}

#[tokio::test]
async fn a_hundred_results_are_all_and_one_more_is_too_many() {
    let lab = Lab::open().start();
    for n in 0..100 {
        lab.file(&format!("{n:03}.txt"), "needle\n");
    }
    for (tool, pattern, count) in [("glob", "*.txt", "count"), ("grep", "needle", "matches")] {
        let report = lab.call(tool, json!({ "pattern": pattern })).await.outcome.unwrap();
        assert!(!report.output.contains('('), "{}", report.output);
        assert_eq!(metadata(report), json!({ count: 100, "truncated": false }));
    }
    lab.file("sub/last.txt", "needle\n");

    let report = lab.call("glob", json!({ "pattern": "*.txt" })).await.outcome.unwrap();
    let note = "(Results are truncated: only the first 100 are shown. Use a more specific path or pattern.)";
    assert!(report.output.ends_with(&format!("{}\n\n{note}", lab.path("099.txt"))), "{}", report.output);
    assert_eq!(metadata(report), json!({ "count": 100, "truncated": true }));

    let report = lab.call("grep", json!({ "pattern": "needle" })).await.outcome.unwrap();
    assert!(report.output.starts_with("Found 100 matches (more matches available)\n"), "{}", report.output);
    let note = "(Results truncated. Consider using a more specific path or pattern.)";
    let end = format!("{}:\n  Line 1: needle\n\n{note}", lab.path("099.txt"));
    assert!(report.output.ends_with(&end) && !report.output.contains("showing"), "{}", report.output);
    assert_eq!(metadata(report), json!({ "matches": 100, "truncated": true }));

    assert_eq!(names(&lab, json!({ "pattern": "*.txt", "limit": 1 })).await[0], "000.txt");
    assert_eq!(names(&lab, json!({ "pattern": "*.txt", "limit": 101 })).await.len(), 101);
    let one = lines(&lab, json!({ "pattern": "needle", "limit": 1 })).await;
    assert_eq!(
        one,
        format!("Found 1 matches (more matches available)\n000.txt:\n  Line 1: needle\n\n{note}")
    );
}

#[tokio::test]
async fn grep_shows_blocks_of_lines_by_file() {
    let lab = Lab::open().start();
    lab.file("b.rs", "let x = 1;\n\nlet y = 2;\r\n");
    lab.file("a/c.rs", "let z = 3;");
    lab.file("a/c.txt", "let it be\n");
    let report = lab.call("grep", json!({ "pattern": "let", "include": "*.rs" })).await.outcome.unwrap();
    assert_eq!(report.title, "let");
    assert_eq!(
        report.output,
        format!(
            "Found 3 matches\n{}:\n  Line 1: let z = 3;\n\n{}:\n  Line 1: let x = 1;\n  Line 3: let y = 2;",
            lab.path("a/c.rs"),
            lab.path("b.rs")
        )
    );
    assert_eq!(metadata(report), json!({ "matches": 3, "truncated": false }));
    let nothing = lab.call("grep", json!({ "pattern": "LET" })).await.outcome.unwrap();
    assert_eq!(nothing.output, "No files found");
    assert_eq!(metadata(nothing), json!({ "matches": 0, "truncated": false }));
    assert_eq!(lab.asked(), ["grep: let", "grep: LET"]);
}

#[tokio::test]
async fn grep_in_a_file_searches_that_file_only_whatever_ignore_rules_say() {
    let lab = Lab::open().start();
    for name in ["test.txt", "other.txt", ".hidden/ignored.log"] {
        lab.file(name, "line1\nline2\nline3\n");
    }
    lab.file(".ignore", "*.log\n");
    for name in ["test.txt", ".hidden/ignored.log"] {
        let found = lines(&lab, json!({ "pattern": "line2", "path": name })).await;
        assert_eq!(found, format!("Found 1 matches\n{name}:\n  Line 2: line2"));
    }
}

#[tokio::test]
async fn a_linked_folder_is_asked_for_by_its_real_path_and_told_by_its_alias() {
    let outside = tempfile::tempdir().unwrap();
    let real = outside.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("sub")).unwrap();
    std::fs::write(real.join("sub/note.txt"), "far away\n").unwrap();
    let lab = Lab::open().start();
    symlink(&real, lab.project.path().join("alias")).unwrap();

    let file = lab.path("alias/sub/note.txt");
    let found = lab.output("grep", json!({ "pattern": "far", "path": "alias" })).await;
    assert_eq!(found, format!("Found 1 matches\n{file}:\n  Line 1: far away"));
    assert_eq!(lab.output("glob", json!({ "pattern": "*.txt", "path": "./alias/sub" })).await, file);
    assert_eq!(
        lab.asked(),
        [
            format!("external_directory: {}/*", real.display()),
            "grep: far".to_owned(),
            format!("external_directory: {}/sub/*", real.display()),
            "glob: *.txt".to_owned(),
        ]
    );
    // From the project itself the link is not followed.
    assert_eq!(lab.output("grep", json!({ "pattern": "far" })).await, "No files found");

    let closed = Lab::open().rule("external_directory", "*", Action::Deny).start();
    closed.error("grep", json!({ "pattern": "far", "path": real.display().to_string() })).await;
    assert_eq!(closed.asked().len(), 1, "a denied folder is not searched");
}

#[tokio::test]
async fn git_ignore_files_hold_in_repositories_and_the_others_everywhere() {
    let lab = Lab::open().start();
    lab.file(".gitignore", "*.log\n/target/\n");
    lab.file(".ignore", "by-ignore\n");
    lab.file(".rgignore", "by-rgignore\n");
    for name in ["a.log", "target/out.txt", "sub/target/in.txt", "by-ignore", "by-rgignore", "kept.txt"] {
        lab.file(name, "needle\n");
    }
    let all = ["a.log", "kept.txt", "sub/target/in.txt", "target/out.txt"];
    assert_eq!(names(&lab, json!({ "pattern": "**/*" })).await, all);
    std::fs::create_dir_all(lab.project.path().join(".git/info")).unwrap();
    lab.file(".git/info/exclude", "in.txt\n");
    lab.file(".git/config", "needle\n");
    assert_eq!(names(&lab, json!({ "pattern": "**/*" })).await, ["kept.txt"]);
    assert_eq!(
        lines(&lab, json!({ "pattern": "needle" })).await,
        "Found 1 matches\nkept.txt:\n  Line 1: needle"
    );
    // The rules of a folder above hold too.
    lab.file("sub/b.log", "needle\n");
    assert_eq!(names(&lab, json!({ "pattern": "*", "path": "sub" })).await, ["No files found"]);
}

#[tokio::test]
async fn a_glob_reaches_hidden_and_ignored_files_only_by_naming_them() {
    let lab = Lab::open().start();
    lab.file(".gitignore", "node_modules\n/dist/**\n.env*\n*.min.js\n");
    std::fs::create_dir(lab.project.path().join(".git")).unwrap();
    lab.file(".git/hooks/x.yml", "");
    for name in [
        ".github/workflows/ci.yml",
        ".env.local",
        "app/.env",
        "app/x.js",
        "app/x.min.js",
        "node_modules/foo/lib/index.js",
        "node_modules/bar/index.js",
        "dist/js/out.js",
    ] {
        lab.file(name, "needle");
    }
    for (pattern, found) in [
        ("**/*", &["app/x.js"][..]),
        ("*", &["app/x.js"]),
        ("*.js", &["app/x.js"]),
        ("**/*.js", &["app/x.js"]),
        ("**/*.yml", &["No files found"]),
        (".github/**/*.yml", &[".github/workflows/ci.yml"]),
        ("**/.github/**", &[".github/workflows/ci.yml"]),
        (".env*", &[".env.local", "app/.env"]),
        ("app/x.min.js", &["app/x.min.js"]),
        ("node_modules/foo/**", &["node_modules/foo/lib/index.js"]),
        ("node_modules/*/index.js", &["node_modules/bar/index.js"]),
        ("dist/js/*.js", &["dist/js/out.js"]),
        (".git/**", &["No files found"]),
        ("!*.js", &["No files found"]),
    ] {
        assert_eq!(names(&lab, json!({ "pattern": pattern })).await, found, "{pattern}");
    }
    // Content is searched in hidden files as well.
    let found = lines(&lab, json!({ "pattern": "needle" })).await;
    assert_eq!(
        found,
        "Found 2 matches\n.github/workflows/ci.yml:\n  Line 1: needle\n\napp/x.js:\n  Line 1: needle"
    );
    let found = lines(&lab, json!({ "pattern": "needle", "include": "node_modules/foo/**/*.js" })).await;
    assert_eq!(found, "Found 1 matches\nnode_modules/foo/lib/index.js:\n  Line 1: needle");
}

#[tokio::test]
async fn odd_lines_are_shown_as_well_as_they_can_be() {
    let lab = Lab::open().start();
    lab.file("latin.txt", b"caf\xe9 needle\n");
    lab.file("crlf.txt", "needle\r\nneedles\r\n");
    let utf16: Vec<u8> = "\u{feff}w\u{f6}rd needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    lab.file("utf16.txt", utf16);
    lab.file("binary.bin", b"\0needle\n");
    let found = lines(&lab, json!({ "pattern": "needle$" })).await;
    assert_eq!(
        found,
        "Found 3 matches\ncrlf.txt:\n  Line 1: needle\n\nlatin.txt:\n  Line 1: caf\u{fffd} needle\n\n\
         utf16.txt:\n  Line 1: w\u{f6}rd needle"
    );

    let long = format!("{}needle\n", "\u{fc}".repeat(5 << 20));
    lab.file("long.txt", format!("first\n{long}needle\n"));
    let found = lines(&lab, json!({ "pattern": "needle", "path": "long.txt" })).await;
    let cut = "\u{fc}".repeat(2_000);
    assert_eq!(found, format!("Found 2 matches\nlong.txt:\n  Line 2: {cut}...\n  Line 3: needle"));
}

#[tokio::test]
async fn long_lines_do_not_add_up_to_a_flood() {
    let lab = Lab::open().start();
    lab.file("min.js", format!("{}\n", "x".repeat(1_999)).repeat(100));
    let report = lab.call("grep", json!({ "pattern": "x" })).await.outcome.unwrap();
    assert!(report.output.starts_with("Found 25 matches (more matches available)\n"));
    assert!(report.output.len() < 52_000);
    assert_eq!(metadata(report), json!({ "matches": 25, "truncated": true }));
}

#[tokio::test]
async fn pipes_sockets_and_loops_are_passed_by() {
    let lab = Lab::open().start();
    let root = lab.project.path();
    lab.file("z/file.txt", "needle\n");
    assert!(Command::new("mkfifo").arg(root.join("pipe.txt")).status().unwrap().success());
    let _socket = UnixListener::bind(root.join("socket.txt")).unwrap();
    symlink(root, root.join("z/loop")).unwrap();
    symlink(root.join("z/file.txt"), root.join("link.txt")).unwrap();
    assert_eq!(
        lines(&lab, json!({ "pattern": "needle" })).await,
        "Found 1 matches\nz/file.txt:\n  Line 1: needle"
    );
    assert_eq!(names(&lab, json!({ "pattern": "*.txt" })).await, ["z/file.txt"]);
    let told = lab.error("grep", json!({ "pattern": "needle", "path": "pipe.txt" })).await;
    assert!(told.contains("not a regular file but a pipe"), "{told}");
}

#[tokio::test]
async fn what_may_not_be_read_is_not_searched_and_its_content_cannot_be_guessed() {
    let lab = Lab::open().rule("read", "*.env", Action::Ask).rule("read", "private/*", Action::Deny).start();
    lab.file(".env", "SECRET=hunter2\n");
    lab.file("sub/.env", "SECRET=hunter3\n");
    lab.file("private/key", "SECRET=hunter4\n");
    lab.file("main.rs", "env(\"SECRET\")\n");
    let note = "(2 files that need permission to read were not searched)";
    let found = lines(&lab, json!({ "pattern": "SECRET" })).await;
    assert_eq!(found, format!("Found 1 matches\nmain.rs:\n  Line 1: env(\"SECRET\")\n\n{note}"));
    // The same answer for a guess that is right and one that is wrong.
    for guess in ["hunter2", "hunter9"] {
        assert_eq!(lines(&lab, json!({ "pattern": guess })).await, format!("No files found\n\n{note}"));
    }
    let named = lines(&lab, json!({ "pattern": "SECRET", "path": ".env" })).await;
    assert_eq!(named, "No files found\n\n(1 file that needs permission to read was not searched)");
    assert_eq!(
        lab.output("grep", json!({ "pattern": "hunter4", "path": "private" })).await,
        "No files found"
    );
    // Names are no secret.
    assert_eq!(names(&lab, json!({ "pattern": ".env" })).await, [".env", "sub/.env"]);
}

#[tokio::test]
async fn a_cancelled_search_stops_within_a_large_file() {
    let lab = Lab::open().start();
    // A hole of a terabyte: nobody reads to its end.
    let file = std::fs::File::create(lab.project.path().join("large")).unwrap();
    file.set_len(1 << 40).unwrap();
    let cancel = CancellationToken::new();
    let offer = lab.registry.resolve(&lab.scene).await;
    let cx = lab.cx_cancelled_by(&cancel);
    let call = offer.call("grep", json!({ "pattern": "needle", "path": "large" }), &cx);
    let started = Instant::now();
    let stopper = async {
        tokio::task::spawn_blocking(|| {}).await.unwrap();
        cancel.cancel();
    };
    let (done, ()) = tokio::join!(call, stopper);
    assert!(matches!(done.outcome, Err(ToolError::Cancelled)));
    assert!(started.elapsed() < Duration::from_secs(1));
}
