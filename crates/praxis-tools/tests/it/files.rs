//! read, write and edit on real files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use praxis_proto::{Action, Event, Reply};
use praxis_tools::{AfterWrite, Boxed, Diagnostic, Files, Severity};
use serde_json::{Value, json};

use crate::lab::Lab;

fn edit(file: &str, old: &str, new: &str) -> Value {
    json!({ "filePath": file, "oldString": old, "newString": new })
}

fn read(lab: &Lab, name: &str) -> Vec<u8> {
    fs::read(lab.project.path().join(name)).unwrap()
}

#[tokio::test]
async fn edit_replaces_one_place_and_shows_the_difference() {
    let lab = Lab::open().start();
    lab.file("src/a.rs", "fn a() {}\nfn b() {}\n");
    let mut listener = lab.bus.subscribe();
    let report =
        lab.call("edit", edit("src/a.rs", "fn b() {}", "fn c() {}\nfn d() {}")).await.outcome.unwrap();
    assert_eq!(read(&lab, "src/a.rs"), b"fn a() {}\nfn c() {}\nfn d() {}\n");
    assert_eq!((report.title.as_str(), report.output.as_str()), ("src/a.rs", "Edit applied successfully."));
    let path = lab.path("src/a.rs");
    let diff = report.metadata["diff"].as_str().unwrap();
    for part in [
        format!("Index: {path}\n"),
        "=".repeat(67),
        format!("--- {path}"),
        "-fn b() {}\n+fn c() {}\n+fn d() {}".into(),
    ] {
        assert!(diff.contains(&part), "{part}\n---\n{diff}");
    }
    assert_eq!(
        report.metadata["filediff"],
        json!({ "file": path, "patch": diff, "additions": 2, "deletions": 1 })
    );
    assert_eq!(lab.asked(), ["edit: src/a.rs"]);
    assert_eq!(listener.try_recv(), Ok(Event::FileEdited { file: path }));
}

#[tokio::test]
async fn edit_creates_a_file_and_its_folders() {
    let lab = Lab::open().start();
    let report = lab.call("edit", edit("new/deep/a.txt", "", "hello\n")).await.outcome.unwrap();
    assert_eq!(read(&lab, "new/deep/a.txt"), b"hello\n");
    assert!(report.metadata["diff"].as_str().unwrap().contains("+hello"));
    let told = lab.error("edit", edit("new/deep/a.txt", "", "other")).await;
    assert!(told.contains("oldString cannot be empty"), "{told}");
    assert_eq!(read(&lab, "new/deep/a.txt"), b"hello\n");
}

#[tokio::test]
async fn edit_refuses_what_makes_no_sense() {
    let lab = Lab::open().start();
    lab.file("a.txt", "one\ntwo\none\n");
    lab.file("blob", "a\0b");
    fs::create_dir(lab.project.path().join("folder")).unwrap();
    for (arguments, told) in [
        (edit("", "a", "b"), "filePath is required"),
        (edit("a.txt", "one", "one"), "identical"),
        (edit("a.txt", "", ""), "identical"),
        (edit("none.txt", "a", "b"), "not found"),
        (edit("folder", "a", "b"), "directory"),
        (edit("a.txt", "three", "x"), "Could not find oldString"),
        (edit("a.txt", "one", "x"), "Found multiple matches for oldString"),
        (edit("blob", "a", "x"), "Cannot edit binary file"),
    ] {
        let error = lab.error("edit", arguments).await;
        assert!(error.contains(told), "{told}\n---\n{error}");
    }
    assert_eq!(read(&lab, "a.txt"), b"one\ntwo\none\n");
}

#[tokio::test]
async fn a_failing_edit_shows_the_nearest_lines_to_whoever_may_read_them() {
    let text = "fn first() {\n    let total = count + 1;\n    total\n}\n";
    let wrong = edit("a.rs", "    let total = counts + 1;\n    return total;\n", "x");
    let lab = Lab::open().start();
    lab.file("a.rs", text);
    let told = lab.error("edit", wrong.clone()).await;
    assert!(told.contains("2: ") && told.contains("let total = count + 1;"), "{told}");

    let secret = Lab::open().rule("read", "*", Action::Ask).start();
    secret.file("a.rs", text);
    let told = secret.error("edit", wrong.clone()).await;
    assert!(told.contains("Could not find oldString") && !told.contains("count + 1"), "{told}");

    let denied = Lab::open().rule("edit", "*.rs", Action::Deny).start();
    denied.file("a.rs", text);
    let told = denied.error("edit", wrong).await;
    assert!(told.contains("edit is denied by") && !told.contains("count"), "{told}");
}

#[tokio::test]
async fn every_occurrence_is_replaced_when_asked_and_dollars_are_plain() {
    let lab = Lab::open().start();
    lab.file("a.txt", "foo bar foo baz foo");
    let mut all = edit("a.txt", "foo", "$&$1$$");
    all["replaceAll"] = json!(true);
    lab.output("edit", all).await;
    assert_eq!(read(&lab, "a.txt"), b"$&$1$$ bar $&$1$$ baz $&$1$$");
}

#[tokio::test]
async fn line_endings_and_byte_order_marks_stay() {
    let lab = Lab::open().start();
    for (before, old, new, after) in [
        (&b"a\r\nb\r\nc\r\n"[..], "b", "x\ny", &b"a\r\nx\r\ny\r\nc\r\n"[..]),
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "x\n", b"x\r\nc\r\n"),
        (b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n"),
        (b"a\rb\rc", "b", "x\ny", b"a\rx\ry\rc"),
        (b"a\r\nb\nc\r\n", "b", "x\ny", b"a\r\nx\ny\nc\r\n"),
        (b"\xef\xbb\xbffirst\nsecond", "first", "1st", b"\xef\xbb\xbf1st\nsecond"),
    ] {
        lab.file("a.txt", before);
        lab.output("write", json!({ "filePath": "b.txt", "content": "" })).await;
        lab.output("read", json!({ "filePath": "a.txt" })).await;
        let report = lab.call("edit", edit("a.txt", old, new)).await.outcome.unwrap();
        assert_eq!(read(&lab, "a.txt"), after, "{:?}", String::from_utf8_lossy(before));
        assert!(!report.metadata["diff"].as_str().unwrap().contains('\u{feff}'));
    }
}

#[tokio::test]
async fn two_edits_of_one_file_at_once_both_survive() {
    let lab = Lab::open().start();
    let text: String = (0..200).map(|n| format!("line {n:03}\n")).collect();
    lab.file("a.txt", &text);
    let offer = lab.registry.resolve(&lab.scene).await;
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..200 {
        let (offer, cx) = (offer.clone(), lab.cx("ses_test"));
        let change = edit("a.txt", &format!("line {n:03}\n"), &format!("LINE {n:03}\n"));
        calls.spawn(async move { offer.call("edit", change, &cx).await.outcome.map(|_| ()) });
    }
    while let Some(done) = calls.join_next().await {
        done.unwrap().unwrap();
    }
    assert_eq!(String::from_utf8(read(&lab, "a.txt")).unwrap(), text.to_uppercase());
}

#[tokio::test]
async fn a_file_changed_behind_the_sessions_back_is_not_overwritten() {
    let lab = Lab::open().everything().start();
    lab.file("a.txt", "one\ntwo\nthree\n");
    lab.output("read", json!({ "filePath": "a.txt" })).await;
    lab.file("a.txt", "one\n2\nthree\n");
    for (tool, arguments) in [
        ("edit", edit("a.txt", "three", "3")),
        ("write", json!({ "filePath": "a.txt", "content": "mine" })),
        (
            "apply_patch",
            json!({ "patchText": "*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+3\n*** End Patch" }),
        ),
    ] {
        let told = lab.error(tool, arguments).await;
        assert!(
            told.contains("has been changed since it was last read") && told.contains("-two\n+2"),
            "{tool}: {told}"
        );
    }
    assert_eq!(read(&lab, "a.txt"), b"one\n2\nthree\n");
    lab.output("read", json!({ "filePath": "a.txt" })).await;
    lab.output("edit", edit("a.txt", "three", "3")).await;
    lab.output("edit", edit("a.txt", "one", "1")).await;
    assert_eq!(read(&lab, "a.txt"), b"1\n2\n3\n");
}

#[tokio::test]
async fn a_change_between_the_question_and_the_answer_wins_over_the_edit() {
    let lab = Lab::open().rule("edit", "*", Action::Ask).start();
    lab.file("a.txt", "one\n");
    let mut listener = lab.bus.subscribe();
    let (done, ()) = tokio::join!(lab.call("edit", edit("a.txt", "one", "two")), async {
        let Event::PermissionAsked(request) = listener.recv().await.unwrap() else { panic!() };
        assert!(request.metadata["diff"].as_str().unwrap().contains("-one\n+two"));
        lab.file("a.txt", "somebody else\n");
        lab.permissions.reply(&request.id, Reply::Once).unwrap();
    });
    let told = done.outcome.unwrap_err().to_string();
    assert!(told.contains("File changed after permission approval"), "{told}");
    assert_eq!(read(&lab, "a.txt"), b"somebody else\n");
}

#[tokio::test]
async fn a_rejected_write_leaves_the_file() {
    let lab = Lab::open().rule("edit", "*", Action::Ask).unattended().start();
    lab.file("a.txt", "old");
    lab.error("write", json!({ "filePath": "a.txt", "content": "new" })).await;
    lab.error("edit", edit("a.txt", "old", "new")).await;
    assert_eq!(read(&lab, "a.txt"), b"old");
}

#[tokio::test]
async fn write_makes_files_whole() {
    let lab = Lab::open().start();
    let write = |content: &str| json!({ "filePath": "x/y.txt", "content": content });
    let report = lab.call("write", write("a\r\n\0")).await.outcome.unwrap();
    assert_eq!((report.title.as_str(), report.output.as_str()), ("x/y.txt", "Wrote file successfully."));
    assert_eq!(
        (&report.metadata["exists"], &report.metadata["filepath"]),
        (&json!(false), &json!(lab.path("x/y.txt")))
    );
    assert_eq!(read(&lab, "x/y.txt"), b"a\r\n\0");
    let file = lab.project.path().join("x/y.txt");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);

    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let report = lab.call("write", write("")).await.outcome.unwrap();
    assert_eq!(report.metadata["exists"], true);
    assert_eq!(read(&lab, "x/y.txt"), b"");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(lab.asked(), ["edit: x/y.txt", "edit: x/y.txt"]);
    assert!(lab.error("write", json!({ "filePath": "x", "content": "" })).await.contains("directory"));
}

#[tokio::test]
async fn write_keeps_a_byte_order_mark_and_an_encoding() {
    let lab = Lab::open().start();
    lab.file("bom.txt", b"\xef\xbb\xbfold");
    lab.output("write", json!({ "filePath": "bom.txt", "content": "new" })).await;
    assert_eq!(read(&lab, "bom.txt"), b"\xef\xbb\xbfnew");
    lab.output("write", json!({ "filePath": "bom.txt", "content": "\u{feff}again" })).await;
    assert_eq!(read(&lab, "bom.txt"), b"\xef\xbb\xbfagain");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("old".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    lab.file("wide.txt", &wide);
    lab.output("write", json!({ "filePath": "wide.txt", "content": "né" })).await;
    let expected: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("né".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(read(&lab, "wide.txt"), expected);
}

#[tokio::test]
async fn writing_outside_asks_for_the_real_folder_also_through_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let real = outside.path().canonicalize().unwrap();
    let lab = Lab::open().rule("external_directory", "*", Action::Deny).start();
    symlink(&real, lab.project.path().join("link")).unwrap();
    symlink(real.join("not-yet"), lab.project.path().join("dangling")).unwrap();
    for file in ["link/a.txt", "dangling", "../x.txt"] {
        let told = lab.error("write", json!({ "filePath": file, "content": "x" })).await;
        assert!(told.contains("external_directory is denied"), "{told}");
    }
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
    assert_eq!(lab.asked()[0], format!("external_directory: {}/*", real.display()));
}

/// A project with a formatter that shouts and a checker that complains.
#[derive(Default)]
struct Tidy(Mutex<Vec<String>>);

impl AfterWrite for Tidy {
    fn format<'a>(&'a self, path: &'a Path) -> Boxed<'a, bool> {
        Box::pin(async move {
            let text = fs::read_to_string(path).unwrap().trim_start_matches('\u{feff}').to_uppercase();
            fs::write(path, text).unwrap();
            true
        })
    }

    fn check<'a>(&'a self, path: &'a Path) -> Boxed<'a, Vec<(std::path::PathBuf, Vec<Diagnostic>)>> {
        self.0.lock().unwrap().push(path.display().to_string());
        let wrong = |message: &str| {
            vec![Diagnostic { severity: Severity::Error, line: 1, column: 2, message: message.to_owned() }]
        };
        let found = vec![(path.to_owned(), wrong("here")), (path.with_file_name("other.rs"), wrong("there"))];
        Box::pin(async move { found })
    }
}

#[tokio::test]
async fn formatters_and_checkers_have_their_say_after_a_write() {
    let lab = Lab::open().files(Files::new(Arc::new(Tidy::default()))).start();
    lab.file("a.rs", b"\xef\xbb\xbfone\n");
    let report = lab.call("edit", edit("a.rs", "one", "two")).await.outcome.unwrap();
    assert_eq!(read(&lab, "a.rs"), b"\xef\xbb\xbfTWO\n", "the mark is put back");
    assert!(report.metadata["diff"].as_str().unwrap().contains("+TWO"));
    let path = lab.path("a.rs");
    assert_eq!(
        report.output,
        format!(
            "Edit applied successfully.\n\nLSP errors detected in this file, please fix:\n\
             <diagnostics file=\"{path}\">\nERROR [1:2] here\n</diagnostics>"
        )
    );
    lab.output("edit", edit("a.rs", "TWO", "three")).await;
    let output = lab.output("write", json!({ "filePath": "b.rs", "content": "x" })).await;
    assert!(output.contains("LSP errors detected in other files:\n<diagnostics file="), "{output}");
}

/// A formatter that never ends.
struct Hangs;

impl AfterWrite for Hangs {
    fn check<'a>(&'a self, _: &'a Path) -> Boxed<'a, Vec<(std::path::PathBuf, Vec<Diagnostic>)>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_checker_that_hangs_is_left_behind() {
    let lab = Lab::open().files(Files::new(Arc::new(Hangs))).start();
    lab.file("a.txt", "one");
    let begun = tokio::time::Instant::now();
    assert_eq!(lab.output("edit", edit("a.txt", "one", "two")).await, "Edit applied successfully.");
    assert!(begun.elapsed() <= Duration::from_secs(6));
}

#[tokio::test]
async fn a_folder_is_listed_in_pages() {
    let lab = Lab::open().start();
    for name in ["d/b.txt", "d/a.txt", "d/sub/x"] {
        lab.file(name, "");
    }
    symlink(lab.project.path().join("d/sub"), lab.project.path().join("d/link")).unwrap();
    let report = lab.call("read", json!({ "filePath": "d" })).await.outcome.unwrap();
    let path = lab.path("d");
    assert_eq!(
        report.output,
        format!(
            "<path>{path}</path>\n<type>directory</type>\n<entries>\na.txt\nb.txt\nlink/\nsub/\n\n(4 entries)\n</entries>"
        )
    );
    assert_eq!(
        report.metadata["display"],
        json!({
            "type": "directory", "path": path, "entries": ["a.txt", "b.txt", "link/", "sub/"],
            "offset": 1, "totalEntries": 4, "truncated": false,
        })
    );
    let page = lab.output("read", json!({ "filePath": "d", "offset": 2, "limit": 2 })).await;
    assert!(
        page.contains(
            "b.txt\nlink/\n\n(Showing 2 of 4 entries. Use 'offset' parameter to read beyond entry 3)"
        ),
        "{page}"
    );
    assert!(lab.error("read", json!({ "filePath": "d", "offset": 9 })).await.contains("out of range"));
}

#[tokio::test]
async fn pictures_and_documents_are_known_by_their_content() {
    let lab = Lab::open().start();
    let mut png = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(3, 2).write_to(&mut png, image::ImageFormat::Png).unwrap();
    lab.file("picture.bin", png.get_ref());
    lab.file("paper.txt", "%PDF-1.4 …");
    lab.file("fake.png", "just text");
    let report = lab.call("read", json!({ "filePath": "picture.bin" })).await.outcome.unwrap();
    assert_eq!(report.output, "Image read successfully");
    assert_eq!(
        (report.attachments[0].mime.as_str(), report.metadata["truncated"].clone()),
        ("image/png", json!(false))
    );
    assert!(report.attachments[0].url.starts_with("data:image/png;base64,iVBOR"));
    let report = lab.call("read", json!({ "filePath": "paper.txt" })).await.outcome.unwrap();
    assert_eq!(
        (report.output.as_str(), report.attachments[0].mime.as_str()),
        ("PDF read successfully", "application/pdf")
    );
    assert!(lab.output("read", json!({ "filePath": "fake.png" })).await.contains("1: just text"));
    lab.file("broken.png", b"\x89PNG\r\n\x1a\nbroken");
    let report = lab.call("read", json!({ "filePath": "broken.png" })).await.outcome.unwrap();
    assert!(
        report.output.contains("[1 image(s) omitted: it cannot be decoded") && report.attachments.is_empty()
    );
}

#[tokio::test]
async fn instruction_files_on_the_way_are_told_once() {
    let lab = Lab::open().start();
    lab.file("AGENTS.md", "root");
    lab.file("a/AGENTS.md", "outer rules");
    lab.file("a/b/AGENTS.md", "inner rules");
    lab.file("a/b/c.txt", "content");
    lab.file("node_modules/x/AGENTS.md", "obey me");
    lab.file("node_modules/x/y.txt", "content");
    let report = lab.call("read", json!({ "filePath": "a/b/c.txt" })).await.outcome.unwrap();
    let (inner, outer) = (lab.path("a/b/AGENTS.md"), lab.path("a/AGENTS.md"));
    assert!(
        report.output.ends_with(&format!(
            "</content>\n\n<system-reminder>\nInstructions from: {inner}\ninner rules\n\nInstructions from: {outer}\nouter rules\n</system-reminder>"
        )),
        "{}",
        report.output
    );
    assert_eq!(report.metadata["loaded"], json!([inner, outer]));
    assert!(!lab.output("read", json!({ "filePath": "a/b/c.txt" })).await.contains("rules"));
    assert!(!lab.output("read", json!({ "filePath": "node_modules/x/y.txt" })).await.contains("obey"));
    let other = lab.registry.resolve(&lab.scene).await;
    let again = other.call("read", json!({ "filePath": "a/b/c.txt" }), &lab.cx("ses_other")).await;
    assert!(again.outcome.unwrap().output.contains("inner rules"));
}

#[tokio::test]
async fn large_and_endless_files_are_bounded() {
    let lab = Lab::open().start();
    lab.file("big.log", "some line of text\n".repeat(300_000));
    let page = lab.output("read", json!({ "filePath": "big.log" })).await;
    assert!(
        page.contains("Showing lines 1-2000 of 300000. Use offset=2001"),
        "{}",
        &page[page.len() - 200..]
    );
    let page = lab.output("read", json!({ "filePath": "big.log", "offset": 299_999 })).await;
    assert!(page.contains("300000: some line of text") && page.contains("End of file - total 300000 lines"));
    let sparse = fs::File::create(lab.project.path().join("huge")).unwrap();
    sparse.set_len(5 << 30).unwrap();
    assert!(lab.error("read", json!({ "filePath": "huge" })).await.contains("Cannot read binary file"));
    assert!(lab.error("edit", edit("huge", "a", "b")).await.contains("files over 64 MiB are not edited"));
    assert!(lab.output("read", json!({ "filePath": "/proc/self/status" })).await.contains("Name:"));
    let pipe = lab.project.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(lab.error("read", json!({ "filePath": "pipe" })).await.contains("not a regular file but a pipe"));
    assert!(
        lab.error("write", json!({ "filePath": "pipe", "content": "x" }))
            .await
            .contains("not a regular file")
    );
}

#[tokio::test]
async fn odd_names_are_only_names() {
    let lab = Lab::open().start();
    for name in ["with\nnewline", "-rf", "spaced name", "ünï", "*"] {
        lab.output("write", json!({ "filePath": name, "content": "one" })).await;
        lab.output("edit", edit(name, "one", "two")).await;
        assert_eq!(read(&lab, name), b"two", "{name:?}");
    }
    use std::os::unix::ffi::OsStrExt;
    let bad = lab.project.path().join(std::ffi::OsStr::from_bytes(b"bad\xff.txt"));
    fs::write(&bad, "x").unwrap();
    assert!(lab.output("read", json!({ "filePath": "." })).await.contains("bad\u{fffd}.txt"));
}
