//! Scripts from a grammar of the shell's language, weighted to its odd corners.

use fastrand::Rng;

use super::mutate::requote;
use super::words::{FILES, FOLDERS, VARIABLES, program};
use super::pick;

/// Makes one script.
pub(super) struct Maker<'r> {
    pub(super) rng: &'r mut Rng,
    pub(super) depth: usize,
    /// How much of what is hard to know may be in it, from 0.
    pub(super) spice: u32,
    /// Variables that were set.
    pub(super) set: Vec<&'static str>,
    /// Bodies of heredocs that the next line end must bring.
    heredocs: Vec<String>,
}

/// A whole script.
pub(super) fn script(rng: &mut Rng) -> String {
    let spice = match rng.u32(0..10) {
        0..5 => 0,
        5..7 => 1,
        7..9 => 2,
        _ => 3,
    };
    let lines = 1 + rng.usize(..4);
    let mut maker = Maker { rng, depth: 0, spice, set: Vec::new(), heredocs: Vec::new() };
    let mut out = String::new();
    for _ in 0..lines {
        out.push_str(&maker.statement());
        out.push_str(&maker.end());
    }
    out
}

impl Maker<'_> {
    fn one_of(&mut self, among: &[&str]) -> String {
        (*pick(self.rng, among)).to_owned()
    }

    fn chance(&mut self, of: u32) -> bool {
        self.rng.u32(0..of) == 0
    }

    /// What ends a statement, with the heredocs that are due.
    fn end(&mut self) -> String {
        if !self.heredocs.is_empty() {
            let bodies = std::mem::take(&mut self.heredocs).concat();
            return format!("\n{bodies}");
        }
        match self.rng.u32(0..30) {
            0..20 => "\n".to_owned(),
            20..25 => "; ".to_owned(),
            25 => " &\n".to_owned(),
            26 => " # it's a \"comment\n".to_owned(),
            27 => ";# $(ls\n".to_owned(),
            28 => "\n\n  \n# c\n".to_owned(),
            _ => self.one_of(&["\r\n", " \\\n\n", ";\\\n", "\t\n", " \n", "\n\\\n", "&", "\n#\\\n", "\u{c}\n", ";;\n"]),
        }
    }

    /// Statements between words of a construct.
    fn body(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..1 + self.rng.usize(..2) {
            out.push_str(&self.statement());
            if self.heredocs.is_empty() {
                out.push_str(&self.one_of(&["; ", "\n", "\n", ";\n"]));
            } else {
                out.push('\n');
                out.push_str(&std::mem::take(&mut self.heredocs).concat());
            }
        }
        out
    }

    /// One statement, of any kind.
    pub(super) fn statement(&mut self) -> String {
        if self.depth > 3 {
            return self.simple();
        }
        self.depth += 1;
        let out = match self.rng.u32(0..100) {
            0..26 => self.simple(),
            26..38 => self.move_on(),
            38..52 => self.assign(),
            52..64 => self.chain(),
            64..70 => self.pipe(),
            70..86 => self.construct(),
            86..96 => self.wrapped(),
            _ if self.spice == 0 && !self.chance(4) => self.simple(),
            _ => self.setting(),
        };
        self.depth -= 1;
        out
    }

    /// `name word … > file`.
    fn simple(&mut self) -> String {
        let mut out = String::new();
        if self.chance(12) {
            out.push_str(&format!("{}={} ", self.name(), self.value()));
        }
        if self.chance(25) {
            out.push_str(&format!("{} ", self.redirect()));
        }
        let name = program(self.rng);
        let name = match self.rng.u32(0..40) {
            0 => requote(self.rng, name),
            1 => format!("/bin/{name}"),
            2 => self.one_of(&["./ls", "sub/ls", "/o/ls", "./tool", "f", "g", "$x", "\"$y\"", "!", "{", "\\ls", "ls\\\n", "''", "/usr/bin/rm", "~/ls", "out/cat"]),
            3 => self.one_of(&["f", "g", "f", "echo", "printf", "true", "false", ":", "test", "[", "pwd", "nosuch", "exit", "return", "break"]),
            _ => name.to_owned(),
        };
        out.push_str(&name);
        for _ in 0..self.rng.usize(..4) {
            out.push_str(&self.gap());
            out.push_str(&self.word());
        }
        while self.chance(6) {
            out.push_str(&self.gap());
            out.push_str(&self.redirect());
            if self.chance(8) {
                out.push(' ');
                out.push_str(&self.word());
            }
        }
        out
    }

    fn gap(&mut self) -> String {
        if self.chance(40) { self.one_of(&["\t", "  ", " \\\n", "\\\n", " \\\n ", "\r", "\u{c}", "\u{b}", "\u{a0}"]) } else { " ".to_owned() }
    }

    fn redirect(&mut self) -> String {
        if self.chance(7) {
            return self.heredoc();
        }
        let file = self.target();
        let sign = self.one_of(&[
            ">", ">", ">", ">>", "<", "<", "2>", "2>>", ">|", "&>", "&>>", ">&", "<>", "1<>", "3>", "3<", "{fd}>", "{x}<", "<<<", "2>&1 >", ">&2 2>", "<&", "0<", "10>",
            ">&3 3>", "2>&-", ">&-", "<&-",
        ]);
        if sign.ends_with('-') {
            return sign;
        }
        let gap = self.one_of(&["", " ", " ", "  ", "\t"]);
        format!("{sign}{gap}{file}")
    }

    fn heredoc(&mut self) -> String {
        let (word, end) = *pick(
            self.rng,
            &[("E", "E"), ("'E'", "E"), ("\"E\"", "E"), ("\\E", "E"), ("E'O'F", "EOF"), ("E\"\"", "E"), ("$E", "$E"), ("'a b'", "a b"), ("-E", "-E"), ("E;", "E")],
        );
        let body = self.one_of(&[
            "text\n", "$x\n", "$(ls)\n", "`ls`\n", "\\$(ls)\n", "${x:-$(ls)}\n", "a\\\nb\n", "'$(ls)'\n", "\"$(ls \"f\")\"\n", "E \n", "\tE\n", "", "$((1+1))\n", "\\\\$(ls)\n", "$(cat\n)\n",
            "E\\\n", "${x:=f}\n", "$(echo \"a\\\"b\")\n", "ls\nrm f\n", "cat f\n", "\r\n",
        ]);
        let sign = self.one_of(&["<<", "<<", "<<-", "<< "]);
        let end = if sign == "<<-" && self.rng.bool() { format!("\t{end}") } else { end.to_owned() };
        let tail = self.one_of(&["\n", "\n", "\n", "\n", " \n", "\r\n"]);
        self.heredocs.push(format!("{body}{end}{tail}"));
        format!("{sign}{word}")
    }

    /// A value that is assigned.
    fn value(&mut self) -> String {
        match self.rng.u32(0..20) {
            0..8 => (*pick(self.rng, FILES)).to_owned(),
            8..12 => (*pick(self.rng, FOLDERS)).to_owned(),
            12..14 => String::new(),
            14..16 => self.known_variable(),
            16 => "'a b'".to_owned(),
            17 => "\"*.txt\"".to_owned(),
            _ => self.word(),
        }
    }

    /// A variable; those that steer the shell only where anything goes.
    fn name(&mut self) -> &'static str {
        let most = if self.spice == 0 { 5 } else { VARIABLES.len() };
        VARIABLES[self.rng.usize(..most)]
    }

    fn assign(&mut self) -> String {
        let name = self.name();
        let value = self.value();
        if self.spice == 0 {
            self.set.push(name);
        }
        match self.rng.u32(0..30) {
            0..16 => format!("{name}={value}"),
            16 => format!("{name}+={value}"),
            17 => format!("{name}=({value} f)"),
            18 => format!("{name}[1]={value}"),
            19 => format!("export {name}={value}"),
            20 => {
                let how = self.one_of(&["declare", "typeset", "local", "readonly", "declare -g", "declare -i", "declare -l", "declare -u", "declare -n", "declare -a", "declare -A", "declare -r", "declare -x"]);
                format!("{how} {name}={value}")
            }
            21 => format!("{} {name}", self.one_of(&["unset", "unset -v", "unset -f", "unset -n", "readonly", "export", "export -n", "declare", "read", "read -r", "mapfile", "wait -p"])),
            22 => format!("printf -v {name} {}", self.one_of(&["%s f", "f", "'%s' src", "%d 1"])),
            23 => self.one_of(&["((N=1))", "((N++))", "let N=1", "let 'N = 2'", "((N))", "((N=y))", ": $((N=2))"]).replace('N', name),
            24 => format!(": ${{{name}:={value}}}"),
            25 => format!("read {name} <<< {value}"),
            26 => format!("{name}={value} y={value}"),
            27 => format!("{name}={value} {}", self.simple()),
            28 => self.one_of(&["exec {N}< f", "exec {N}> new", "getopts ab N", "for N in a b; do :; done", "read -a N <<< 'a b'", "IFS=: read N y <<< a:b", "unset N[0]", "select N in a; do break; done < f"]).replace('N', name),
            _ => format!("{name}=\"{}\"", self.one_of(&["$x/f", "a b", "$HOME", "$(ls)", "f", "/o", "\\$x", "src"])),
        }
    }

    /// What changes the folder.
    fn move_on(&mut self) -> String {
        let folder = (*pick(self.rng, FOLDERS)).to_owned();
        match self.rng.u32(0..14) {
            0..8 => format!("cd {folder}"),
            8 => format!("cd {folder} && {}", self.simple()),
            9 => format!("cd {folder} || {}", self.simple()),
            10 => format!("pushd {folder}"),
            11 => self.one_of(&["popd", "cd", "cd -", "pushd", "dirs", "cd -- ..", "popd -n", "pushd -n src", "cd $x", "cd \"$x\"", "CDPATH=/o cd sub", "cd src sub", "cd -e src", "cd -@ src", "command cd src", "builtin cd sub", "cd ''"]),
            12 => format!("(cd {folder}; {})", self.simple()),
            _ => format!("cd {folder} {}", self.redirect()),
        }
    }

    fn chain(&mut self) -> String {
        let mut out = self.statement();
        for _ in 0..1 + self.rng.usize(..2) {
            if !self.heredocs.is_empty() {
                break;
            }
            let sign = self.one_of(&[" && ", " || ", "; ", " & ", " &&\n", " || \n", "&&", "||", " && ! ", " &&\\\n", " && # c\n"]);
            out.push_str(&sign);
            out.push_str(&self.statement());
        }
        out
    }

    fn pipe(&mut self) -> String {
        let mut out = if self.chance(6) { "! ".to_owned() } else { String::new() };
        out.push_str(&self.statement());
        for _ in 0..1 + self.rng.usize(..2) {
            if !self.heredocs.is_empty() {
                break;
            }
            out.push_str(&self.one_of(&[" | ", " | ", " |& ", "|", " |\n", " | # c\n", " |\\\n"]));
            out.push_str(&if self.rng.bool() { self.simple() } else { self.statement() });
        }
        out
    }

    fn construct(&mut self) -> String {
        let test = if self.rng.bool() { self.test() } else { self.statement().replace('\n', ";") };
        self.heredocs.clear();
        let body = self.body();
        let out = match self.rng.u32(0..24) {
            0..2 => format!("( {body})"),
            2..4 => format!("{{ {body}}}"),
            4..6 => format!("if {test}; then {body}fi"),
            6 => format!("if {test}; then {body}else {}fi", self.body()),
            7 => format!("if {test}\nthen {body}elif {}; then {}fi", self.test(), self.body()),
            8 => format!("while {test}; do {body}break; done"),
            9 => format!("until {test}; do {body}break\ndone"),
            10..13 => {
                let name = self.name();
                if self.spice == 0 {
                    self.set.push(name);
                }
                let (one, two) = (self.word(), self.word());
                format!("for {name} in {one} {two}; do {body}done")
            }
            13 => format!("for ((i=0; i<2; i++)); do {body}done"),
            14 | 15 => {
                let (word, pattern) = (self.word(), self.one_of(&["x", "*", "f|g", "a*", "(x", "\"$x\"", "[a-z]*", "$x"]));
                let end = self.one_of(&[";;", ";&", ";;&"]);
                format!("case {word} in {pattern}) {body}{end} *) {} ;; esac", self.simple())
            }
            16..19 => {
                let name = self.one_of(&["f", "g", "ls", "cat", "h-i"]);
                let head = self.one_of(&["N() {", "function N {", "N () {", "function N() {", "N()\n{", "N() ("]).replace('N', &name);
                let tail = if head.ends_with('(') { ")" } else { "}" };
                let call = self.one_of(&["", "", "\nf", "; f a b", "; g", " > new; f", "\nls", "; unset -f f; f"]);
                format!("{head} {body}{tail}{call}")
            }
            19 => format!("select x in a b; do {body}break; done"),
            20 => format!("coproc {{ {body}}}"),
            21 => format!("{}{{ {body}}} {}", self.one_of(&["", "time ", "! ", "time -p ", "! ! "]), self.redirect()),
            22 => format!("( {body}) {}", self.redirect()),
            _ => format!("for x; do {body}done"),
        };
        if self.heredocs.is_empty() {
            return out;
        }
        let bodies = std::mem::take(&mut self.heredocs).concat();
        format!("{out}\n{bodies}:")
    }

    fn test(&mut self) -> String {
        let (one, two) = (self.word(), self.word());
        let name = *pick(self.rng, VARIABLES);
        match self.rng.u32(0..12) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => format!("[ -e {one} ]"),
            3 => format!("[[ {one} == {two} ]]"),
            4 => format!("[[ -n {one} && -f f ]]"),
            5 => format!("[[ ${name} -eq 1 ]]"),
            6 => "ls".to_owned(),
            7 => format!("test {one} = {two}"),
            8 => "((1))".to_owned(),
            9 => format!("[[ f < {two} ]]"),
            10 => format!("[ f \\> {two} ]"),
            _ => format!("[[ {one} =~ ^a ]]"),
        }
    }

    /// Commands that run commands.
    fn wrapped(&mut self) -> String {
        let inner = self.simple();
        self.heredocs.clear();
        let quoted = inner.replace('\'', "'\\''");
        match self.rng.u32(0..24) {
            0 | 1 => format!("env {inner}"),
            2 => format!("env {} {inner}", self.one_of(&["-i", "x=1", "-u x", "-C src", "--chdir=/o", "-", "--", "-iu x", "-S 'ls f'", "PATH=/o", "-v", "--unset=x", "-C/o", "--ch=src", "-0"])),
            3 => format!("command {inner}"),
            4 => format!("{} {inner}", self.one_of(&["command -p", "builtin", "exec", "command --", "exec -a x", "exec -c", "exec -l", "command -v", "time", "time -p", "nohup", "nice", "nice -n 5", "setsid", "stdbuf -oL", "\\command", "nice -5", "nice --adj=3"])),
            5 | 6 => format!("timeout {} {inner}", self.one_of(&["5", "-s KILL 5", "--signal=9 5", "-k 1 5", "--foreground 5", "5s", "-v 1", "--sig 9 5", "-sKILL 5"])),
            7 => format!("{} | xargs {inner}", self.one_of(&["echo f", "printf '%s\\n' a b", "ls", "echo 'a b'", "echo \"'x y'\"", "printf f"])),
            8 => format!("{} | xargs {} {inner}", self.one_of(&["echo f", "echo a b", "echo -n x"]), self.one_of(&["-n1", "-I{}", "-n 1", "-r", "-0", "-t", "-L1", "-d ,", "-I X", "-i", "--max-args=1", "-P2", "-a f", "--arg-file=/o/f", "-aa.txt"])),
            9 => format!("find {} -exec {inner} {}", self.one_of(&["src", ".", "sub /o", "f", ""]), self.one_of(&["\\;", "+", "';'", "{} \\;", "{} +", "\";\""])),
            10 => format!("find {} {}", self.one_of(&["src", ".", "/o", "-L sub", "-H link", "-D x src", "-O3 src"]), self.one_of(&["-delete", "-name f -delete", "-fprint new", "-fprintf new %p", "-fls new", "-name '*.c'", "-execdir ls {} \\;", "-ok ls \\;", "-newer f", "-type f"])),
            11 | 12 => format!("bash -c '{quoted}'"),
            13 => format!("sh -c '{quoted}'"),
            14 => format!("bash -c '{quoted}' a b"),
            15 => self.one_of(&["bash s.sh", "sh s.sh", "bash -c 'ls $0' f", "bash -c 'ls \"$@\"' _ f", "bash <<< 'ls f'", "echo ls | bash", "bash -x -c ls", "bash --norc -c 'ls f'", "bash -ec 'ls f'", "sh - <<< ls", "bash /o/s.sh", "bash -s <<E\nls f\nE\n", "bash < s.sh", "bash -c \"ls $x\"", "sh -c \"ls \\$x\"", "bash -O extglob -c ls", "bash -o errexit -c ls", "sh -c ls -c f", "BASH_ENV=s.sh bash -c :", "ENV=s.sh sh -c :"]),
            16 => format!("eval '{quoted}'"),
            17 => format!("eval {inner}"),
            18 => self.one_of(&["source s.sh", ". ./s.sh", ". s.sh", "source /o/s.sh", "source <(echo ls)", ". nosuch", "source f a b"]),
            19 => format!("trap '{quoted}' {}", self.one_of(&["EXIT", "0", "ERR", "DEBUG", "INT", "RETURN", "EXIT INT"])),
            20 => format!("env env {inner}"),
            21 => format!("env timeout 5 nice {inner}"),
            22 => format!("xargs {inner} < f"),
            _ => format!("exec {}", self.redirect()),
        }
    }

    /// What changes how the rest is read.
    fn setting(&mut self) -> String {
        self.one_of(&[
            "set -e", "set -f", "set -u", "set +e", "set -- a b", "set -o noglob", "set -n", "set -o pipefail", "set -C", "set -a", "set f g", "set -x", "set -k", "set -P", "set -B", "set +B", "set -T", "set -t",
            "shopt -s extglob", "shopt -s nullglob", "shopt -s expand_aliases\nalias ls='rm f'", "alias ls=rm", "alias x='cd /o'", "unalias -a", "shopt -s dotglob", "shopt -s globstar", "shopt -s autocd", "shopt -s lastpipe",
            "shopt -s nocaseglob", "shopt -s failglob", "enable -n cd", "enable -n echo", "hash -p /o/ls ls", "hash -r", "IFS=/", "IFS=", "IFS=a", "PATH=/o", "PATH=/o:$PATH", "PATH=.:$PATH", "HOME=/o", "PWD=/o", "OLDPWD=/o", "CDPATH=/o",
            "export PATH=/o", "BASH_ENV=s.sh", "POSIXLY_CORRECT=1", "set -o posix", "shift", "wait", "umask 777", "ulimit -f 0", "exit", "return", "break", "kill $$", "exit 1", "GLOBIGNORE='*'", "BASH_CMDS[ls]=/o/ls", "complete -W x ls",
            "true", ":", "umask 022", "shopt -u sourcepath", "shopt -s cdable_vars", "shopt -s cdspell", "PS4='$(ls)'", "PROMPT_COMMAND=ls", "TMPDIR=/o", "LC_ALL=C", "BASHOPTS=x", "readonly PATH", "declare -r x", "jobs", "disown", "bg", "suspend",
            "pwd > new", "echo f > new", "printf '%s\\n' a > src/new", "type ls", "type -p ls", "hash ls", "test -e f", "times", "unset PATH", "unset HOME", "unset IFS", "export HOME=/o", "let x=1", "local x=1", "mapfile x < f", "read x < f", "exec 3> new", "exec > new", "exec < f", "exec 3<&0",
        ])
    }
}
