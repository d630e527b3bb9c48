//! Scripts from a grammar of the shell's language, weighted to its odd corners.

use fastrand::Rng;

use super::mutate::requote;
use super::pick;
use super::pieces;
use super::words::VARIABLES;

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
    let spice = match rng.u32(0..100) {
        0..64 => 0,
        64..80 => 1,
        80..92 => 2,
        _ => 3,
    };
    let lines = 1 + rng.usize(..4);
    // What is small is more often known, and what is known is what is tested.
    let depth = if rng.u32(0..3) == 0 { 0 } else { 2 };
    let mut maker = Maker { rng, depth, spice, set: Vec::new(), heredocs: Vec::new() };
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

    pub(super) fn any(&mut self, list: &str) -> String {
        pieces::any(self.rng, list).to_owned()
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
            _ => self.any("ends"),
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
        let name = pieces::any(self.rng, "programs");
        let name = match self.rng.u32(0..40) {
            0 => requote(self.rng, name),
            1 => format!("/bin/{name}"),
            2 => self.any("commands"),
            3 => self.any("names"),
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
        if self.chance(40) { self.any("gaps") } else { " ".to_owned() }
    }

    fn redirect(&mut self) -> String {
        if self.chance(7) {
            return self.heredoc();
        }
        let file = self.target();
        let sign = self.any("redirections");
        if sign.ends_with('-') {
            return sign;
        }
        let gap = self.one_of(&["", " ", " ", "  ", "\t"]);
        format!("{sign}{gap}{file}")
    }

    fn heredoc(&mut self) -> String {
        let (word, end) = *pick(
            self.rng,
            &[
                ("E", "E"),
                ("'E'", "E"),
                ("\"E\"", "E"),
                ("\\E", "E"),
                ("E'O'F", "EOF"),
                ("E\"\"", "E"),
                ("$E", "$E"),
                ("'a b'", "a b"),
                ("-E", "-E"),
                ("E;", "E"),
            ],
        );
        let body = self.any("bodies");
        let sign = self.one_of(&["<<", "<<", "<<-", "<< "]);
        let end = if sign == "<<-" && self.rng.bool() { format!("\t{end}") } else { end.to_owned() };
        let tail = self.one_of(&["\n", "\n", "\n", "\n", " \n", "\r\n"]);
        self.heredocs.push(format!("{body}{end}{tail}"));
        format!("{sign}{word}")
    }

    /// A value that is assigned.
    fn value(&mut self) -> String {
        match self.rng.u32(0..20) {
            0..8 => self.any("files"),
            8..12 => self.any("folders"),
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
                let how = self.any("declarations");
                format!("{how} {name}={value}")
            }
            21 => format!("{} {name}", self.any("variables")),
            22 => format!("printf -v {name} {}", self.one_of(&["%s f", "f", "'%s' src", "%d 1"])),
            23 => self
                .one_of(&["((N=1))", "((N++))", "let N=1", "let 'N = 2'", "((N))", "((N=y))", ": $((N=2))"])
                .replace('N', name),
            24 => format!(": ${{{name}:={value}}}"),
            25 => format!("read {name} <<< {value}"),
            26 => format!("{name}={value} y={value}"),
            27 => format!("{name}={value} {}", self.simple()),
            28 => self
                .one_of(&[
                    "exec {N}< f",
                    "exec {N}> new",
                    "getopts ab N",
                    "for N in a b; do :; done",
                    "read -a N <<< 'a b'",
                    "IFS=: read N y <<< a:b",
                    "unset N[0]",
                    "select N in a; do break; done < f",
                ])
                .replace('N', name),
            _ => format!(
                "{name}=\"{}\"",
                self.one_of(&["$x/f", "a b", "$HOME", "$(ls)", "f", "/o", "\\$x", "src"])
            ),
        }
    }

    /// What changes the folder.
    fn move_on(&mut self) -> String {
        let folder = self.any("folders");
        match self.rng.u32(0..14) {
            0..8 => format!("cd {folder}"),
            8 => format!("cd {folder} && {}", self.simple()),
            9 => format!("cd {folder} || {}", self.simple()),
            10 => format!("pushd {folder}"),
            11 => self.any("moves"),
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
            let sign = self.any("chains");
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
                let (word, pattern) =
                    (self.word(), self.one_of(&["x", "*", "f|g", "a*", "(x", "\"$x\"", "[a-z]*", "$x"]));
                let end = self.one_of(&[";;", ";&", ";;&"]);
                format!("case {word} in {pattern}) {body}{end} *) {} ;; esac", self.simple())
            }
            16..19 => {
                let name = self.one_of(&["f", "g", "ls", "cat", "h-i"]);
                let head = self
                    .one_of(&["N() {", "function N {", "N () {", "function N() {", "N()\n{", "N() ("])
                    .replace('N', &name);
                let tail = if head.ends_with('(') { ")" } else { "}" };
                let call =
                    self.one_of(&["", "", "\nf", "; f a b", "; g", " > new; f", "\nls", "; unset -f f; f"]);
                format!("{head} {body}{tail}{call}")
            }
            19 => format!("select x in a b; do {body}break; done"),
            20 => format!("coproc {{ {body}}}"),
            21 => format!(
                "{}{{ {body}}} {}",
                self.one_of(&["", "time ", "! ", "time -p ", "! ! "]),
                self.redirect()
            ),
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
            2 => format!("env {} {inner}", self.any("env")),
            3 => format!("command {inner}"),
            4 => format!("{} {inner}", self.any("wrappers")),
            5 | 6 => format!("timeout {} {inner}", self.any("timeout")),
            7 => format!(
                "{} | xargs {inner}",
                self.one_of(&[
                    "echo f",
                    "printf '%s\\n' a b",
                    "ls",
                    "echo 'a b'",
                    "echo \"'x y'\"",
                    "printf f"
                ])
            ),
            8 => format!(
                "{} | xargs {} {inner}",
                self.one_of(&["echo f", "echo a b", "echo -n x"]),
                self.any("xargs")
            ),
            9 => format!(
                "find {} -exec {inner} {}",
                self.one_of(&["src", ".", "sub /o", "f", ""]),
                self.one_of(&["\\;", "+", "';'", "{} \\;", "{} +", "\";\""])
            ),
            10 => format!(
                "find {} {}",
                self.one_of(&["src", ".", "/o", "-L sub", "-H link", "-D x src", "-O3 src"]),
                self.any("find")
            ),
            11 | 12 => format!("bash -c '{quoted}'"),
            13 => format!("sh -c '{quoted}'"),
            14 => format!("bash -c '{quoted}' a b"),
            15 => self.any("shells"),
            16 => format!("eval '{quoted}'"),
            17 => format!("eval {inner}"),
            18 => self.one_of(&[
                "source s.sh",
                ". ./s.sh",
                ". s.sh",
                "source /o/s.sh",
                "source <(echo ls)",
                ". nosuch",
                "source f a b",
            ]),
            19 => format!(
                "trap '{quoted}' {}",
                self.one_of(&["EXIT", "0", "ERR", "DEBUG", "INT", "RETURN", "EXIT INT"])
            ),
            20 => format!("env env {inner}"),
            21 => format!("env timeout 5 nice {inner}"),
            22 => format!("xargs {inner} < f"),
            _ => format!("exec {}", self.redirect()),
        }
    }

    /// What changes how the rest is read.
    fn setting(&mut self) -> String {
        self.any("settings")
    }
}
