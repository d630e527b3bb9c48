//! Both searches where a tool cannot look: cancelling, time, and the same answer every time.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc;
use std::time::Instant;

use super::*;

fn everything(_: &Path) -> Access {
    Access::Open
}

#[test]
fn a_search_ends_soon_after_it_is_cancelled_also_within_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    // A hole of a terabyte: without looking at the token it would take minutes.
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let scope = Scope::new(path, Hidden::Include);
    let (about_to_read, wait) = mpsc::channel();
    let token = scope.cancel.clone();
    let canceller = std::thread::spawn(move || {
        wait.recv().unwrap();
        token.cancel();
        Instant::now()
    });
    let access = |_: &Path| {
        about_to_read.send(()).unwrap();
        Access::Open
    };
    let found = grep(&scope, &Grep { pattern: "x", line_chars: LINE_CHARS, access: &access }).unwrap();
    let late = canceller.join().unwrap().elapsed();
    assert_eq!((found.ending, found.files), (Ending::Cancelled, vec![]));
    assert!(late < Duration::from_millis(100), "it took {late:?} to notice");
}

#[test]
fn a_search_without_time_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "x").unwrap();
    let scope = Scope { budget: Duration::ZERO, ..Scope::new(folder.path(), Hidden::Skip) };
    let listed = list(&scope).unwrap();
    assert_eq!(listed, Listing { paths: vec![], more: false, ending: Ending::OutOfTime });
    let found = grep(&scope, &Grep { pattern: "x", line_chars: LINE_CHARS, access: &everything }).unwrap();
    assert_eq!((found.files, found.ending), (vec![], Ending::OutOfTime));
}

#[test]
fn the_same_tree_gives_the_same_answer_every_time() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..300 {
        let parent = folder.path().join(format!("{}", n % 7));
        std::fs::create_dir_all(&parent).unwrap();
        std::fs::write(parent.join(format!("{n}.txt")), "x\n".repeat(n % 3)).unwrap();
    }
    let whole = Scope { limit: 1_000, ..Scope::new(folder.path(), Hidden::Skip) };
    let some = Scope { limit: 17, ..whole.clone() };
    let request = Grep { pattern: "x", line_chars: LINE_CHARS, access: &everything };
    let (all_paths, all_lines) = (list(&whole).unwrap(), grep(&whole, &request).unwrap());
    assert_eq!((all_paths.paths.len(), all_paths.more), (300, false));
    assert!(all_paths.paths.is_sorted_by_key(|path| path.as_os_str()));
    let flat = |found: Matches| -> Vec<_> {
        let files = found.files.into_iter();
        files.flat_map(|file| file.lines.into_iter().map(move |line| (file.path.clone(), line))).collect()
    };
    let all_lines = flat(all_lines);
    assert_eq!(all_lines.len(), 300);
    for _ in 0..20 {
        let listed = list(&some).unwrap();
        assert_eq!((&listed.paths[..], listed.more), (&all_paths.paths[..17], true));
        let found = grep(&some, &request).unwrap();
        assert!(found.more);
        assert_eq!(flat(found), all_lines[..17]);
    }
}

#[test]
fn a_line_too_long_to_hold_ends_the_search_of_its_file_only() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("x\n{}\nx\n", "y".repeat(33 << 20));
    std::fs::write(folder.path().join("a"), long).unwrap();
    std::fs::write(folder.path().join("b"), "x\n").unwrap();
    let scope = Scope::new(folder.path(), Hidden::Skip);
    let found = grep(&scope, &Grep { pattern: "x", line_chars: LINE_CHARS, access: &everything }).unwrap();
    let line = Line { number: 1, text: "x".into() };
    let file = |name: &str| FileLines { path: folder.path().join(name), lines: vec![line.clone()] };
    assert_eq!(
        found,
        Matches {
            files: vec![file("a"), file("b")],
            more: false,
            ending: Ending::Complete,
            withheld: 0,
            unread: 1
        }
    );
}

#[test]
fn a_large_file_searched_in_parts_numbers_its_lines_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    let text: String = (1..=300_000_u32)
        .map(|n| match n {
            _ if n % 50_000 == 0 => format!("needle {n:<6} {}\n", "x".repeat(40)),
            _ => format!("line {n} {}\0{}\r\n", "x".repeat(20), "y".repeat(20)),
        })
        .collect();
    std::fs::write(&path, &text).unwrap();
    assert!(text.len() > 8 << 20);
    let search = |limit: usize| {
        let scope = Scope { limit, ..Scope::new(&path, Hidden::Include) };
        let found = grep(&scope, &Grep { pattern: "needle", line_chars: 20, access: &everything }).unwrap();
        let lines: Vec<_> = found.files[0]
            .lines
            .iter()
            .map(|line| (line.number, line.text[..12].trim().to_owned()))
            .collect();
        (lines, found.more)
    };
    // A NUL ends a line in a file that is asked for by name, so nearly every line counts twice.
    let expected: Vec<(u64, String)> = (1..=6)
        .map(|nth| {
            (
                nth * 50_000 * 2 - nth,
                format!("needle {:<6}", nth * 50_000).trim()[..]
                    .chars()
                    .take(12)
                    .collect::<String>()
                    .trim()
                    .to_owned(),
            )
        })
        .collect();
    let (lines, more) = search(100);
    assert_eq!((&lines[..], more), (&expected[..], false));
    let (lines, more) = search(4);
    assert_eq!((&lines[..], more), (&expected[..4], true));
}

/// Swaps a folder and a link to another, thousands of times, while something runs again and again.
#[cfg(target_os = "linux")]
fn swapping(folder: &Path, link: &Path, mut during: impl FnMut()) {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let (done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, folder, CWD, link, RenameFlags::EXCHANGE).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut rounds = 0;
        while swaps.load(Ordering::Relaxed) < 3_000 || rounds < 150 {
            during();
            rounds += 1;
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_swapped_for_a_link_leads_nowhere() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let (root, outside) = (base.join("root"), base.join("outside"));
    for folder in [&root.join("sub/deep"), &outside.join("deep")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    for n in 0..20 {
        std::fs::write(root.join(format!("sub/deep/{n}.txt")), "harmless\n").unwrap();
        std::fs::write(root.join(format!("{n}.txt")), "harmless\n").unwrap();
        // Of the same name, and of one that only the other place has.
        std::fs::write(outside.join(format!("deep/{n}.txt")), "secret\n").unwrap();
        std::fs::write(outside.join(format!("deep/secret{n}.txt")), "secret\n").unwrap();
    }
    std::os::unix::fs::symlink(&outside, base.join("link")).unwrap();

    let scope = Scope { limit: 1_000, ..Scope::new(&root, Hidden::Include) };
    let hides = |path: &Path| match path.to_string_lossy().contains("secret1") {
        true => Access::Withheld,
        false => Access::Open,
    };
    let request = Grep { pattern: "secret", line_chars: LINE_CHARS, access: &hides };
    let (mut seen, mut leaked) = (0, Vec::new());
    swapping(&root.join("sub"), &base.join("link"), || {
        let listed = list(&scope).unwrap();
        seen = seen.max(listed.paths.len());
        leaked.extend(listed.paths.into_iter().filter(|path| path.to_string_lossy().contains("secret")));
        let found = grep(&scope, &request).unwrap();
        leaked.extend(found.files.into_iter().map(|file| file.path));
        leaked.extend((0..found.withheld).map(|_| PathBuf::from("withheld")));
    });
    assert_eq!(leaked, Vec::<PathBuf>::new());
    assert_eq!(seen, 40, "with the folder in its place everything is found");
}

#[test]
fn a_file_with_a_large_hole_holds_no_search_beyond_its_time() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    // Text in front, as nothing at all, as UTF-16, and as a line that does not end.
    let long = [b'y'; 1 << 20];
    for (name, start) in [("zeros", &b""[..]), ("wide", b"\xff\xfe"), ("text", b"one\n"), ("long", &long)] {
        let path = base.join(name);
        std::fs::write(&path, start).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(20 << 30).unwrap();
        for pattern in ["needle", r"^(a|b)*c.{3,9}$", r"\bn\w+e$"] {
            let budget = Duration::from_millis(50);
            let scope = Scope { budget, ..Scope::new(&path, Hidden::Include) };
            let request = Grep { pattern, line_chars: LINE_CHARS, access: &everything };
            let before = Instant::now();
            let found = grep(&scope, &request).unwrap();
            let late = before.elapsed().saturating_sub(budget);
            // A heavy pattern is not held against a line of this length at all.
            let ending = match (name, pattern.contains('{')) {
                ("long", true) => Ending::Complete,
                _ => Ending::OutOfTime,
            };
            assert_eq!((found.ending, found.files.len()), (ending, 0), "{name} {pattern}");
            assert!(late < Duration::from_secs(2), "{name} {pattern}: {late:?} too late");
        }
    }
    // Among others it is binary, and left at its first hole.
    let request = Grep { pattern: "^one|needle", line_chars: LINE_CHARS, access: &everything };
    let found = grep(&Scope::new(&base, Hidden::Include), &request).unwrap();
    assert_eq!(found.ending, Ending::Complete);
}

#[test]
fn a_slow_pattern_on_a_line_without_end_is_stopped_in_time() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().canonicalize().unwrap().join("line");
    // Letters beyond ASCII, for which every state of the pattern is followed by itself.
    std::fs::write(&path, "éa".repeat(5 << 20)).unwrap();
    let pattern = r"(?:[é-í][a-c]?){1,400}\b\d";
    for root in [path.as_path(), path.parent().unwrap()] {
        let budget = Duration::from_millis(50);
        let scope = Scope { budget, ..Scope::new(root, Hidden::Include) };
        let before = Instant::now();
        let found = grep(&scope, &Grep { pattern, line_chars: LINE_CHARS, access: &everything }).unwrap();
        assert_eq!((found.files.len(), found.unread), (0, 1));
        assert!(before.elapsed() < Duration::from_secs(15), "{:?}", before.elapsed());
    }
    let request = Grep { pattern: "aéaé.*é", line_chars: 4, access: &everything };
    let found = grep(&Scope::new(&path, Hidden::Include), &request).unwrap();
    assert_eq!(
        found.files[0].lines,
        [Line { number: 1, text: "éaéa...".into() }],
        "others are searched whole"
    );
}

#[test]
fn what_is_no_real_path_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("folder")).unwrap();
    std::fs::write(base.join("folder/a"), "x").unwrap();
    std::os::unix::fs::symlink("folder", base.join("link")).unwrap();
    let request = Grep { pattern: "x", line_chars: LINE_CHARS, access: &everything };
    let scope = Scope::new(base.join("link"), Hidden::Skip);
    assert!(list(&scope).is_err());
    assert!(grep(&scope, &request).is_err());
}
