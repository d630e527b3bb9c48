//! A tree of the command's own: what is there, what is masked, what cannot be replaced.

use std::os::unix::fs::symlink;

use praxis_os::sandbox::{Place, Temp, View};

use crate::lab::{Lab, Mode};

/// A project with things to protect.
fn project(lab: &Lab) -> View {
    for name in [".git/config", ".git/hooks/pre-commit", ".git/HEAD", "praxis.json", ".praxis/agents/a.md"] {
        lab.file(&format!("inside/{name}"), "kept");
    }
    for name in [".env", "deep/er/.env"] {
        lab.file(&format!("inside/{name}"), "hidden");
    }
    lab.file("inside/deep/er/text", "text");
    let protected = [".git", "praxis.json", ".praxis"].map(|name| Place::read(lab.inside.join(name)));
    let masked = [".env", "deep/er/.env"].map(|name| Place::masked(lab.inside.join(name)));
    lab.view_with(protected.into_iter().chain(masked))
}

#[test]
fn nothing_is_there_but_the_places_of_the_view() {
    for lab in &Lab::trees() {
        let said = lab.contained(&lab.view(), "ls -a / $OUTSIDE/..");
        for name in ["home", "srv", "mnt", "outside", "work", "run"] {
            assert!(!said.text.lines().any(|line| line == name), "{name}: {}", said.text);
        }
    }
}

#[test]
fn somebody_stays_who_they_are_and_where_they_are() {
    for lab in &Lab::trees() {
        let script = "id -u; id -g; pwd; stat -c %u file";
        assert_eq!(lab.contained(&lab.view(), script).text, lab.plain(script).text);
    }
}

#[test]
fn protected_places_can_be_read_but_not_changed_replaced_or_moved() {
    for lab in &Lab::trees() {
        let view = project(lab);
        assert_eq!(
            lab.contained(&view, "cat .git/config .praxis/agents/a.md praxis.json").text,
            "keptkeptkept"
        );
        let attempts = [
            "echo x > .git/config",
            "echo x >> .git/hooks/pre-commit",
            "echo x > .git/hooks/new",
            "mkdir .git/hooks/more",
            "rm .git/config",
            "rm -rf .git",
            "mv .git other",
            "mv .git/hooks .git/other",
            "mv praxis.json other",
            "rm praxis.json",
            "ln -f file praxis.json",
            "echo x > new && mv new praxis.json",
            "cp file praxis.json",
            "sed -i s/kept/x/ praxis.json",
            "mv .praxis other && mkdir .praxis",
            "rm -r .praxis",
            "rmdir .praxis/agents",
            "ln -sfn /tmp .praxis",
            "chmod 777 praxis.json",
            "cd .. && mv inside elsewhere",
            "python3 -c 'import os; os.rename(\".git\", \"x\")'",
            "python3 -c 'import ctypes; exit(ctypes.CDLL(None).renameat2(-100, b\".git\", -100, b\"deep\", 2))'",
        ];
        for attempt in attempts {
            let said = lab.contained(&view, attempt);
            assert!(!said.ok, "got through ({:?}): {attempt}: {}", lab.mode(), said.text);
        }
        for name in [".git/config", ".git/hooks/pre-commit", "praxis.json", ".praxis/agents/a.md"] {
            assert_eq!(std::fs::read_to_string(lab.inside.join(name)).unwrap(), "kept", "{name}");
        }
        assert!(!lab.inside.join(".git/hooks/new").exists());
        assert!(lab.contained(&view, "echo x > deep/new && mv deep/new deep/er/new && rm deep/er/new").ok);
    }
}

#[test]
fn masked_files_look_empty_and_stay_where_they_are() {
    for lab in &Lab::trees() {
        let view = project(lab);
        let said = lab.contained(&view, "cat .env deep/er/.env && ls -a . deep/er | grep -c '^.env$'");
        assert_eq!((said.ok, said.text.as_str()), (true, "2\n"), "{:?}", lab.mode());
        let attempts = [
            "grep -r hidden .",
            "mv deep other && cat other/er/.env | grep hidden",
            "mv deep/er moved && grep hidden moved/.env",
            "rm .env",
            "mv .env x",
            "ln .env hard && grep hidden hard",
            "echo x > .env",
            "rm -rf deep",
            "tar c . | grep -q hidden",
            "cat /proc/self/cwd/.env | grep hidden",
            "cp -r deep copy && grep -r hidden copy",
        ];
        for attempt in attempts {
            let said = lab.contained(&view, attempt);
            assert!(!said.ok && !said.text.contains("hidden"), "{:?}: {attempt}: {}", lab.mode(), said.text);
        }
        assert_eq!(std::fs::read_to_string(lab.inside.join("deep/er/.env")).unwrap(), "hidden");
    }
}

#[test]
fn a_protected_link_cannot_be_replaced_and_its_target_is_protected_too() {
    for lab in &Lab::trees() {
        let target = lab.file("inside/real/settings", "kept").parent().unwrap().to_owned();
        symlink("real", lab.inside.join(".claude")).unwrap();
        lab.own(&lab.inside.join(".claude"));
        let view = lab.view_with([Place::read(lab.inside.join(".claude"))]);
        assert_eq!(lab.contained(&view, "cat .claude/settings").text, "kept");
        for attempt in [
            "rm .claude",
            "mv .claude x",
            "ln -sfn /tmp .claude",
            "echo x > .claude/settings",
            "echo x > real/settings",
            "mv real other",
        ] {
            let said = lab.contained(&view, attempt);
            assert!(!said.ok, "got through ({:?}): {attempt}", lab.mode());
        }
        assert_eq!(std::fs::read_to_string(target.join("settings")).unwrap(), "kept");
    }
}

#[test]
fn a_writable_place_inside_a_masked_one_is_there_and_nothing_else() {
    for lab in &Lab::trees() {
        lab.file("outside/home/.netrc", "hidden");
        lab.file("outside/home/cache/a", "seen");
        let home = lab.outside.join("home");
        let view = lab.view_with([
            Place::masked(&home),
            Place::write(home.join("cache")),
            Place::masked(home.join(".netrc")),
        ]);
        let said =
            lab.contained(&view, "cd $OUTSIDE/home && cat .netrc cache/a && echo b > cache/b && ls -A");
        assert_eq!((said.ok, said.text.as_str()), (true, "seen.netrc\ncache\n"), "{:?}", lab.mode());
        assert!(!lab.contained(&view, "echo x > $OUTSIDE/home/new").ok);
        assert!(!lab.contained(&view, "echo x > $OUTSIDE/home/.netrc").ok);
        assert!(home.join("cache/b").exists() && !home.join("new").exists());
    }
}

#[test]
fn temporary_files_are_private_or_shared_as_the_view_says() {
    for lab in &Lab::trees() {
        let private = lab.view();
        let marker = format!("praxis-{}", std::process::id());
        let script = format!("echo x > /tmp/{marker} && cat /tmp/{marker} && echo y > /var/tmp/{marker}");
        assert_eq!(lab.contained(&private, &script).text, "x\n");
        assert!(!std::path::Path::new("/tmp").join(&marker).exists());
        lab.file("outside/temp/old", "old");
        let folder = lab.outside.join("temp");
        let shared = View { temp: Temp::Folder(folder.clone()), ..lab.view() };
        let said = lab.contained(&shared, &format!("cat /tmp/old && echo z > /tmp/{marker}"));
        assert_eq!((said.ok, said.text.as_str()), (true, "old"), "{:?}", lab.mode());
        assert_eq!(std::fs::read_to_string(folder.join(&marker)).unwrap(), "z\n");
    }
}

#[test]
fn processes_are_the_commands_own() {
    for lab in &Lab::trees() {
        let said = lab.contained(&lab.view(), "ls /proc | grep -cE '^[0-9]+$'; ps -e 2>/dev/null | wc -l");
        let seen: usize = said.text.lines().next().unwrap().parse().unwrap();
        assert!(seen <= 6, "{seen} processes are seen");
        let us = std::process::id();
        assert!(
            !lab.contained(&lab.view(), &format!("kill -0 {us}")).ok || seen == usize::try_from(us).unwrap()
        );
        // The first process has rights that the command does not.
        for attempt in [
            "cat /proc/1/environ",
            "readlink /proc/1/fd/0",
            "ls /proc/1/root/",
            "kill -9 1; kill -0 1 && exit 1",
        ] {
            assert!(!lab.contained(&lab.view(), attempt).ok, "{attempt}");
        }
    }
}

#[test]
fn the_machine_cannot_be_changed_through_proc_and_sys() {
    for lab in &Lab::trees() {
        let view = lab.view_with([Place::read("/sys")]);
        for attempt in [
            "echo h > /proc/sysrq-trigger",
            "echo x > /proc/sys/kernel/core_pattern",
            "echo 1 > /proc/sys/vm/drop_caches",
            "for f in /sys/kernel/mm/*/*; do echo 1 > $f && exit 0; done; exit 1",
            "mount -t tmpfs x /mnt",
            "umount -l .",
            "unshare -r true",
            "chroot / true",
        ] {
            assert!(!lab.contained(&view, attempt).ok, "got through ({:?}): {attempt}", lab.mode());
        }
    }
}

#[test]
fn what_a_command_leaves_running_goes_on_and_its_end_is_its_own() {
    for lab in &Lab::trees() {
        assert_eq!(lab.contained(&lab.view(), "exit 7").ok, false);
        let said = lab.contained(&lab.view(), "kill -TERM $$");
        assert_eq!(said.signal, Some(libc::SIGTERM), "{:?}", lab.mode());
        let script = "(sleep 0.2; echo late > left) > /dev/null 2>&1 & echo done";
        assert_eq!(lab.contained(&lab.view(), script).text, "done\n");
        let left = lab.inside.join("left");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !left.exists() {
            assert!(std::time::Instant::now() < deadline, "what was left was killed");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_terminal_can_be_made() {
    for lab in &Lab::trees() {
        let script = "import pty, os; pty.spawn(['echo', 'hi'])";
        let (_, contained) = lab.python(&lab.view(), script);
        assert!(contained.text.contains("hi"), "{:?}: {}", lab.mode(), contained.text);
    }
}

#[test]
fn the_whole_machine_can_be_a_place() {
    for lab in &Lab::trees().into_iter().filter(|lab| lab.mode() == Mode::Ourselves).collect::<Vec<_>>() {
        let view = lab.view_with([
            Place::read("/"),
            Place::write(&lab.inside),
            Place::masked(lab.outside.join("file")),
        ]);
        let said = lab.contained(&view, "echo new > file && cat file $OUTSIDE/file && ls / | wc -l");
        assert!(said.ok, "{}", said.text);
        assert!(said.text.starts_with("new\n") && !said.text.contains("old"), "{}", said.text);
        assert!(!lab.contained(&view, "echo x > $OUTSIDE/new").ok);
    }
}

#[test]
fn a_view_of_very_many_places_is_entered_or_refused_in_words() {
    for lab in &Lab::trees() {
        let many = |count: usize| {
            let files = (0..count).map(|at| Place::masked(lab.file(&format!("inside/many/{at}"), "hidden")));
            lab.view_with(files.collect::<Vec<_>>())
        };
        assert!(!lab.contained(&many(1_000), "cat many/* | grep hidden").ok);
        let refused = many(2_001).prepare(&lab.mechanisms()).unwrap_err();
        assert!(refused.to_string().contains("2000 places at most"), "{refused}");
    }
}
