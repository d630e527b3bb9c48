//! What is asked for a script, and how carefully.

use praxis_policy::shell::{Dialect, Judgement, Leaving, Need, Outside, Place, analyse};
use praxis_policy::{Authority, Care};
use praxis_proto::{Action, Rule};

use crate::ground::{Outcome, PLACE, judged, judged_on, outcome};

fn judgement(script: &str) -> Judgement {
    judged(script).1
}

fn outside(script: &str) -> Vec<String> {
    judgement(script).outside.into_iter().map(|outside| outside.folder).collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[test]
fn each_command_is_a_pattern_and_a_redirection_makes_a_second_one() {
    assert_eq!(
        judgement("echo foo && echo test >output.txt 2>/dev/null < in 2>&1 | sort | sort"),
        Judgement {
            outside: vec![],
            reads: strings(&["/w/p/in"]),
            writes: strings(&["/w/p/output.txt"]),
            patterns: strings(&["echo foo", "echo test", "echo test > output.txt", "sort"]),
            always: strings(&["echo *", "echo test", "echo test > output.txt", "sort *"]),
            care: Care::Usual,
            ..Judgement::default()
        }
    );
}

#[test]
fn scripts_without_commands_ask_nothing_unless_they_write() {
    for quiet in ["", "# only words", "A=1", "cd .", "cd src", "cd src; cd .."] {
        assert_eq!(
            judgement(quiet),
            Judgement { reads: judgement(quiet).reads, ..Judgement::default() },
            "{quiet}"
        );
    }
    for (script, pattern) in
        [("cd . > file", "cd . > file"), ("> file", "> file"), ("(cd src) >> file", ">> file")]
    {
        let found = judgement(script);
        assert_eq!(found.patterns, [pattern], "{script}");
        assert_eq!(found.writes, ["/w/p/file"], "{script}");
    }
}

#[test]
fn outside_is_told_by_folder_in_order_and_once() {
    assert_eq!(outside("cat /etc/*"), ["/etc"]);
    assert_eq!(outside("cd ../"), ["/w"]);
    assert_eq!(outside("cat /etc/passwd ~/.ssh/id; ls /etc"), ["/etc", "/home/me/.ssh"]);
    assert_eq!(outside("rm -rf src target"), Vec::<String>::new());
    assert_eq!(outside("cat out/passwd"), ["/etc"], "through a link");
    assert_eq!(outside("cat out/../x"), ["/"], "a parent is taken after the link");
    assert_eq!(outside("cd out && cat ../x"), ["/etc", "/"], "from a folder behind a link too");
    assert_eq!(outside("cd src; cat ../x"), Vec::<String>::new(), "the folder is there");
    assert_eq!(outside("cd no; cat ../x"), ["/w"], "a `cd` may fail");
    assert_eq!(outside("rm -r src; cd src; cat ../x"), ["/w"], "or be made to fail");
    assert_eq!(outside("cat o*/passwd"), ["/etc"], "a pattern finds links");
}

#[test]
fn a_pattern_is_read_as_the_files_that_it_matches() {
    assert!(judgement("cat .e*").reads.contains(&"/w/p/.env".to_owned()));
    assert!(judgement("cat src/*.rs").reads.contains(&"/w/p/src/lib.rs".to_owned()));
}

#[test]
fn doubt_says_everything_and_offers_exactly_this() {
    let found = judgement("rm -f $X; git -c a=b log; ls");
    assert_eq!(
        found.care,
        Care::Doubt {
            reason: "the argument `$X` of `rm` is not known; \
                     `git -c` can run or change what the command does not name"
                .into(),
            grave: true
        }
    );
    assert_eq!(found.patterns, ["rm -f $X", "git -c a=b log", "ls", "rm -f $X; git -c a=b log; ls"]);
    assert_eq!(found.always, found.patterns);
}

#[test]
fn a_forbidden_act_is_named_for_people_and_cannot_be_kept() {
    let told = |script: &str| match judged(script).1 {
        Judgement { care: Care::Confirm(act), always, .. } => {
            assert_eq!(always, Vec::<String>::new());
            act
        }
        other => panic!("{script}: {other:?}"),
    };
    assert_eq!(told("rm -rf ~"), "delete the home folder (`/home/me`)");
    assert_eq!(told("rm -rf ./*"), "delete everything in the project (`/w/p`)");
    assert_eq!(told("sudo rm -rf /home"), "delete `/home`, which holds the home folder");
    assert_eq!(told("rm -r .git/objects"), "delete `/w/p/.git/objects`, a part of the repository's history");
    assert_eq!(told("echo x > .git/config"), "overwrite `/w/p/.git/config` in the repository's history");
    assert_eq!(told("dd if=a of=/dev/sda"), "overwrite the device `/dev/sda`");
    assert_eq!(told("rm -rf $X/*"), "delete `$X/*`, which may be a place that must not be lost");
}

#[test]
fn a_function_call_is_judged_by_what_the_function_does() {
    let found = judgement("say() { echo hi; }; say; cd src && say > log");
    assert_eq!(found.patterns, ["echo hi", "> log"]);
    assert_eq!(found.care, Care::Usual);
    assert_eq!(judgement("show() { cat a; }; cd /etc; show").reads, ["/w/p/a", "/etc", "/etc/a"]);
    for shadowed in ["ls() { rm x; }; ls", "cd() { rm x; }; cd src", "f() { f; }; f", "f() { ls; }; env f"] {
        assert!(matches!(judgement(shadowed).care, Care::Doubt { .. }), "{shadowed}");
    }
}

#[test]
fn a_loop_over_known_words_is_followed() {
    let found = judgement("for x in a b; do rm $x; echo done; done");
    assert_eq!(found.patterns, ["rm a", "echo done", "rm b"]);
    assert_eq!((found.writes, found.care), (strings(&["/w/p/a", "/w/p/b"]), Care::Usual));
    for unknown in ["for x in $(ls); do rm $x; done", "for x in *; do rm $x; done", "for x; do rm $x; done"] {
        assert!(matches!(judgement(unknown).care, Care::Doubt { .. }), "{unknown}");
    }
    let late = judgement("y=a; for x in 1 2; do cat $y; y=/etc/passwd; done");
    assert!(matches!(late.care, Care::Doubt { .. }), "the second round may see another value");
}

#[test]
fn what_a_shell_is_fed_is_read_as_a_script() {
    for script in [
        "bash <<'E'\nrm \"$HOME\"/y\nE\n",
        "cat <<E | sh\nrm ~/y\nE\n",
        "cat <<E | cat - | sudo sh -s\nrm ~/y\nE\n",
        "echo 'rm ~/y' | sh",
        "printf 'ls\\nrm ~/y' | bash -",
        "sh <<< 'rm ~/y'",
        "echo ~/y | xargs rm",
    ] {
        let found = judgement(script);
        assert!(found.patterns.contains(&"rm /home/me/y".to_owned()), "{script}: {found:?}");
    }
    let hidden = judgement("{ read x; sh; } <<'E'\ncat <<'X'\nrm y\nX\nE\n");
    assert!(
        matches!(hidden.care, Care::Doubt { reason: text, .. } if text.contains("the shell runs what it reads"))
    );
}

#[test]
fn what_leaves_the_machine_is_named_with_what_it_needs() {
    let found = judgement("git add -A && git push origin main");
    let what = "push commits to a remote".to_owned();
    assert_eq!(found.care, Care::Leaves { what: what.clone(), acts: strings(&["git push"]) });
    assert_eq!(found.always, ["git add *", "git push *"]);
    let needs = vec![Need::SshKeys, Need::GitCredentials];
    assert_eq!(found.leaves, [Leaving { what, act: "git push".into(), needs, overwrites: false }]);
    assert!(judgement("git push --force").care.confirms());
    assert!(matches!(judgement("$X; git push").care, Care::Doubt { grave: true, .. }));
    assert_eq!(judgement("gh pr view 5").care, Care::Usual);
}

/// Only a rule that reaches through the words of the act allows it.
#[test]
fn a_rule_that_names_what_leaves_allows_it_and_no_doubt_beside_it() {
    let decided = |script: &str, rule: &str| {
        let authority = Authority::new(vec![Rule::built_in("test", "bash", rule, Action::Allow)]);
        outcome(&judgement(script), &authority)
    };
    for rule in ["git push*", "git push *", "git push origin main"] {
        assert_eq!(decided("git push origin main", rule), Outcome::Allow, "{rule}");
        assert_eq!(decided("git -c a=b push origin main", rule), Outcome::Ask, "{rule}");
        assert_eq!(decided("git push origin $(x)", rule), Outcome::Ask, "{rule}");
    }
    for rule in ["*", "git *", "git pu*"] {
        assert_eq!(decided("git push origin main", rule), Outcome::Ask, "{rule}");
    }
    for rule in ["*", "git push *", "git push -f origin main"] {
        assert_eq!(decided("git push -f origin main", rule), Outcome::Confirm, "{rule}");
    }
}

#[test]
fn a_script_of_nothing_but_git_is_known_as_such() {
    for only in [
        "git status",
        "cd src && git log --oneline | head -5",
        "git add -A && git commit -m \"$(cat <<'EOF'\nFix it\nEOF\n)\"",
        "git diff --stat | tail -n 1; echo done",
        "git remote add o https://x.example/y",
        "git -c user.name=x -c user.email=y commit -m z",
        "git log $(git merge-base main HEAD)",
        "git commit -m \"$(date)\"",
        "cd sub && git add . && git commit -m x && echo done",
        "touch f && git add f && git commit -m x",
        "echo x > notes.txt && git add notes.txt && git commit -m x",
        "git add -A && git commit -m x && git log --oneline | head -3",
        "mkdir -p a && touch a/b && git add a",
        "printf '%s\\n' a > f; git add f; git commit -m x",
        "cp a b && git add b",
        "cp a b src && git add src",
        "mv a b && git add -A",
        "sed -i 's/a/b/' f && git add f",
        "git checkout -b x && sed -i.bak 's/a/b/' f && git commit -am y",
        "cat > f <<'EOF'\nx\nEOF\ngit add f && git commit -m x",
    ] {
        assert!(judgement(only).git_only, "{only}: {:?}", judgement(only));
    }
    for more in [
        "git status; make",
        "git lg",
        "git -c a=b log",
        "git -c user.name=x -c a=b log",
        "git add -A; git log $X",
        "git show \"$X\"",
        "ls",
        "git log > x",
        "git bisect run make",
        "git rebase --exec make main",
        "GIT_DIR=x git log",
        "git difftool",
        "git submodule foreach ls",
        "git log | sh",
        "git status | tee x",
        "echo x > .git/HEAD && git add .",
        "cp x .git/objects/y && git commit -m z",
        "touch repo/x && git add .",
        "cp x repo && git add .",
        "cp -r x . && git add .",
        "cp x/HEAD links && git add .",
        "cp x/* src && git add .",
        "mv repo r && cp x r/HEAD && git add .",
        "mv repo r && echo x > r/HEAD && git add .",
        "git checkout other -- r && echo x > r/HEAD",
        "git stash pop && touch r/HEAD",
        "ln -s .git r && git add r",
        "echo x > \"$X\" && git add .",
        "touch $X && git add .",
        "uniq a $X && git add .",
        "sed -i'.git/*' 's/a/b/' f && git add f",
        "sed -i 's/a/b/w x' f && git add f",
        "sed -f x f && git add f",
        "make && git commit -m x",
        "npm test && git commit -m x",
        "python3 x.py && git add .",
        "bash x.sh && git add .",
        "touch f && ./x && git commit -m x",
        "./touch f && git commit -m x",
        "touch() { make; }; touch f && git commit -m x",
        "env touch f && git add f",
        "find . -name x -delete && git add -A",
        "echo a | xargs touch && git add a",
    ] {
        assert!(!judgement(more).git_only, "{more}");
    }
    let config = |script: &str| (judgement(script).git_config, judgement(script).care.confirms());
    assert_eq!(config("git config --get a.b"), (false, false));
    assert_eq!(config("git checkout -b x origin/x"), (true, false));
    assert_eq!(config("git remote set-url o x"), (true, true));
    assert_eq!(config("git submodule update --init"), (true, true));
}

#[test]
fn what_must_write_the_repository_is_told_where_it_cannot() {
    let needs = |script: &str| judgement(script).git_needs;
    for (script, first) in [
        ("make && git commit -m x", "git commit -m x"),
        ("npm test; git status; git add -A; git commit -m x", "git add -A"),
        ("make; git checkout -b x", "git checkout -b x"),
        ("make; git stash", "git stash"),
        ("make; git branch x", "git branch x"),
        ("make; git branch -D x", "git branch -D x"),
        ("make; git tag v1", "git tag v1"),
        ("make; git tag -a v1 -m x", "git tag -a v1 -m x"),
        ("make; git restore --staged x", "git restore --staged x"),
        ("make; git apply --index p", "git apply --index p"),
        ("make; git submodule update", "git submodule update"),
        ("make; git -C sub commit -m x", "git -C sub commit -m x"),
        ("make; git worktree add ../x", "git worktree add ../x"),
    ] {
        assert_eq!(needs(script).as_deref(), Some(first), "{script}");
    }
    for nothing in [
        "git add -A && git commit -m x",
        "make; git status; git log -1; git diff; git show; git branch; git branch -a; git stash list",
        "make; git config --get a.b; git config user.name; git tag; git tag -l 'v*'; git remote -v",
        "make; git worktree list; git submodule status; git apply p; git branch --contains x; git bisect log",
        "make; git commit --help; git --version; git clone https://x.example/y",
        "git init /tmp/x && cd /tmp/x && make && git add a && git commit -m a",
        "make; git -C /tmp/x commit -m a",
    ] {
        assert_eq!(needs(nothing), None, "{nothing}");
    }
}

/// Where the kernel holds the files, only what is about programs or a loss is a question.
#[test]
fn a_view_answers_which_files_and_nothing_else() {
    let held = |script: &str| judged_on(script, true).1;
    for files in [
        "cat $X",
        "for f in $(git ls-files); do wc -l \"$f\"; done",
        "cd \"$(git rev-parse --show-toplevel)\" && ls",
        "find . -name '*.rs' | xargs grep -n x",
        "ls > \"$X\"",
        "curl -o x https://x.example",
        "git log $X",
        "mv a \"$X\"",
        "make | tee build.log",
    ] {
        assert!(matches!(judgement(files).care, Care::Doubt { .. }), "{files}: {:?}", judgement(files).care);
        assert_eq!(held(files).care, Care::Usual, "{files}");
    }
    let looped = "for f in $(git ls-files); do cat \"$f\"; done";
    assert_eq!(held(looped).patterns, ["git ls-files", "cat \"$f\""], "the script as a whole needs no rule");
    for loss in
        ["rm -f \"$X\"", "mv $X y", "find . -name \"$X\" -delete", "git clean -fd $X", "truncate -s 0 \"$X\""]
    {
        let care = held(loss).care;
        assert!(matches!(care, Care::Doubt { grave: true, .. }), "{loss}: {care:?}");
    }
    for program in ["$X", "sort $X", "git grep $X", "eval $X", "echo $((X))", "sed \"$X\" f", "awk \"$X\" f"]
    {
        assert!(matches!(held(program).care, Care::Doubt { .. }), "{program}");
    }
    assert!(held("rm -rf ~").care.confirms());
}

#[test]
fn a_doubt_is_grave_where_something_is_destroyed_or_sent_away() {
    let grave = |script: &str| match judgement(script).care {
        Care::Doubt { grave, .. } => grave,
        other => panic!("{script}: {other:?}"),
    };
    for script in [
        "$X; rm y",
        "rm $X",
        "eval $X; git reset --hard",
        "$X; git push",
        "$X; git checkout -- .",
        "$X; dd if=a of=b",
    ] {
        assert!(grave(script), "{script}");
    }
    for script in ["$X", "cat $X", "eval $X; git status"] {
        assert!(!grave(script), "{script}");
    }
}

#[test]
fn what_is_outside_is_told_with_its_paths_and_whether_it_is_written() {
    let found = judgement("cat /etc/a /etc/b; echo > /tmp/c");
    let outside =
        |folder: &str, paths: &[&str], write| Outside { folder: folder.into(), paths: strings(paths), write };
    assert_eq!(
        found.outside,
        [outside("/etc", &["/etc/a", "/etc/b"], false), outside("/tmp", &["/tmp/c"], true)]
    );
}

/// A file with the name of an option is one where a pattern names it.
#[test]
fn a_name_that_may_be_an_option_is_in_doubt() {
    for script in [
        "cd odd && sort *",
        "cd odd; tar cf x *",
        "touch -- -e1x; sed p *",
        "for f in odd/*; do sort \"$f\"; done",
    ] {
        let care = judged_on(script, true).1.care;
        assert!(
            matches!(&care, Care::Doubt { reason, .. } if reason.contains("option")),
            "{script}: {care:?}"
        );
    }
    assert_eq!(judged_on("cd src && sort *", true).1.care, Care::Usual);
}

#[test]
fn a_repository_that_lies_about_is_not_trusted() {
    assert!(matches!(judged_on("cd fake && git status", true).1.care, Care::Doubt { .. }));
    assert!(!judged_on("cd fake && git status", true).1.git_only);
    assert!(matches!(judged_on("git -C fake log", true).1.care, Care::Doubt { .. }));
    assert_eq!(judged_on("git status", true).1.care, Care::Usual);
    assert!(judgement("echo x > sub/.git/config").care.confirms());
}

#[test]
fn another_shell_means_other_things() {
    let posix = |script: &str| analyse(script, &Place { shell: Dialect::Posix, ..PLACE }).dynamic;
    for differs in [
        "echo $'x'",
        "[[ a > b ]]",
        "touch {a,b}",
        "ls &> x",
        "a=(b)",
        "x+=y ls",
        "diff <(a) <(b)",
        "cat <<< x",
        "pushd a",
        "exec -c ls",
        "ls 10>x",
    ] {
        assert!(posix(differs), "{differs}");
    }
    for same in
        ["ls -la | wc -l", "if [ -f x ]; then cat x; fi", "for x in a b; do echo $x; done", "x=$(date)"]
    {
        assert!(!posix(same), "{same}");
    }
    let zsh = Place { shell: Dialect::Zsh, ..PLACE };
    assert!(analyse("ls *", &zsh).dynamic && !analyse("ls -la", &zsh).dynamic);
    for inner in ["sh -c 'echo {a,b}'", "dash -c '[[ a ]]'", "zsh -c 'ls *'"] {
        assert!(matches!(judgement(inner).care, Care::Doubt { .. }), "{inner}");
    }
}
