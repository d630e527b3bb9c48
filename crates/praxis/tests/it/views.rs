//! The views of commands, through the program: what they hold whoever says yes to the command itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use praxis_testkit::{Project, Terminal};
use serde_json::{Value, json};

use crate::project;

/// A git project with things to protect, and a home with things to hide.
fn guarded() -> Project {
    let project = project()
        .file(".env", "TOKEN=hidden")
        .file("deep/er/.env", "TOKEN=hidden")
        .file("src/main.rs", "fn main() {}")
        .file("praxis.json", "{}")
        .file(".claude/settings.json", "kept")
        .home_file(".ssh/id_ed25519", "hidden")
        .home_file(".aws/credentials", "hidden")
        .home_file(".netrc", "hidden")
        .home_file(".npmrc", "hidden")
        .home_file(".cargo/credentials.toml", "hidden")
        .home_file(".cargo/config.toml", "seen")
        .home_file("notes/diary.txt", "hidden")
        .home_file(".local/share/praxis/auth.json", "hidden")
        .home_file(".local/share/opencode/auth.json", "hidden")
        .home_file(".gitconfig", "[user]\nname = Ann\nemail = ann@example.org\n");
    git(&project, &["init", "-q", "."]);
    git(&project, &["add", "src"]);
    git(&project, &["commit", "-qm", "first"]);
    let hook = project.directory().join(".git/hooks/pre-commit");
    fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    project
}

fn git(project: &Project, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    let done = command
        .args(arguments)
        .current_dir(project.directory())
        .env("HOME", project.home())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// Runs a command that everybody says yes to.
fn run(project: &Project, input: &Value) -> Value {
    run_as(project, input, &["--ask", "allow"])
}

fn run_as(project: &Project, input: &Value, more: &[&str]) -> Value {
    let arguments: Vec<&str> =
        ["tool", "run", "bash", "--input", "-"].into_iter().chain(more.iter().copied()).collect();
    project.run_with_input(&arguments, &input.to_string()).json()
}

fn command(script: &str) -> Value {
    json!({ "command": script })
}

/// A script whose text tells nothing of what it does.
fn veiled(script: &str) -> Value {
    let words: String = script.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    command(&format!("eval \"$(printf '{words}')\""))
}

fn output(told: &Value) -> &str {
    told["metadata"]["output"].as_str().unwrap_or_else(|| panic!("{told}"))
}

/// Whether this machine gives commands a tree of their own.
fn has_trees(project: &Project) -> bool {
    project.run(&["doctor", "--json"]).stdout.contains("namespaces")
}

#[test]
fn secrets_look_empty_however_they_are_named() {
    let project = guarded();
    if !has_trees(&project) {
        return;
    }
    let reads = [
        "cat .env; true",
        "cat deep/er/.env; true",
        "grep -r hidden . ; true",
        "cat ~/.ssh/id_ed25519 ~/.aws/credentials ~/.netrc ~/.npmrc; true",
        "cat ~/.cargo/credentials.toml; true",
        "cat ~/.local/share/praxis/auth.json ~/.local/share/opencode/auth.json; true",
        "cat ~/notes/diary.txt; true",
        "cat /proc/*/environ | tr '\\0' '\\n'; true",
        "python3 -c 'import os; [print(open(os.path.join(d, f), errors=\"replace\").read()) for d, _, n in os.walk(os.path.expanduser(\"~\")) for f in n]'; true",
        "tar cf - ~ . 2>/dev/null | strings; true",
    ];
    for script in reads {
        let told = run(&project, &veiled(script));
        assert!(!output(&told).contains("hidden"), "{script}: {told}");
    }
    assert_eq!(output(&run(&project, &veiled("cat .env && cat ~/.cargo/config.toml"))), "seen");
}

#[test]
fn a_yes_to_a_secret_shows_it_to_that_command() {
    let project = guarded();
    assert_eq!(output(&run(&project, &command("cat .env"))), "TOKEN=hidden");
    let told = run_as(&project, &command("cat .env"), &["--ask", "deny"]);
    assert_eq!(
        (&told["status"], &told["asks"][0]["permission"]),
        (&"error".into(), &"read".into()),
        "{told}"
    );
}

#[test]
fn protected_places_stay_as_they_are() {
    let project = guarded();
    if !has_trees(&project) {
        return;
    }
    let before = fs::read_to_string(project.directory().join(".git/config")).unwrap();
    let attempts = [
        "echo x >> .git/config",
        "echo x > .git/hooks/pre-commit",
        "echo x > .git/hooks/post-checkout",
        "rm -rf .git",
        "mv .git away",
        "mv .git/hooks away",
        "git config core.fsmonitor ./x",
        "git -c core.hooksPath=x config core.hooksPath y",
        "echo '{\"permission\":\"allow\"}' > praxis.json",
        "rm praxis.json",
        "mv .claude away",
        "echo x > .claude/settings.json",
        "ln -sf /dev/null praxis.json",
        "cd .. && mv project elsewhere",
        "find . -name praxis.json -delete",
        "python3 -c 'import shutil; shutil.rmtree(\".git\")'",
    ];
    for script in attempts {
        let told = run(&project, &veiled(script));
        assert_ne!(told["metadata"]["exit"], 0, "{script}: {told}");
    }
    let read = |name: &str| fs::read_to_string(project.directory().join(name)).unwrap();
    assert_eq!(read(".git/config"), before);
    assert_eq!((read("praxis.json").as_str(), read(".claude/settings.json").as_str()), ("{}", "kept"));
    assert!(read(".git/hooks/pre-commit").starts_with("#!/bin/sh"));
    assert!(!project.directory().join(".git/hooks/post-checkout").exists());
}

#[test]
fn nothing_outside_is_written() {
    let project = guarded();
    if !has_trees(&project) {
        return;
    }
    let outside = project.directory().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "kept").unwrap();
    let marker = format!("/var/tmp/praxis-view-{}", std::process::id());
    let out = outside.display();
    let attempts = [
        format!("echo x > {out}/file"),
        format!("echo x > {out}/new"),
        format!("rm -rf {out}; exit 1"),
        "echo x >> ~/.bashrc".to_owned(),
        "echo x > ~/.ssh/authorized_keys".to_owned(),
        "echo x > /etc/praxis-was-here".to_owned(),
        "echo x > /usr/local/bin/praxis-was-here".to_owned(),
        format!("echo x > {marker}; exit 1"),
    ];
    for script in &attempts {
        let told = run(&project, &veiled(script));
        assert_ne!(told["metadata"]["exit"], 0, "{script}: {told}");
    }
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "kept");
    assert!(!outside.join("new").exists() && !project.home().join(".bashrc").exists());
    let gone = [marker.as_str(), "/etc/praxis-was-here", "/usr/local/bin/praxis-was-here"];
    assert!(gone.iter().all(|path| !Path::new(path).exists()));
    assert_eq!(fs::read_to_string(project.home().join(".ssh/id_ed25519")).unwrap(), "hidden");
}

#[test]
fn temporary_files_stay_for_the_next_command_of_the_project_and_are_nobody_elses() {
    let (one, other) = (guarded(), guarded());
    if !has_trees(&one) {
        return;
    }
    assert_eq!(output(&run(&one, &command("echo kept > /tmp/note && cat /tmp/note"))), "kept\n");
    assert_eq!(output(&run(&one, &command("cat $TMPDIR/note"))), "kept\n");
    assert_ne!(run(&other, &command("cat /tmp/note"))["metadata"]["exit"], 0);
    assert!(!Path::new("/tmp/note").exists());
}

#[test]
fn agents_that_may_not_edit_only_look() {
    let project = guarded();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let writes = [
        "echo x > new".to_owned(),
        "touch src/main.rs".to_owned(),
        "rm src/main.rs".to_owned(),
        "chmod 777 src/main.rs".to_owned(),
        "git add -A".to_owned(),
        "git commit -qam x".to_owned(),
        "mkdir made".to_owned(),
        "sed -i s/main/niam/ src/main.rs".to_owned(),
        "python3 -c 'open(\"new\", \"w\")'".to_owned(),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
    ];
    for agent in ["plan", "looker"] {
        let config = r#"{ "agent": { "looker": { "permission": { "edit": "deny" } } } }"#;
        fs::write(project.directory().join("praxis.json"), config).unwrap();
        for script in &writes {
            let told = run_as(&project, &veiled(script), &["--ask", "allow", "--agent", agent]);
            assert_ne!(told["metadata"]["exit"], 0, "{agent}: {script}: {told}");
        }
        assert_eq!(fs::read_to_string(project.directory().join("src/main.rs")).unwrap(), "fn main() {}");
        assert!(!project.directory().join("new").exists() && !project.directory().join("made").exists());
        let told =
            run_as(&project, &command("cat src/main.rs && git log --oneline | wc -l"), &["--agent", agent]);
        assert_eq!(told["metadata"]["exit"], 0, "{agent}: {told}");
    }
    let input = json!({ "command": "ls", "outside": true });
    let told = run_as(&project, &input, &["--ask", "allow", "--agent", "plan"]);
    assert!(told["error"].as_str().unwrap().contains("only looks"), "{told}");
}

#[test]
fn git_writes_its_own_folder_when_the_script_is_nothing_but_git() {
    let project = guarded();
    fs::write(project.directory().join("src/new.rs"), "").unwrap();
    let script =
        "git add src && git commit -qm \"$(cat <<'EOF'\nsecond\nEOF\n)\" && git log --oneline | wc -l";
    let told = run(&project, &command(script));
    assert_eq!((output(&told).trim(), &told["metadata"]["exit"]), ("2", &0.into()), "{told}");
    let told = run(&project, &command("git checkout -q -b topic && git branch --show-current"));
    assert_eq!(output(&told), "topic\n", "{told}");
    if has_trees(&project) {
        let told = run(&project, &command("touch made && python3 -V && git commit --allow-empty -qm third"));
        assert!(
            told["error"].as_str().unwrap().contains("Send the git commands in a call of their own"),
            "{told}"
        );
        assert!(!project.directory().join("made").exists(), "nothing of it was run");
        // Where the text does not tell, the kernel does.
        let told = run(&project, &veiled("python3 -V && git commit --allow-empty -qm third"));
        assert_ne!(told["metadata"]["exit"], 0, "{told}");
        assert!(told["output"].as_str().unwrap().contains("sandbox"), "the refusal is told as such: {told}");
        let told =
            run(&project, &command("echo x > notes.txt && git add notes.txt && git commit -qm \"$(date)\""));
        assert_eq!(told["metadata"]["exit"], 0, "{told}");
    }
}

#[test]
fn a_refusal_is_explained_with_the_way_on_and_the_way_on_works() {
    let project = guarded();
    if !has_trees(&project) {
        return;
    }
    let file = project.home().join("notes/diary.txt");
    let script = veiled("cat ~/notes/diary.txt");
    let told = run(&project, &script);
    let explained = told["output"].as_str().unwrap();
    assert!(explained.contains("\"access\"") && explained.contains("notes/diary.txt"), "{told}");

    let access = json!([{ "path": file }]);
    let input = json!({ "command": script["command"], "access": access });
    let told = run(&project, &input);
    assert_eq!(output(&told), "hidden", "{told}");
    assert_eq!(told["asks"][0]["permission"], "external_directory", "{told}");
    let told = run_as(&project, &input, &[]);
    let rule = format!("\"external_directory\": {{ \"{}\": \"allow\" }}", file.display());
    assert!(told["error"].as_str().unwrap().contains(&rule), "{told}");

    let folder = project.home().join("notes");
    let write = |script: &str| json!({ "command": script, "access": [{ "path": folder, "write": true }] });
    let told = run(&project, &write("echo more >> ~/notes/diary.txt && echo new > ~/notes/new"));
    assert_eq!(told["metadata"]["exit"], 0, "{told}");
    assert!(folder.join("new").exists());
    let nowhere = json!({ "command": "ls", "access": [{ "path": "/no/such/place" }] });
    assert!(run(&project, &nowhere)["error"].as_str().unwrap().contains("does not exist"));
}

#[test]
fn leaving_the_sandbox_takes_a_persons_word() {
    let project = guarded().file("praxis.json", r#"{ "permission": "allow" }"#);
    let input = json!({ "command": "echo $TMPDIR; cat ~/notes/diary.txt", "outside": true });
    let told = run_as(&project, &input, &[]);
    assert!(told["error"].as_str().unwrap().contains("outside the sandbox"), "{told}");
    let told = run(&project, &input);
    assert_eq!(told["status"], "error", "an answer given beforehand is no person's: {told}");
    let input = input.to_string();
    let mut terminal = Terminal::start(project.command(&["tool", "run", "bash", "--input", &input]));
    terminal.expect("outside the sandbox").type_line("y");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && screen.contains("hidden"), "{screen}");
    let own = r#"{ "sandbox": "off" }"#;
    let project = guarded().home_file(".config/praxis/praxis.json", own);
    assert!(output(&run(&project, &command("cat ~/notes/diary.txt"))).contains("hidden"));
}

#[test]
fn what_rules_deny_to_edit_is_not_written_by_a_command_either() {
    let project = guarded().file("Cargo.lock", "kept").file("secret/key", "hidden").file(
        "praxis.json",
        r#"{ "permission": { "edit": { "*.lock": "deny" }, "read": { "secret/*": "deny" } } }"#,
    );
    if !has_trees(&project) {
        return;
    }
    for script in ["echo x > Cargo.lock", "rm Cargo.lock", "mv Cargo.lock x"] {
        assert_ne!(run(&project, &veiled(script))["metadata"]["exit"], 0, "{script}");
    }
    assert_eq!(fs::read_to_string(project.directory().join("Cargo.lock")).unwrap(), "kept");
    assert!(
        !output(&run(&project, &veiled("cat secret/*; ls secret; mv secret x; cat x/*"))).contains("hidden")
    );
}

#[test]
fn a_linked_worktree_works_and_its_repository_is_protected() {
    let project = guarded();
    if !has_trees(&project) {
        return;
    }
    let tree = project.directory().parent().unwrap().join("tree");
    git(&project, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "side"]);
    let in_tree = |input: &Value| {
        let arguments =
            ["tool", "run", "bash", "--input", "-", "--ask", "allow", "--cwd", tree.to_str().unwrap()];
        project.run_with_input(&arguments, &input.to_string()).json()
    };
    let told = in_tree(&command(
        "git status --short && git commit --allow-empty -qm side && git log --oneline | wc -l",
    ));
    assert_eq!(output(&told).trim(), "2", "{told}");
    let config = project.directory().join(".git/config");
    let told = in_tree(&veiled(&format!("echo x >> {}", config.display())));
    assert_ne!(told["metadata"]["exit"], 0, "{told}");
    assert!(!fs::read_to_string(config).unwrap().contains('x') || told["metadata"]["exit"] != 0);
}

#[test]
fn a_project_that_is_the_home_folder_keeps_its_credentials_and_says_what_is_not_held() {
    let project = project()
        .home_file(".ssh/id_ed25519", "hidden")
        .home_file(".bashrc", "kept")
        .home_file("code.txt", "seen");
    if !has_trees(&project) {
        return;
    }
    let home = project.home();
    let at_home = |input: &Value| {
        let arguments =
            ["tool", "run", "bash", "--input", "-", "--ask", "allow", "--cwd", home.to_str().unwrap()];
        project.run_with_input(&arguments, &input.to_string()).json()
    };
    let told = at_home(&veiled("cat .ssh/id_ed25519 code.txt; echo x >> .bashrc"));
    assert!(output(&told).contains("seen") && !output(&told).contains("hidden"), "{told}");
    assert_eq!(fs::read_to_string(home.join(".bashrc")).unwrap(), "kept");
    let doctor = project.run(&["doctor", "--cwd", home.to_str().unwrap()]);
    assert!(doctor.stdout.contains("the project is the home folder"), "{doctor:?}");
}

#[test]
fn git_is_no_way_into_its_own_folder_and_another_repository_closes_it() {
    let project = guarded().file("commondir", "/elsewhere").file(".env.development", "TOKEN=kept");
    if !has_trees(&project) {
        return;
    }
    git(&project, &["add", "commondir", "-f", ".env.development"]);
    git(&project, &["commit", "-qm", "second"]);
    for script in [
        "git --work-tree=.git checkout HEAD -- commondir",
        "git update-ref commondir HEAD",
        "git bundle create .git/commondir HEAD",
    ] {
        let told = run(&project, &command(script));
        assert_ne!(told["metadata"]["exit"], 0, "{script}: {told}");
        assert!(!project.directory().join(".git/commondir").exists(), "{script}");
    }
    // What git tracks is committed as it is, not as the empty file that others see.
    let told = run(&project, &command("git commit -qam third --allow-empty"));
    assert_eq!(told["metadata"]["exit"], 0, "{told}");
    let told = run(&project, &command("git show --stat HEAD"));
    assert!(!output(&told).contains(".env.development"), "{told}");
    git(&project, &["init", "-q", "inner"]);
    let told = run(&project, &command("git commit --allow-empty -qm fourth"));
    assert_ne!(told["metadata"]["exit"], 0, "{told}");
}

#[test]
fn decoys_do_not_use_the_masks_up() {
    let project = guarded();
    if !has_trees(&project) {
        return;
    }
    for at in 0..1_000 {
        let folder = project.directory().join(format!("many/{at}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(".env"), "x").unwrap();
    }
    let told = run(&project, &command("ls"));
    assert!(told["error"].as_str().unwrap().contains("than can be protected"), "{told}");
}

#[test]
fn keys_are_not_shown_by_an_answer_given_beforehand() {
    let project = guarded().file("praxis.json", r#"{ "permission": "allow" }"#);
    let key = project.home().join(".ssh/id_ed25519");
    for input in [
        json!({ "command": format!("cat {}", key.display()) }),
        json!({ "command": "ls", "access": [{ "path": key }] }),
    ] {
        let told = run_as(&project, &input, &[]);
        assert!(told["error"].as_str().unwrap().contains("where keys and passwords are kept"), "{told}");
    }
}

/// Somebody outside may listen in the very folder that is shown.
#[test]
fn agents_that_only_look_reach_no_socket_of_the_project() {
    let project = guarded();
    let socket = project.directory().join("ear");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    let script = "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"ear\")'";
    let told = run_as(&project, &veiled(script), &["--ask", "allow", "--agent", "plan"]);
    assert_ne!(told["metadata"]["exit"], 0, "{told}");
    assert!(listener.accept().is_err(), "nobody may have come through");
}

/// Git's folder is given for what is known to be git and nothing else, not because somebody said yes.
#[test]
fn a_yes_to_everything_does_not_open_the_git_folder() {
    const SCRIPT: &str = "
- call: { bash: { command: \"python3 -V; echo x > .git/HEAD\" } }
- call: { bash: { command: \"git -c core.hooksPath=/dev/null -c core.fsmonitor=./x status; git commit --allow-empty -qm evil\" } }
- call: { bash: { command: \"X=.git/HEAD; eval 'echo x > $X'\" } }
- { say: Well. }
";
    let project = guarded().file("script.yaml", SCRIPT);
    if !has_trees(&project) {
        return;
    }
    let head = || fs::read_to_string(project.directory().join(".git/HEAD")).unwrap();
    let before = head();
    for auto in [&[][..], &["--auto"]] {
        let run = project.run(&[&["run", "--script", "script.yaml", "go"], auto].concat());
        assert_eq!(head(), before, "{run:?}");
        let log = run_as(&project, &command("git log --oneline | wc -l"), &["--ask", "allow"]);
        assert_eq!(output(&log).trim(), "1", "{run:?}");
    }
}

#[test]
fn what_was_told_to_end_is_not_left_behind_and_what_runs_on_is() {
    let project = guarded();
    let told = run(&project, &command("sleep 60 & kill $!; echo done"));
    assert_eq!((output(&told), &told["metadata"]["job"]), ("done\n", &Value::Null), "{told}");
    let told = run(&project, &command("sleep 60 & echo done"));
    assert!(told["output"].as_str().unwrap().contains("It ends with the session."), "{told}");
}

/// The command ends itself once it sees that it was left running.
#[test]
fn what_may_outlive_us_does_so_without_another_word() {
    let project = guarded();
    let script = "(while [ ! -e go ]; do sleep 0.01; done; touch gone) & echo done";
    let told = run(&project, &json!({ "command": script, "outlive": true }));
    assert!(told["output"].as_str().unwrap().contains("It goes on after Praxis has ended."), "{told}");
    fs::write(project.directory().join("go"), "").unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !project.directory().join("gone").exists() {
        assert!(std::time::Instant::now() < until, "it was ended with us");
        std::thread::yield_now();
    }
}
