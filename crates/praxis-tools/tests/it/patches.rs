//! apply_patch on real files.

use std::fs;
use std::os::unix::fs::symlink;

use praxis_proto::{Action, Event, FileEvent};
use serde_json::{Value, json};

use crate::lab::Lab;

fn patch(body: &str) -> Value {
    json!({ "patchText": format!("*** Begin Patch\n{body}\n*** End Patch") })
}

fn read(lab: &Lab, name: &str) -> String {
    fs::read_to_string(lab.project.path().join(name)).unwrap()
}

#[tokio::test]
async fn one_patch_adds_updates_moves_and_deletes_with_one_question() {
    let lab = Lab::open().everything().start();
    lab.file("old.txt", "one\ntwo\n");
    lab.file("gone.txt", "a\nb\n");
    lab.file("from.txt", "x\ny\n");
    let mut listener = lab.bus.subscribe();
    let report = lab
        .call(
            "apply_patch",
            patch(
                "*** Add File: new/a.txt\n+hello\n*** Update File: old.txt\n@@\n one\n-two\n+2\n\
                 *** Delete File: gone.txt\n*** Update File: from.txt\n*** Move to: to/there.txt\n@@\n-x\n+X\n y",
            ),
        )
        .await
        .outcome
        .unwrap();
    assert_eq!(
        (read(&lab, "new/a.txt"), read(&lab, "old.txt"), read(&lab, "to/there.txt")),
        ("hello\n".into(), "one\n2\n".into(), "X\ny\n".into())
    );
    assert!(!lab.project.path().join("gone.txt").exists() && !lab.project.path().join("from.txt").exists());
    assert_eq!(
        report.output,
        "Success. Updated the following files:\nA new/a.txt\nM old.txt\nD gone.txt\nM to/there.txt"
    );
    assert_eq!(lab.asked(), ["edit: new/a.txt, old.txt, gone.txt, from.txt, to/there.txt"]);
    let files = report.metadata["files"].as_array().unwrap();
    let told: Vec<_> = files
        .iter()
        .map(|f| {
            (
                f["type"].as_str().unwrap(),
                f["relativePath"].as_str().unwrap(),
                f["additions"].as_u64().unwrap(),
                f["deletions"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("add", "new/a.txt", 1, 0),
            ("update", "old.txt", 1, 1),
            ("delete", "gone.txt", 0, 3),
            ("move", "to/there.txt", 1, 1)
        ]
    );
    assert_eq!(
        (&files[3]["filePath"], &files[3]["movePath"]),
        (&json!(lab.path("from.txt")), &json!(lab.path("to/there.txt")))
    );
    let mut events = Vec::new();
    while let Ok(event) = listener.try_recv() {
        if let Event::FileWatcherUpdated { file, event } = event {
            events.push((file.rsplit('/').next().unwrap().to_owned(), event));
        }
    }
    assert_eq!(
        events,
        [
            ("a.txt".into(), FileEvent::Add),
            ("old.txt".into(), FileEvent::Change),
            ("gone.txt".into(), FileEvent::Unlink),
            ("from.txt".into(), FileEvent::Unlink),
            ("there.txt".into(), FileEvent::Add),
        ]
    );
}

#[tokio::test]
async fn nothing_is_written_unless_everything_fits() {
    let lab = Lab::open().everything().start();
    lab.file("a.txt", "one\n");
    fs::create_dir(lab.project.path().join("folder")).unwrap();
    for (body, told) in [
        (
            "*** Add File: new.txt\n+x\n*** Update File: a.txt\n@@\n-nothing like it\n+y",
            "Failed to find expected lines in",
        ),
        ("*** Add File: new.txt\n+x\n*** Update File: none.txt\n@@\n-a\n+b", "Failed to read file to update"),
        ("*** Add File: new.txt\n+x\n*** Delete File: none.txt", "Failed to read file to delete"),
        ("*** Add File: new.txt\n+x\n*** Delete File: folder", "directory"),
        (
            "*** Add File: new.txt\n+x\n*** Update File: a.txt\n@@ fn missing\n-one\n+two",
            "Failed to find context 'fn missing'",
        ),
        ("*** Add File: new.txt\n+x\n*** Frobnicate File: a.txt", "apply_patch verification failed"),
    ] {
        let error = lab.error("apply_patch", patch(body)).await;
        assert!(
            error.starts_with("apply_patch verification failed: ") && error.contains(told),
            "{told}\n---\n{error}"
        );
        assert!(!lab.project.path().join("new.txt").exists());
        assert_eq!(read(&lab, "a.txt"), "one\n");
    }
    assert!(lab.asked().is_empty());
}

#[tokio::test]
async fn empty_patches_are_told_apart() {
    let lab = Lab::open().everything().start();
    assert_eq!(lab.error("apply_patch", json!({ "patchText": "" })).await, "patchText is required");
    assert_eq!(
        lab.error("apply_patch", json!({ "patchText": "*** Begin Patch\n*** End Patch" })).await,
        "patch rejected: empty patch"
    );
    assert!(
        lab.error("apply_patch", json!({ "patchText": "nonsense" }))
            .await
            .contains("missing Begin/End markers")
    );
}

#[tokio::test]
async fn several_sections_on_one_file_build_on_each_other() {
    let lab = Lab::open().everything().start();
    lab.file("a.txt", "one\ntwo\nthree\n");
    lab.output(
        "apply_patch",
        patch("*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: a.txt\n@@\n 1\n two\n-three\n+3"),
    )
    .await;
    assert_eq!(read(&lab, "a.txt"), "1\ntwo\n3\n");
}

#[tokio::test]
async fn a_rule_about_where_a_move_goes_holds() {
    let lab = Lab::open().everything().rule("edit", "protected/*", Action::Deny).start();
    lab.file("a.txt", "one\n");
    let error = lab
        .error("apply_patch", patch("*** Update File: a.txt\n*** Move to: protected/a.txt\n@@\n-one\n+two"))
        .await;
    assert!(error.contains("edit is denied by"), "{error}");
    assert_eq!(read(&lab, "a.txt"), "one\n");
}

#[tokio::test]
async fn outside_folders_are_asked_for_once_each_and_first() {
    let outside = tempfile::tempdir().unwrap();
    let real = outside.path().canonicalize().unwrap();
    let lab = Lab::open().everything().start();
    symlink(&real, lab.project.path().join("link")).unwrap();
    lab.output(
        "apply_patch",
        patch("*** Add File: link/a.txt\n+a\n*** Add File: link/b.txt\n+b\n*** Add File: c.txt\n+c"),
    )
    .await;
    let asked = lab.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0], format!("external_directory: {}/*", real.display()));
    assert_eq!(fs::read_to_string(real.join("b.txt")).unwrap(), "b\n");
}

#[tokio::test]
async fn a_write_that_fails_half_way_is_undone() {
    let lab = Lab::open().everything().start();
    lab.file("a.txt", "one\n");
    lab.file("blocker", "a file, not a folder");
    let error = lab
        .error("apply_patch", patch("*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: new.txt\n+x\n*** Add File: blocker/b.txt\n+y"))
        .await;
    assert!(error.contains("no file was changed"), "{error}");
    assert_eq!(read(&lab, "a.txt"), "one\n");
    assert!(!lab.project.path().join("new.txt").exists());
}

#[tokio::test]
async fn endings_and_marks_of_the_file_stay() {
    let lab = Lab::open().everything().start();
    lab.file("a.txt", "\u{feff}one\r\ntwo\r\nthree\r\n");
    let report = lab
        .call("apply_patch", patch("*** Update File: a.txt\n@@\n one\n-two\n+2\n+2b\n three"))
        .await
        .outcome
        .unwrap();
    assert_eq!(read(&lab, "a.txt"), "\u{feff}one\r\n2\r\n2b\r\nthree\r\n");
    assert_eq!(report.metadata["files"][0]["additions"], 2);
    assert!(!report.metadata["diff"].as_str().unwrap().contains("-\u{feff}one"));
}

#[tokio::test]
async fn ten_thousand_changes_in_one_call() {
    let lab = Lab::open().everything().start();
    let text: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    lab.file("a.txt", &text);
    let chunks: String = (0..20_000).step_by(2).map(|n| format!("@@\n-line {n}\n+LINE {n}\n")).collect();
    lab.output("apply_patch", patch(&format!("*** Update File: a.txt\n{}", chunks.trim_end()))).await;
    let expected: String =
        (0..20_000).map(|n| if n % 2 == 0 { format!("LINE {n}\n") } else { format!("line {n}\n") }).collect();
    assert_eq!(read(&lab, "a.txt"), expected);
}
