//! What Perl may say, and tricks that it must not get away with.

use proptest::prelude::*;

use super::*;

fn operands(words: &[&str]) -> Option<Operands> {
    let words: Vec<Resolved> = ["perl"].iter().chain(words).map(|word| Resolved::fixed(word)).collect();
    command(&words).map(|known| known.operands)
}

#[test]
fn lines_that_are_printed_or_replaced_are_known() {
    for code in [
        "print if /TODO/",
        "print unless /^#/i",
        "s/foo/bar/g",
        "s/\\bfoo\\b/bar/g; s|a/b|c|",
        "s/(\\w+)=(\\d+)$/$2=$1/",
        "s#/a#/b#; s,x,$&$&,",
        "tr/a-z/A-Z/; y/a/b/",
        "print $F[1]",
        "print \"$F[0]: $F[-1]\\n\" if $. > 1",
        "print $1 . \"\\n\" if /v(\\d+)/",
        "/x/ and print",
        "/x/ && s/a/b/",
        "print if 5..10",
        "next if /x/; print $_",
        "print if !/a|b$/ and $. != 3",
        "print if $F[2] eq \"x\" or $F[0] =~ /y/",
    ] {
        assert_eq!(operands(&["-ne", code, "a.txt"]), Some(Operands::Read), "{code}");
    }
    assert_eq!(operands(&["-i", "-pe", "s/a/b/", "a.rs"]), Some(Operands::Write));
    assert_eq!(operands(&["-pi.bak", "-e", "s/a/b/", "a.rs"]), Some(Operands::Write));
    assert_eq!(operands(&["-lane", "print $F[1]", "a.txt"]), Some(Operands::Read));
    assert_eq!(operands(&["-F:", "-lane", "print $F[1]", "a.txt"]), Some(Operands::Read));
    assert_eq!(operands(&["-0777", "-pe", "s/\\n/ /g", "a"]), Some(Operands::Read));
    assert_eq!(operands(&["-e", "print \"x\\n\"", "x|"]), Some(Operands::Plain));
}

#[test]
fn no_trick_is_known() {
    for code in [
        "s/a/`x`/e",
        "s/a/system 1/ee",
        "s/a/@{[system 1]}/",
        "s/a/${\\system 1}/",
        "s/a/$x/",
        "s/a/$1[system 1]/",
        "s/a/$10[system 1]/",
        "s/a/$1{system 1}/",
        "s/a/$1->[system 1]/",
        "s/a/$&[system 1]/",
        "s/a/\\1[system 1]/",
        "s{a}{system 1}e",
        "s'a'b'e",
        "s(a)(b)e",
        "s/a/b/ge",
        "s/$x/b/",
        "s/@{[system 1]}/b/",
        "s/(?{system 1})/b/",
        "s/\\p{main::x}/b/",
        "$x[system 1]",
        "print $x[system 1]",
        "print $F[system 1]",
        "print \"$F[system 1]\"",
        "print \"$F[0][system 1]\"",
        "print \"$_[system 1]\"",
        "print \"$.[system 1]\"",
        "print \"@{[system 1]}\"",
        "print \"${\\system 1}\"",
        "print qx(id)",
        "print `id`",
        "print <*>",
        "print <STDIN>",
        "print STDOUT",
        "print {$x} 1",
        "print $_ system 1",
        "print; system 1",
        "print, system 1",
        "print if system 1",
        "print unless /x/ or system 1",
        "print if $. == system 1",
        "print if /(?{system 1})/",
        "print if /(??{system 1})/",
        "print if /(*{system 1})/",
        "/x/ and system 1",
        "system 1",
        "exec 1",
        "unlink x",
        "open F, \"x|\"",
        "eval $_",
        "do x",
        "require x",
        "use x",
        "BEGIN { system 1 }",
        "#!perl -Mx\nprint",
        "print # x",
        "}system 1;{",
        "print}system 1;{print",
        "tr/a/b/e",
        "s/a/b",
        "s/a",
        "s",
        "$_ = 1",
        "x",
    ] {
        assert_eq!(operands(&["-ne", code]), None, "{code}");
    }
    for words in [
        &["-ne", "print", "rm x|"][..],
        &["-ne", "print", "| rm x"],
        &["-ne", "print", "> x"],
        &["-ne", "print", " x"],
        &["-ane", "print", "x |"],
        &["-F:", "-e", "print", "x|"],
        &["-F/x/;system(1);#/", "-ane", "print"],
        &["-Mx", "-ne", "print"],
        &["-ne", "print", "-Mx"],
        &["-x", "-e", "print"],
        &["-d", "-e", "print"],
        &["-i/tmp/*", "-pe", "s/a/b/", "x"],
        &["-pie", "s/a/b/", "x"],
        &["-E", "print"],
        &["-n", "x"],
        &["-e"],
        &["-"],
        &[],
    ] {
        assert_eq!(operands(words), None, "{words:?}");
    }
}

#[test]
fn names_that_are_not_known_may_be_commands_to_perl() {
    let with = |word: Resolved| {
        let words = ["perl", "-pe", "s/a/b/"].iter().map(|word| Resolved::fixed(word));
        command(&words.chain([word]).collect::<Vec<_>>())
    };
    assert!(with(Resolved { glob: Some(4), ..Resolved::fixed("src/*.rs") }).is_some());
    for text in ["*.rs", "src/*"] {
        assert_eq!(with(Resolved { glob: Some(0), ..Resolved::fixed(text) }), None, "{text}");
    }
    assert_eq!(with(Resolved { sweep: Sweep::Few, ..Resolved::fixed("src") }), None);
    assert_eq!(with(Resolved::unknown("$x")), None);
}

proptest! {
    #[test]
    fn any_text_is_read_to_its_end(code in r#"(print|s/|tr|if|\$[_.1F]|['"\[\]/;|!= \n\\]|\PC){0,24}"#) {
        let _ = operands(&["-ne", &code]);
    }
}
