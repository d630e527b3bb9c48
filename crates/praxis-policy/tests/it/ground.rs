//! A small file system in mind, and decisions made on it by the real desk.

use std::collections::HashMap;

use praxis_policy::shell::{
    Analysis, Dialect, Eyes, Ground, Hold, Judgement, Place, Protected, Real, analyse, judge,
};
use praxis_policy::{Act, Asked, Authority, Care, Desk, Query};
use praxis_proto::{Action, Rule, SessionId};

pub(crate) const PLACE: Place<'static> =
    Place { cwd: "/w/p", home: "/home/me", users: &[("bob", "/home/bob")], shell: Dialect::Bash };

const FOLDERS: &[&str] = &[
    "/",
    "/etc",
    "/dev",
    "/tmp",
    "/home",
    "/home/me",
    "/home/me/.ssh",
    "/home/me/.local/share/praxis",
    "/w",
    "/w/p",
    "/w/p/.git",
    "/w/p/.git/hooks",
    "/w/p/.git/objects",
    "/w/p/build",
    "/w/p/dist",
    "/w/p/fake",
    "/w/p/odd",
    "/w/p/fake/objects",
    "/w/p/fake/refs",
    "/w/p/links",
    "/w/p/node_modules",
    "/w/p/src",
    "/w/p/sub",
    "/w/p/target",
];
const LINKS: &[(&str, &str)] = &[
    ("/w/p/out", "/etc"),
    ("/w/p/home", "/home/me"),
    ("/w/p/repo", "/w/p/.git"),
    ("/w/p/top", "/"),
    ("/w/p/src/deep", "/w/p/build"),
    ("/w/p/.venv/bin/python", "/usr/bin/python3.12"),
    ("/w/p/links/HEAD", "/w/p/.git/HEAD"),
    ("/w/p/.venv/bin/mine", "/home/me/bin/mine"),
];
const FILES: &[&str] = &[
    "/w/p/odd/--compress-program=x",
    "/w/p/.env",
    "/w/p/.git/index.lock",
    "/w/p/Cargo.toml",
    "/w/p/src/lib.rs",
    "/w/p/x",
    "/w/p/x.sh",
    "/w/p/script",
    "/w/p/scripts/setup.sh",
    "/w/p/scripts/run.sh",
    "/w/p/scripts/test.sh",
    "/w/p/.venv/bin/activate",
    "/w/p/venv/bin/activate",
];

/// Looks at the constants above.
pub(crate) struct Mind;

impl Eyes for Mind {
    fn real(&self, path: &str) -> Real {
        let links: HashMap<_, _> = LINKS.iter().copied().collect();
        let mut at = String::new();
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                at.truncate(at.rfind('/').unwrap_or(0));
                continue;
            }
            at = format!("{at}/{part}");
            if let Some(target) = links.get(at.as_str()) {
                at = target.trim_end_matches('/').to_owned();
            }
        }
        let path = if at.is_empty() { "/".to_owned() } else { at };
        let is_folder = FOLDERS.contains(&path.as_str());
        Real { path, is_folder }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let all = FOLDERS.iter().chain(FILES).copied().chain(LINKS.iter().map(|(link, _)| *link));
        let start = format!("{}/", folder.trim_end_matches('/'));
        all.filter_map(|path| path.strip_prefix(&start))
            .filter(|name| !name.is_empty() && !name.contains('/'))
            .map(str::to_owned)
            .collect()
    }
}

pub(crate) fn judged(script: &str) -> (Analysis, Judgement) {
    judged_on(script, false)
}

/// The same where the kernel may hold the files.
pub(crate) fn judged_on(script: &str, held: bool) -> (Analysis, Judgement) {
    let place = |path: &str, name: &str, hold| Protected { path: path.into(), name: name.into(), hold };
    let protected = [
        place("/", "the whole file system", Hold::Whole),
        place("/home/me", "the home folder", Hold::Whole),
        place("/w/p", "the project", Hold::Whole),
        place("/w/p/.git", "the repository's history", Hold::Content),
        place("/home/me/.local/share/praxis", "the state of Praxis", Hold::Sealed),
    ];
    let roots = ["/w/p".to_owned()];
    let analysis = analyse(script, &PLACE);
    let judgement = judge(&analysis, &Ground { roots: &roots, protected: &protected, eyes: &Mind, held });
    (analysis, judgement)
}

/// What comes out in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Allow,
    Ask,
    Deny,
    Confirm,
}

impl Outcome {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "allow" => Self::Allow,
            "ask" => Self::Ask,
            "deny" => Self::Deny,
            "confirm" => Self::Confirm,
            other => panic!("`{other}` is no outcome"),
        }
    }
}

/// Rules as a generous user may have them: the programs of `allowed` run with any arguments, but for those of `asked`.
pub(crate) fn authority(allowed: &str, asked: &[&str]) -> Authority {
    let rule =
        |permission: &str, pattern: &str, action| Rule::built_in("corpus", permission, pattern, action);
    let mut rules = vec![
        rule("*", "*", Action::Allow),
        rule("external_directory", "*", Action::Ask),
        rule("read", "*.env", Action::Ask),
        rule("bash", "*", Action::Ask),
    ];
    let programs = allowed.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    rules.extend(programs.map(|program| rule("bash", &format!("{program} *"), Action::Allow)));
    rules.extend(asked.iter().map(|program| rule("bash", &format!("{program} *"), Action::Ask)));
    Authority::new(rules)
}

/// Asks everything that a judgement says must be asked.
pub(crate) fn outcome(judgement: &Judgement, authority: &Authority) -> Outcome {
    let name = |path: &String| path.strip_prefix("/w/p/").unwrap_or(path).to_owned();
    let Judgement { outside, reads, writes, patterns, care, .. } = judgement;
    let asks: [(&str, Vec<String>, Care); 4] = [
        (
            "external_directory",
            outside.iter().map(|outside| format!("{}/*", outside.folder)).collect(),
            Care::Usual,
        ),
        ("read", reads.iter().map(name).collect(), Care::Usual),
        ("edit", writes.iter().map(name).collect(), Care::Usual),
        ("bash", patterns.clone(), care.clone()),
    ];
    let mut desk = Desk::default();
    let decided = asks.into_iter().map(|(permission, patterns, care)| {
        let query = Query {
            session: SessionId::from_raw("ses_1"),
            tool: None,
            permission: permission.into(),
            always: patterns.clone(),
            patterns,
            metadata: serde_json::Map::new(),
            act: Act::Custom,
            authority: authority.clone(),
            contained: false,
            care,
        };
        match desk.ask("per_1".into(), query, 0) {
            Asked::Granted(_) => Outcome::Allow,
            Asked::Refused(_) => Outcome::Deny,
            Asked::Pending(request) if Care::of(&request).confirms() => Outcome::Confirm,
            Asked::Pending(_) => Outcome::Ask,
        }
    });
    decided.max().unwrap_or(Outcome::Allow)
}
