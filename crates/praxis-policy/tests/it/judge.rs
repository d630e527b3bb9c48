//! What is asked for a script, and how carefully.

use praxis_policy::Care;
use praxis_policy::shell::Judgement;

use crate::ground::judged;

fn judgement(script: &str) -> Judgement {
    judged(script).1
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
        }
    );
}

#[test]
fn scripts_without_commands_ask_nothing_unless_they_write() {
    for quiet in ["", "# only words", "A=1", "cd .", "cd src", "cd src; cd .."] {
        let found = judgement(quiet);
        assert_eq!((found.patterns, found.outside, found.care), (vec![], vec![], Care::Usual), "{quiet}");
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
    assert_eq!(judgement("cat /etc/*").outside, ["/etc"]);
    assert_eq!(judgement("cd ../").outside, ["/w"]);
    assert_eq!(judgement("cat /etc/passwd ~/.ssh/id; ls /etc").outside, ["/etc", "/home/me/.ssh"]);
    assert_eq!(judgement("rm -rf src target").outside, Vec::<String>::new());
    assert_eq!(judgement("cat out/passwd").outside, ["/etc"], "through a link");
    assert_eq!(judgement("cat out/../x").outside, ["/"], "a parent is taken after the link");
    assert_eq!(judgement("cd out && cat ../x").outside, ["/etc", "/"], "from a folder behind a link too");
    assert_eq!(judgement("cd src; cat ../x").outside, Vec::<String>::new(), "the folder is there");
    assert_eq!(judgement("cd no; cat ../x").outside, ["/w"], "a `cd` may fail");
    assert_eq!(judgement("rm -r src; cd src; cat ../x").outside, ["/w"], "or be made to fail");
    assert_eq!(judgement("cat o*/passwd").outside, ["/etc"], "a pattern finds links");
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
        Care::Doubt(
            "the argument `$X` of `rm` is not known; the path `$X` is not known; \
             `git -c` can do more than its name says"
                .into()
        )
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
        assert!(matches!(judgement(shadowed).care, Care::Doubt(_)), "{shadowed}");
    }
}

#[test]
fn a_loop_over_known_words_is_followed() {
    let found = judgement("for x in a b; do rm $x; echo done; done");
    assert_eq!(found.patterns, ["rm a", "echo done", "rm b"]);
    assert_eq!((found.writes, found.care), (strings(&["/w/p/a", "/w/p/b"]), Care::Usual));
    for unknown in ["for x in $(ls); do rm $x; done", "for x in *; do rm $x; done", "for x; do rm $x; done"] {
        assert!(matches!(judgement(unknown).care, Care::Doubt(_)), "{unknown}");
    }
    let late = judgement("y=a; for x in 1 2; do cat $y; y=/etc/passwd; done");
    assert!(matches!(late.care, Care::Doubt(_)), "the second round may see another value");
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
    assert!(matches!(hidden.care, Care::Doubt(text) if text.contains("the shell runs what it reads")));
}
