//! The shell analyser as its callers see it: the printed shape, its limits, and properties over many scripts.

use praxis_policy::shell::{Analysis, Dialect, Place, analyse, fuzz};
use proptest::prelude::*;
use serde_json::json;

const PLACE: Place<'static> = Place { cwd: "/w/p", home: "/home/me", users: &[], shell: Dialect::Bash };

fn read(script: &str) -> Analysis {
    analyse(script, &PLACE)
}

#[test]
fn a_lone_dash_before_a_redirection_is_a_word() {
    for script in
        ["cat a - <<'E'\nx\nE", "cd b && cat a - <<'E'\nx\nE", "ls | cat a - <<'E'\nx\nE", "cat a - < b"]
    {
        let found = read(script);
        assert!(!found.dynamic, "{script}: {:?}", found.doubts);
        assert!(found.commands.iter().any(|command| command.source == "cat a -"), "{script}");
    }
}

#[test]
fn the_printed_shape_has_commands_paths_writes_and_doubt() {
    let found = read("cd sub && cp \"a b\" $HOME/x > log; echo $(date) 2>/dev/null");
    assert_eq!(
        found.to_json().to_string(),
        json!({
            "commands": [
                { "argv": ["cp", "a b", "/home/me/x"], "always": "cp *" },
                { "argv": ["echo", "$(date)"], "always": "echo *" },
                { "argv": ["date"], "always": "date *" },
            ],
            "paths": ["/w/p/sub", "/w/p/sub/log", "/w/p/sub/a b", "/home/me/x"],
            "writes": ["/w/p/sub/log", "/home/me/x"],
            "dynamic": false,
        })
        .to_string()
    );
}

#[test]
fn nothing_is_found_in_nothing() {
    for script in ["", " \n\t", "# a comment", "\n# one\n# two\n"] {
        assert_eq!(read(script), Analysis::default(), "{script:?}");
    }
}

#[test]
fn an_always_pattern_names_the_act_and_never_ends_in_a_flag() {
    let always = |script: &str| read(script).commands[0].always.clone();
    assert_eq!(always("unknown cmd sub"), "unknown *");
    assert_eq!(always("git checkout main"), "git checkout *");
    assert_eq!(always("aws s3 ls b"), "aws s3 ls *");
    assert_eq!(always("npm run dev x"), "npm run dev *");
    assert_eq!(always("docker compose up s"), "docker compose up *");
    assert_eq!(always("git"), "git *");
    assert_eq!(always("ls -la"), "ls *");
    assert_eq!(always("git -C x status"), "git -C x status");
    assert_eq!(always("python -c 'x'"), "python -c x");
}

#[test]
fn the_source_of_a_command_is_tidy() {
    let source = |script: &str| read(script).commands[0].source.clone();
    assert_eq!(source("A=1  git \t push   'a'\"b\""), "git push ab");
    assert_eq!(source("/bin/rm x"), "rm x");
    assert_eq!(source("/tmp/rm x"), "/tmp/rm x");
}

#[test]
fn wrappers_are_listed_and_so_is_what_they_run() {
    let found = read("sudo env A=1 rm x");
    let sources: Vec<&str> = found.commands.iter().map(|command| command.source.as_str()).collect();
    assert_eq!(sources, ["sudo env A=1 rm x", "env A=1 rm x", "rm x"]);
}

#[test]
fn a_folder_change_in_a_subshell_or_pipe_ends_with_it() {
    assert_eq!(read("(cd /etc); cat x").paths, ["/etc", "/w/p/x"]);
    assert_eq!(read("cd /etc | cat; cat x").paths, ["/etc", "/w/p/x"]);
    assert_eq!(read("cd /etc & cat x").paths, ["/etc", "/w/p/x"]);
    assert_eq!(read("echo $(cd /etc); cat x").paths, ["/etc", "/w/p/x"]);
    assert_eq!(read("pushd /etc; popd; cat x").paths, ["/etc", "/w/p/x"]);
}

#[test]
fn nul_bytes_and_syntax_errors_are_dynamic() {
    for script in ["ls\0", "ls (", "if", "'", "cat <<E\nx"] {
        assert!(read(script).dynamic, "{script:?}");
    }
}

#[test]
fn letters_beyond_ascii_are_letters() {
    let found = read("rm f\u{fc}rdich \u{10348}/\u{fffd} 'a\u{a0}b'");
    assert_eq!(found.writes, ["/w/p/f\u{fc}rdich", "/w/p/\u{10348}/\u{fffd}", "/w/p/a\u{a0}b"]);
    assert!(!found.dynamic);
    for odd in ["rm a\u{a0}b", "ls\u{2028}x", "ls \u{3000}", "ls \u{200b}x", "rm\u{202e}x"] {
        assert!(read(odd).dynamic, "{odd:?}");
    }
}

#[test]
fn a_word_is_no_number_because_it_begins_and_ends_with_one() {
    assert!(!read("echo $((2))").dynamic);
    for script in ["rm $((2))/../../$((1))", "cat <(ls)/../x<(ls)"] {
        assert!(read(script).dynamic, "{script}");
    }
}

#[test]
fn an_address_is_a_file_to_a_program_that_knows_only_files() {
    assert_eq!(read("cat https://a/b").paths, ["/w/p/https:/a/b"]);
    assert!(read("curl https://a/b").paths.is_empty());
}

#[test]
fn a_redirection_behind_a_change_of_folder_and_a_pipe_counts_in_both_folders() {
    let found = read("cd src && ls | sort > out");
    assert!(found.writes.contains(&"/w/p/src/out".to_owned()), "{:?}", found.writes);
}

/// Found by running scripts and looking at what happened.
#[test]
fn what_the_grammar_and_the_shell_read_otherwise_is_in_doubt() {
    let scripts = [
        "find \r",
        "wc \"\"\r",
        "bash ''\x0c",
        ">f\r",
        ">\x0c?",
        "ls\x0bx",
        "cmd {fd}>file",
        "cat {x}<f",
        "rmdir 0</",
        "mkdir 0<f",
        "s<<E\"\"\nE\nx",
        "f<<E'O'F\nEOF\nls",
        "c<<E;\nE\nls",
        "a\\\n#>c",
        "grep a\\\n#",
        "ls ''\\\n#",
        ">r\\\nf",
        "<d\\\nn",
        "/$\\\n''",
        "rmdir>&-[",
        "cp<&-''",
        "a>&-m",
        "f=${a-`ls`}",
        "coproc { cd src\n<a\n}",
        "! ! a",
        "echo $[1+1]",
        "echo a(b)",
        "ls !(x)",
        "(ls) #x\nrm y) ",
        "cat <<E\n$(cat <<F\nF\n)\nE",
        "[ a > b ]",
        "[ a -a b ] > c;[ d >e ]",
        "[[ a =~ (b c) ]]",
        "echo `ls \\`rm\\``",
        "cat <<E\na\\\nE\nls\nE\n",
        "a=(b)c",
        "select x in a; do ls; done",
        "cat <<-E\n \tE\nls\nE\n",
        "echo \"${x:-'}'}\"",
        "x=(ls\n#)\n)",
        "((ls) )",
        "$((ls) )",
        "echo ${x:-<(ls)}",
        "tool\"$\\\nx\"",
        "a\"$x\\\ny\"",
        ">&f\\\\",
        ">&' $v'",
        "find -exec { ';'",
        "nice { ls",
        "set +B\nrm {3..1}",
        "set -f -o posix\nls",
        "f|=|s|x>f\nv[]=&&c",
        "mkdir $((HOME=3)) ~",
        "rm $((a=3)) ${a}",
        "x=; rm \"${x:=a}\" \"$x\"",
        "g''rep x",
        "timeout 5 -v",
        "env a=b -v",
        "x=\n! ((x=1))\ncat \"$x\"",
        "! declare -u x\nx=f;cat \"$x\"",
    ];
    let certain: Vec<String> = scripts
        .into_iter()
        .filter(|script| !read(script).dynamic)
        .map(|script| format!("{script:?}: {}", read(script).to_json()))
        .collect();
    assert_eq!(certain.join("\n"), "");
}

#[test]
fn deep_and_long_scripts_are_read_or_doubted_and_never_overflow() {
    let nested = format!("{}ls{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(read(&nested).dynamic);
    let substituted = format!("{}ls{}", "echo $(".repeat(5_000), ")".repeat(5_000));
    assert!(read(&substituted).dynamic);
    let braces = "{".repeat(10_000);
    assert!(read(&braces).dynamic);
    let chain = format!("{}rm x", "ls && ".repeat(3_000));
    let found = read(&chain);
    assert_eq!((found.commands.len(), found.dynamic), (3_001, false));
    for heredocs in
        [format!("cat {}", "<<E ".repeat(1_000)), format!("cat <<{0}\nx\n{0}\n", "E".repeat(5_000))]
    {
        read(&heredocs);
    }
    // Nobody writes that much, and no shell takes it as an argument: what is not read may do anything.
    let long = read(&"echo hello world\n".repeat(1_024 * 1_024 / 17));
    assert!(long.dynamic && long.unseen && long.destroys());
    let text = format!("cat > x <<'EOF'\n{}EOF\nls", "many words of a text\n".repeat(5_000));
    assert_eq!((read(&text).commands.len(), read(&text).dynamic), (2, false));
}

/// Ways to run a command inside something else.
fn wrapped() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("rm -f secret"), Just("'rm' -f \"secret\""), Just("r\\m -f sec''ret")];
    leaf.prop_map(str::to_owned).prop_recursive(5, 32, 1, |inner| {
        (inner, 0..26_usize).prop_map(|(script, how)| {
            let quoted = script.replace('\'', "'\\''");
            let simple =
                !script.contains(['(', '{', ';', '|', '&', '\n', '>', '=', '!']) && !script.starts_with("if");
            match how {
                0 => format!("({script})"),
                1 => format!("{{ {script}; }}"),
                2 => format!("echo $({script})"),
                3 => format!("echo \"$({script})\""),
                4 => format!("ls && {script}"),
                5 => format!("{script} | cat"),
                6 => format!("if true; then {script}; fi"),
                7 => format!("while {script}; do ls; done"),
                8 => format!("sh -c '{quoted}'"),
                9 => format!("eval '{quoted}'"),
                10 => format!("A=$({script})"),
                11 => format!("cat <({script})"),
                12 => format!("f() {{ {script}; }}"),
                13 => format!("case a in a) {script};; esac"),
                14 => format!("echo ${{A:-$({script})}}"),
                15 => format!("[[ -n $({script}) ]]"),
                16 => format!("for i in a; do {script}; done"),
                17 => format!("cat <<E\n$({script})\nE\n"),
                18 if simple => format!("env A=1 {script}"),
                19 if simple => format!("timeout 5 {script}"),
                20 if simple => format!("nohup nice -n 3 {script}"),
                21 if simple => format!("find . -exec {script} \\;"),
                22 if simple => format!("B=2 {script} 2>/dev/null"),
                23 if simple => format!("command {script}"),
                24 => format!("{script} &"),
                _ => format!("ls; {script}"),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_an_analysis_that_keeps_its_promises(data in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz(&data);
    }

    #[test]
    fn any_mixture_of_shell_signs_gives_one_too(
        parts in prop::collection::vec(prop::sample::select(vec![
            "rm", " ", "x", "$(", ")", "(", "`", "'", "\"", "\\", "\n", "<<E", "\nE\n", ">", "<", "|", "&", ";", "{", "}",
            ",", "..", "$", "${", "cd", "eval", "sh -c", "find", "-exec", "~", "/", "*", "if", "then", "fi", "$'", "\\x2f",
            "for", "do", "done", "case", "in", "esac", "tar", "-f", "é", "=", "A", "[", "]", "[[", "]]", "#", "!", "1",
        ]), 0..40)
    ) {
        fuzz(parts.concat().as_bytes());
    }

    #[test]
    fn a_wrapped_command_is_found_or_doubted(script in wrapped()) {
        let found = read(&script);
        let seen = found.commands.iter().any(|command| command.source == "rm -f secret");
        prop_assert!(seen || found.dynamic, "{script}\n{}", found.to_json());
    }
}
