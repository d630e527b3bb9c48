//! What git is told to do: an act that is known, one that changes its configuration, or who knows.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::word::{Resolved, Sweep};
use super::{harmless, risk};

/// The subcommands as data.
const TEXT: &str = include_str!("git.txt");

// Built once: it is constant, so that sharing it shares no state.
static TABLE: LazyLock<Table> = LazyLock::new(|| table(TEXT));

/// What the data says.
#[derive(Default)]
struct Table {
    kinds: HashMap<&'static str, Kind>,
    looks: HashSet<&'static str>,
    settings: HashMap<&'static str, Vec<&'static str>>,
    writes: HashSet<&'static str>,
    spares: HashSet<&'static str>,
    keeps: HashSet<&'static str>,
    beside: HashSet<&'static str>,
    writing: HashMap<&'static str, Vec<&'static str>>,
}

/// What a program other than git may do in a script that writes the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Beside {
    /// It has no place there.
    Nothing,
    /// It looks, or says something.
    Looks,
    /// It writes files that it names.
    Writes,
}

/// A git command that must write the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitWrite {
    /// The command in tidy text.
    pub source: String,
    /// The folders in which it may run, absolute.
    pub folders: Vec<String>,
}

/// What is known of one git command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum GitAct {
    /// Its act is known, and git's configuration stays as it is.
    Known,
    /// Its act is known, and it may note which branch of a known remote is followed.
    Follows,
    /// Its act is known and changes git's configuration; the text completes "this would …".
    Configures(String),
    /// It may be an alias, another program, or something that runs one.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Known,
    Follows,
    Configures,
    Unknown,
}

fn table(text: &'static str) -> Table {
    let mut table = Table::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        let kind = match words.next() {
            Some("known") => Kind::Known,
            Some("follows") => Kind::Follows,
            Some("configures") => Kind::Configures,
            Some(kind @ ("looks" | "writes" | "spares" | "keeps" | "beside")) => {
                table.names(kind).extend(words);
                continue;
            }
            Some(kind @ ("setting" | "writing")) => {
                let Some(key) = words.next() else { continue };
                let of = if kind == "setting" { &mut table.settings } else { &mut table.writing };
                of.insert(key, words.collect());
                continue;
            }
            _ => Kind::Unknown,
        };
        table.kinds.extend(words.map(|word| (word, kind)));
    }
    table
}

impl Table {
    fn names(&mut self, kind: &str) -> &mut HashSet<&'static str> {
        match kind {
            "looks" => &mut self.looks,
            "writes" => &mut self.writes,
            "spares" => &mut self.spares,
            "keeps" => &mut self.keeps,
            _ => &mut self.beside,
        }
    }
}

/// What a program may do beside git.
pub(super) fn beside(words: &[Resolved]) -> Beside {
    let [head, rest @ ..] = words else { return Beside::Nothing };
    if TABLE.beside.contains(head.text.as_str()) {
        return Beside::Looks;
    }
    let Some(flags) = TABLE.writing.get(head.text.as_str()) else { return Beside::Nothing };
    let is_known = |word: &Resolved| {
        let is_option = word.text.starts_with('-') && word.text.len() > 1;
        word.is_static
            && word.glob.is_none()
            && word.sweep == Sweep::Named
            && (!is_option || flags.contains(&word.text.as_str()))
    };
    if rest.iter().all(is_known) { Beside::Writes } else { Beside::Nothing }
}

/// Does it leave the work tree without new names, so that nothing it makes can lead a write astray?
pub(super) fn keeps_tree(words: &[&str]) -> bool {
    match words {
        // A new branch where the work stands.
        ["checkout", "-b", name] | ["switch", "-c", name] => !name.starts_with('-'),
        [sub, ..] => TABLE.keeps.contains(sub),
        [] => true,
    }
}

/// Must the command write the repository?
pub(super) fn must_write(words: &[Resolved]) -> bool {
    let Some([sub, rest @ ..]) = subcommand(words) else { return false };
    let sub = sub.text.as_str();
    let options = || rest.iter().map(|word| word.text.as_str()).take_while(|text| *text != "--");
    let second = options().next().unwrap_or_default();
    let has_operand = options().any(|text| !text.starts_with('-'));
    let says = |list: &HashSet<&'static str>| {
        let flagged = |key: &&str| {
            let flag = key.split_once('/').filter(|(name, _)| *name == sub).map(|(_, flag)| flag);
            flag.is_some_and(|flag| options().any(|text| risk::is_flag(text, flag)))
        };
        list.contains(sub)
            || list.contains(format!("{sub}:{second}").as_str())
            || (has_operand && list.contains(format!("{sub}+").as_str()))
            || list.iter().any(flagged)
    };
    // `git config a.b c`, but not `git config a.b`.
    let sets = sub == "config" && matches!(kind(sub, rest), Kind::Configures);
    let asks = options().any(|text| matches!(text, "--help" | "-h"));
    (says(&TABLE.writes) || sets) && !says(&TABLE.spares) && !asks
}

/// The command without settings that change nothing that matters: `git -c color.ui=never log` is a `git log`.
pub(super) fn without_settings(words: &[Resolved]) -> Cow<'_, [Resolved]> {
    let mut at = 1;
    let mut left = Vec::new();
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        let takes = word.text == "-c" || word.text == "-C";
        let is_idle = word.text == "-c" && words.get(at + 1).is_some_and(is_harmless_setting);
        let end = (at + 1 + usize::from(takes)).min(words.len());
        if !is_idle {
            left.extend_from_slice(&words[at..end]);
        }
        at = end;
    }
    if left.len() + 1 == at.min(words.len()) {
        return Cow::Borrowed(words);
    }
    Cow::Owned([&words[..1], &left, &words[at..]].concat())
}

fn is_harmless_setting(word: &Resolved) -> bool {
    let Some((key, value)) = word.text.split_once('=').filter(|_| word.is_static && word.glob.is_none())
    else {
        return false;
    };
    let key = key.to_ascii_lowercase();
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let section = format!("{}.*", key.split('.').next().unwrap_or_default());
    let settings = &TABLE.settings;
    let forms = settings.get(key.as_str()).or_else(|| settings.get(section.as_str()));
    is_plain && forms.is_some_and(|forms| harmless::fits(value, forms, &[], "/"))
}

/// Is it a subcommand that only looks, so that no argument makes it run a program?
///
/// `--ext-diff` and `--textconv` run what git's configuration names, which no script can write unasked.
pub(super) fn looks(words: &[Resolved]) -> bool {
    subcommand(words).and_then(<[Resolved]>::first).is_some_and(|sub| is_look(&sub.text))
}

/// The same of the name of a subcommand.
pub(super) fn is_look(name: &str) -> bool {
    TABLE.looks.contains(name)
}

/// The words behind git's own options: the subcommand and what follows it. `None` if an option of git itself is used
/// that may change what is run.
pub(super) fn subcommand(words: &[Resolved]) -> Option<&[Resolved]> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        match text {
            _ if !word.is_static => return None,
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => at += 2,
            "--no-pager"
            | "-P"
            | "--paginate"
            | "-p"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--no-replace-objects"
            | "--bare"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "--no-advice"
            | "--no-lazy-fetch" => at += 1,
            "--version" | "--help" | "-v" | "-h" => return words.get(at..),
            _ if ["--git-dir=", "--work-tree=", "--namespace="].iter().any(|flag| text.starts_with(flag)) => {
                at += 1;
            }
            _ if text.starts_with('-') => return None,
            _ => return words.get(at..),
        }
    }
    words.get(at..)
}

/// What the command does, where `risky` says whether something in it may run a program.
pub(super) fn act(words: &[Resolved], risky: bool) -> GitAct {
    let Some(rest) = subcommand(words).filter(|_| !risky) else { return GitAct::Unknown };
    let Some(first) = rest.first() else { return GitAct::Known };
    match kind(&first.text, &rest[1..]) {
        Kind::Known => GitAct::Known,
        Kind::Follows => GitAct::Follows,
        Kind::Configures => {
            let told: Vec<&str> = rest.iter().take(3).map(|word| word.text.as_str()).collect();
            GitAct::Configures(format!("change git's configuration (`git {}`)", told.join(" ")))
        }
        Kind::Unknown => GitAct::Unknown,
    }
}

fn kind(sub: &str, rest: &[Resolved]) -> Kind {
    let table = &TABLE.kinds;
    let options = || rest.iter().map(|word| word.text.as_str()).take_while(|text| *text != "--");
    let flagged = table.iter().filter_map(|(key, kind)| {
        let (name, flag) = key.split_once('/')?;
        (name == sub && options().any(|text| risk::is_flag(text, flag))).then_some(*kind)
    });
    // Of several options the worst counts; a question of `git config` is one only if nothing else is asked.
    let worst = flagged.max_by_key(|kind| {
        [Kind::Known, Kind::Follows, Kind::Configures, Kind::Unknown].iter().position(|other| other == kind)
    });
    if let Some(kind) = worst {
        return kind;
    }
    let operands: Vec<&str> = options().filter(|text| !text.starts_with('-')).collect();
    let second = operands.first().copied().or_else(|| options().next()).unwrap_or_default();
    if let Some(kind) = table.get(format!("{sub}:{second}").as_str()) {
        return *kind;
    }
    // `git config name` only tells the value.
    if sub == "config" && operands.len() == 1 {
        return Kind::Known;
    }
    table.get(sub).copied().unwrap_or(Kind::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> GitAct {
        let words: Vec<Resolved> = line.split(' ').map(Resolved::fixed).collect();
        act(&words, false)
    }

    #[test]
    fn every_line_of_the_table_has_a_known_kind() {
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let kind = line.split(' ').next().unwrap_or_default();
            assert!(
                [
                    "known",
                    "follows",
                    "configures",
                    "unknown",
                    "looks",
                    "setting",
                    "writes",
                    "spares",
                    "keeps",
                    "beside",
                    "writing"
                ]
                .contains(&kind),
                "{line}"
            );
        }
    }

    #[test]
    fn acts_are_told_apart() {
        for known in [
            "git status",
            "git -C sub log -1",
            "git config --get x",
            "git config user.name",
            "git submodule status",
            "git submodule",
            "git remote -v",
            "git remote",
            "git config --list",
            "git bisect good",
            "git --no-pager diff",
            "git rebase main",
            "git config --global --get a.b",
            "git config get a.b",
        ] {
            assert_eq!(of(known), GitAct::Known, "{known}");
        }
        for follows in ["git checkout main", "git push -u origin x", "git switch -c a origin/a", "git branch"]
        {
            assert_eq!(of(follows), GitAct::Follows, "{follows}");
        }
        for configures in [
            "git config a.b c",
            "git remote add o url",
            "git submodule update --init",
            "git config --unset a.b",
            "git config --global a.b c",
            "git remote set-url o url",
            "git config set a.b c",
            "git config --add a.b c",
            "git submodule update --ini",
        ] {
            assert!(matches!(of(configures), GitAct::Configures(_)), "{configures}");
        }
        for unknown in [
            "git lg",
            "git -c a=b log",
            "git --exec-path=x log",
            "git bisect run x",
            "git submodule foreach x",
            "git config -e",
            "git rebase -x make",
            "git rebase --ex make",
            "git difftool",
            "git filter-branch",
        ] {
            assert_eq!(of(unknown), GitAct::Unknown, "{unknown}");
        }
    }
}
