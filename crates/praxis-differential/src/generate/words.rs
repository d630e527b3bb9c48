//! Words of commands: names of files, quoted in every way, and all that a shell expands.

use fastrand::Rng;

use super::grammar::Maker;
use super::mutate::requote;
use super::pick;

pub(super) const FILES: &[&str] = &[
    "f", "a.txt", "b.c", "src/f", "../f", "/o/f", "sub/../f", "link/f", "link/../f", "'x y'", "./-rf", ".env", "~/f", "up/f",
    "$HOME/f", "\"$HOME\"/f", "src/deep/f", "./f", "/w/p/f", "new", "out/f", "//o/f", "sub/./f", "'a;b'", "'$HOME'",
    "\"a b\"", "lf", "lo", "\\~", "'*'", "[x]", "/o/../w/f", "dangling", "$PWD/f", "nosuch/f", "src/", "o\"u\"t/f",
];
pub(super) const FOLDERS: &[&str] = &[
    "src", "sub", "..", "/o", "nosuch", "~", "src/deep", "link", "up", "/", "out", "-", ".", "'sub dir'", "build", "\"$HOME\"", "../..",
    "src/..", "link/..", "./sub", "/nosuch", "f", "-- src", "-P link", "-L link", "$PWD", "\"\"", "''", "-x", "./-x", "//o", "a", "b",
];
pub(super) const PROGRAMS: &[&str] =
    &["ls", "cat", "rm", "touch", "mkdir", "cp", "mv", "grep", "git", "make", "head", "tool", "wc", "rmdir", "stat", "foo"];
const OPTIONS: &[&str] = &["-l", "-rf", "--all", "-", "--", "-n", "-f", "--x=y", "-x"];
const PLAIN: &[&str] = &["a", "b", "1", "hello", "x=y", "'it'", "\"q\"", "''", "\"\"", "%s", "é", "a,b", "@", "+", "=", "==", ":", "in", "do", "if", "done", "!"];
const SAFE: &[&str] = &["a", "b", "1", "hello", "x=y", "'it'", "\"q\"", "''", "\"\"", "%s", "a,b", "+", ":"];
const GLOBS: &[&str] = &[
    "*.txt", "s*/f", "[ab].c", "?.c", "*", "sub/*", "[[:alpha:]].c", "[!x]", ".*", "*/f", "**/f", "/o/*", "[", "[]x]", "a[", "~/*", "@(a|b).txt",
    "!(x)", "+([a-z])", "\\*", "'*'.txt", "\"*\"", "*\\.txt", "[a\"-\"z]", "[^a]*",
];
const BRACES: &[&str] = &[
    "{a.txt,b.c}", "{1..3}", "{src,sub}/f", "{f,}", "a{,b}", "{a,b", "{}", "{a}", "{a..c}", "{3..1}", "\\{a,b}", "{a\\,b}", "'{a,b}'", "{\"a,b\",c}",
    "{a,{b,c}}", "{01..3}", "${x}{a,b}", "{$x,b}", "{a,b}{c,d}", "{-rf,f}", "{/o,src}/f", "{a;b}", "{a,\"b\"'c'}", "x{a,b}y{1..2}",
];
pub(super) const VARIABLES: &[&str] = &["x", "y", "z", "v", "a", "HOME", "PWD", "i"];

impl Maker<'_> {
    /// Any word.
    pub(super) fn word(&mut self) -> String {
        if self.spice == 0 && self.rng.u32(0..10) != 0 {
            return self.tame_word();
        }
        let kind = self.rng.u32(0..100);
        match kind {
            0..42 => (*pick(self.rng, FILES)).to_owned(),
            42..50 => (*pick(self.rng, PLAIN)).to_owned(),
            50..56 => (*pick(self.rng, OPTIONS)).to_owned(),
            56..62 => {
                let word = *pick(self.rng, &["a.txt", "src/f", "/o/f", "f", "ls", "-rf", "x y", "~/f", "a#b", "#f"]);
                requote(self.rng, word)
            }
            62..66 => self.ansi(),
            66..72 => (*pick(self.rng, BRACES)).to_owned(),
            72..78 => (*pick(self.rng, GLOBS)).to_owned(),
            78..92 => self.variable(),
            92..94 => self.arithmetic(),
            94..97 if self.spice > 1 => self.substitution(),
            97..99 if self.spice > 2 => self.odd_expansion(),
            _ => {
                let (one, two) = (self.small(), self.small());
                format!("{one}{two}")
            }
        }
    }

    /// A word that the text tells.
    fn tame_word(&mut self) -> String {
        match self.rng.u32(0..100) {
            0..55 => (*pick(self.rng, FILES)).to_owned(),
            55..62 => (*pick(self.rng, SAFE)).to_owned(),
            62..68 => (*pick(self.rng, OPTIONS)).to_owned(),
            68..76 => {
                let word = *pick(self.rng, &["a.txt", "src/f", "/o/f", "f", "ls", "-rf", "x y", "~/f", "a#b", "#f"]);
                requote(self.rng, word)
            }
            76..79 => self.ansi(),
            79..83 => (*pick(self.rng, BRACES)).to_owned(),
            83..87 => (*pick(self.rng, GLOBS)).to_owned(),
            _ => self.known_variable(),
        }
    }

    /// A variable that the script has set before, if there is one.
    pub(super) fn known_variable(&mut self) -> String {
        let Some(name) = self.set.last().copied().filter(|_| self.rng.u32(0..4) > 0) else {
            return (*pick(self.rng, &["", "\"\"", "", "\"/f\"", "/f", "~"])).to_owned();
        };
        (*pick(self.rng, &["$N", "\"$N\"", "${N}", "\"${N}/f\"", "$N/f", "${N:-f}", "${N:+f}", "src/$N", "\"$N\"/f", "$N$N", "${N-b}", "\"a $N\""]))
            .replace('N', name)
    }

    fn small(&mut self) -> String {
        (*pick(self.rng, &["f", "\"f\"", "'f'", "$x", "\"$y\"", "/", "~", "*", "\\ ", "src/", "\\\n", "$'t'", "{a,b}", "=", ":", "#", "..", "$", "\\", "?"]))
            .to_owned()
    }

    fn ansi(&mut self) -> String {
        (*pick(
            self.rng,
            &[
                "$'f'", "$'\\x66'", "$'\\146'", "$'a\\tb'", "$'a\\nb'", "$'\\''", "$'\\u0066'", "$'f\\0g'", "$'\\cA'", "$'\\e'", "$\"f\"", "$\"$x\"",
                "$'\\x6'", "$'\\x666'", "$'\\400'", "$'\\\\'", "$'\\q'", "$'a\\?'", "$'\\U00000066'", "$'\\x'", "$'\\u'", "\"$'f'\"", "$'f'\\''g'", "$'\\x{66}'",
                "$'\\xff'", "$'\\1'",
            ],
        ))
        .to_owned()
    }

    /// A variable in one of its many forms.
    pub(super) fn variable(&mut self) -> String {
        let name = *pick(self.rng, VARIABLES);
        let usual = ["$N", "\"$N\"", "${N}", "\"${N}\"", "$N/f", "\"$N/f\"", "'$N'", "\\$N", "\"\\$N\"", "src/$N"];
        let unusual = [
            "${N:-f}", "${N-f}", "\"${N:-a b}\"", "${N:+f}", "${N+src}", "${N:=f}", "${N=/o/f}", "${N:?}", "${N#a}", "${N##*/}", "${N%.txt}", "${N%%.*}",
            "${N/a/b}", "${N//a/}", "${N/#a/b}", "${N^^}", "${N,}", "${#N}", "${N:0:1}", "${N: -1}", "${N:1}", "${!N}", "${!N*}", "${N@Q}", "${N@P}",
            "${N@U}", "${N[0]}", "${N[@]}", "\"${N[@]}\"", "${N[*]}", "${#N[@]}", "${!N[@]}", "${N:-$(ls)}", "\"${N:-'f'}\"", "${N:-\"f\"}", "${N:-${y}}",
            "${N/a/$(ls)}", "${N:-`ls`}", "${N:-}}", "\"${N:-}}\"", "${N:-\\}}", "${N:-{a,b}}", "${N:-~}", "${N:-*.txt}",
        ];
        let special = ["$1", "\"$@\"", "$*", "$#", "$?", "$$", "$_", "$OLDPWD", "$IFS", "$RANDOM", "$0", "$-", "${1:-f}", "$10", "$UID", "$LINENO", "$SECONDS"];
        let form = match self.rng.u32(0..10) {
            0..6 => *pick(self.rng, &usual),
            6..9 => *pick(self.rng, &unusual),
            _ => *pick(self.rng, &special),
        };
        form.replace('N', name)
    }

    fn arithmetic(&mut self) -> String {
        let name = *pick(self.rng, VARIABLES);
        (*pick(
            self.rng,
            &[
                "$((1+2))", "$((N))", "$((N=3))", "$[1+1]", "$((N++))", "\"$((2*3))\"", "$(( 1 ))", "$((a[0]))", "$((N?1:2))", "$((0x10))", "$((1+$N))",
                "$((a[N]=4))", "$((`ls`))", "$((1<<2))", "$((\n1))", "$((N,2))", "$(((1)))",
            ],
        ))
        .replace('N', name)
    }

    /// The output of a command as a word.
    pub(super) fn substitution(&mut self) -> String {
        if self.depth > 3 {
            return "$(ls)".to_owned();
        }
        self.depth += 1;
        let inner = self.statement();
        self.depth -= 1;
        match self.rng.u32(0..10) {
            0..4 => format!("$({inner})"),
            4..7 => format!("\"$({inner})\""),
            7 if !inner.contains(['`', '\\']) => format!("`{inner}`"),
            8 => format!("<({inner})"),
            _ => format!("$( {inner}\n)"),
        }
    }

    fn odd_expansion(&mut self) -> String {
        (*pick(
            self.rng,
            &[
                "$(<f)", "$(</o/f)", ">(cat)", "<(ls)", "${ ls; }", "$(# c\nls)", "$(case x in x) ls;; esac)", "$(cat <<E\n)\nE\n)", "\"$(ls \"a b\")\"", "`ls \\`pwd\\``",
                "\"`ls \"f\"`\"", "$( (ls) )", "$((ls) | cat)", "$(ls)$(ls)", "\"$(echo ')')\"", "$(echo \\))", "${x:-$(ls '}')}", "\"${x:-\"$(ls)\"}\"", "$(ls;)", "$(ls &)",
            ],
        ))
        .to_owned()
    }

    /// A file as a redirection has it.
    pub(super) fn target(&mut self) -> String {
        if self.rng.u32(0..5) == 0 { self.word() } else { (*pick(self.rng, FILES)).to_owned() }
    }
}

/// A name of a function or program.
pub(super) fn program(rng: &mut Rng) -> &'static str {
    *pick(rng, PROGRAMS)
}
