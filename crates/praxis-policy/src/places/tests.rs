use super::*;

fn places() -> Places {
    let own = ["/home/me/.local/share/praxis", "/home/me/.local/state/praxis"].map(PathBuf::from);
    Places::new(["/home/me/work/project"])
        .with_home("/home/me")
        .with_own(own, "/home/me/.local/share/praxis/plans".into())
}

fn is_protected(path: &str) -> bool {
    places().protected(Path::new(path)).is_some()
}

#[test]
fn what_a_project_is_steered_by_is_protected_in_any_folder() {
    for name in [
        ".git/config",
        ".git/hooks/pre-commit",
        ".git",
        ".git/modules/a/config",
        ".git/worktrees/b/config.worktree",
        "vendor/lib/.git/hooks/post-checkout",
        ".GIT/config",
        ".git./config",
        "praxis.json",
        "praxis.jsonc",
        "Praxis.JSON",
        "sub/opencode.jsonc",
        ".praxis/agent/x.md",
        ".opencode/plugin/x.ts",
        ".claude/settings.json",
        ".praxis/plans/sub/x.md",
        ".praxis/plans/x.sh",
        ".opencode/plans/../agent/x.md",
    ] {
        assert!(is_protected(&format!("/home/me/work/project/{name}")), "{name}");
        assert!(name.contains("plans") || is_protected(&format!("/elsewhere/{name}")), "{name} elsewhere");
    }
}

#[test]
fn ordinary_files_and_plans_are_not() {
    for path in [
        "/home/me/work/project/src/main.rs",
        "/home/me/work/project/.gitignore",
        "/home/me/work/project/.github/workflows/ci.yml",
        "/home/me/work/project/.bashrc",
        "/home/me/work/project/my-praxis.json",
        "/home/me/work/project/.praxis/plans/x.md",
        "/home/me/work/project/.opencode/plans/x.md",
        "/home/me/.local/share/praxis/plans/x.md",
        "/home/me/notes.md",
        "/home/me/.config/app/settings.toml",
    ] {
        assert!(!is_protected(path), "{path}");
    }
}

#[test]
fn what_starts_by_itself_is_protected() {
    for path in [
        "/home/me/.bashrc",
        "/home/me/.ZSHRC",
        "/home/me/.config/fish/config.fish",
        "/home/me/.config/fish",
        "/home/me/.ssh/authorized_keys",
        "/home/me/.gitconfig",
        "/home/me/.config/systemd/user/x.service",
        "/home/me/Library/LaunchAgents/x.plist",
        "/home/me/.config/praxis/praxis.json",
        "/home/me/.local/share/praxis/auth.json",
        "/home/me/.local/state/praxis/grants.json",
        "/etc/profile.d/x.sh",
        "/var/spool/cron/crontabs/me",
    ] {
        assert!(is_protected(path), "{path}");
    }
    let at_home = Places::new(["/home/me"]).with_home("/home/me");
    assert!(at_home.protected(Path::new("/home/me/.bashrc")).is_some());
    assert!(at_home.protected(Path::new("/home/me/src/main.rs")).is_none());
}

#[test]
fn where_the_project_lies_decides_nothing_but_for_git() {
    let places = Places::new(["/home/me/.claude/worktrees/a"]).with_home("/home/me");
    assert!(places.protected(Path::new("/home/me/.claude/worktrees/a/src/main.rs")).is_none());
    let inside_git = Places::new(["/repo/.git"]);
    assert!(inside_git.protected(Path::new("/repo/.git/config")).is_some());
}

#[test]
fn credentials_are_those_of_the_home_folder() {
    let places = places();
    for (path, expected) in [
        ("/home/me/.ssh/id_ed25519", true),
        ("/home/me/.ssh", true),
        ("/home/me/.cargo/credentials.toml", true),
        ("/home/me/.config/google-chrome-beta/Default/Cookies", true),
        ("/home/me/.Bash_History", true),
        ("/home/me/.local/state/praxis/grants.json", true),
        ("/home/me/.cargo/registry/x", false),
        ("/home/me/work/project/.npmrc", false),
        ("/home/me/.config/gha", false),
        ("/other/.ssh/id", false),
    ] {
        assert_eq!(places.is_credential(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn a_scan_passes_over_what_the_system_guards_unless_it_is_named() {
    let guarded = |root: &str, path: &str| {
        guarded_by_the_system(Path::new("/Users/me"), Path::new(root), Path::new(path))
    };
    assert!(guarded("/Users/me", "/Users/me/Music"));
    assert!(guarded("/Users/me", "/Users/me/library/mail/V10/x"));
    assert!(guarded("/Users", "/Users/me/Documents/a.txt"));
    assert!(guarded("/", "/Users/me/Library/Messages"));
    assert!(guarded("/Users/me/Documents", "/Users/me/Pictures/a.png"), "another one");
    assert!(!guarded("/Users/me/Documents", "/Users/me/Documents/a.txt"));
    assert!(!guarded("/Users/me/Documents/project", "/Users/me/Documents/project/src/a.rs"));
    assert!(!guarded("/Users/me", "/Users/me/src/Music/a"));
    assert!(!guarded("/Users/me", "/Users/me/Library/Fonts"));
    assert!(!guarded("/", "/Users/other/Music"));
}

#[test]
fn the_tables_say_files_and_folders_apart_and_why() {
    for entry in in_project().iter().chain(startup()) {
        assert!(entry.why.starts_with("which "), "{entry:?}");
    }
    assert!(in_project().iter().any(|entry| entry.name == ".git" && entry.kind == Kind::Folder));
    assert!(credentials().len() > 60 && guarded().len() > 12 && startup().len() > 50);
    let files: Vec<_> = places().files().collect();
    assert!(files.contains(&"/home/me/.bashrc".into()) && !files.iter().any(|file| file.ends_with(".ssh")));
    let folders: Vec<_> = places().folders().collect();
    assert!(folders.contains(&"/home/me/work/project/.git".into()), "{folders:?}");
    assert!(
        folders.contains(&"/home/me/.local/share/praxis".into()) && folders.contains(&"/home/me/.ssh".into())
    );
}
