//! What happened, held against what the analysis said.

use praxis_policy::shell::{About, Analysis, Dialect, How, Place, Simple, Touched, Word, analyse};

use crate::event::Event;
use crate::jail::Shell;
use crate::world;

/// Programs whose arguments, options aside, are files; with whether they are written.
const FILERS: &[(&str, bool)] = &[
    ("cat", false),
    ("rm", true),
    ("touch", true),
    ("mkdir", true),
    ("rmdir", true),
    ("stat", false),
    ("tac", false),
    ("rev", false),
    ("sha256sum", false),
    ("md5sum", false),
    ("cmp", false),
    ("realpath", false),
];

/// What the analysis says of a script that starts in the jail, but for what it is to forget.
pub(crate) fn read(script: &str, shell: Shell, prefix: &str, forget: Option<&str>) -> Analysis {
    let shell = match shell {
        Shell::Bash => Dialect::Bash,
        Shell::Dash => Dialect::Posix,
    };
    let (cwd, home) = (format!("{prefix}{}", world::CWD), format!("{prefix}{}", world::HOME));
    let mut found = analyse(script, &Place { cwd: &cwd, home: &home, users: &[], shell });
    if !prefix.is_empty() {
        strip(&mut found, prefix);
    }
    match forget {
        Some("command") => drop(found.commands.pop()),
        Some(_) => {
            found.paths.pop();
            found.touched.pop();
        }
        None => {}
    }
    found
}

/// Names places as the jail does.
fn strip(found: &mut Analysis, prefix: &str) {
    let words = found.commands.iter_mut().flat_map(|command| &mut command.argv).map(|word| &mut word.text);
    let touched =
        found.touched.iter_mut().flat_map(|one| [Some(&mut one.path), one.unless.as_mut()]).flatten();
    let harms = found.harms.iter_mut().map(|harm| &mut harm.path);
    for text in words.chain(touched).chain(harms).chain(&mut found.paths).chain(&mut found.writes) {
        *text = text.replace(prefix, "");
    }
}

/// How much an analysis claims to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Knows {
    /// It doubts which programs run.
    Nothing,
    /// It doubts only which files are touched.
    Programs,
    /// It doubts nothing.
    All,
}

impl Knows {
    /// What this one claims.
    pub(crate) fn of(found: &Analysis) -> Self {
        if !found.dynamic {
            Self::All
        } else if found.doubts.iter().all(|doubt| doubt.about != About::Program) {
            Self::Programs
        } else {
            Self::Nothing
        }
    }
}

/// The first thing that happened and that the analysis neither listed nor called doubtful.
pub(crate) fn unlisted<'e>(found: &Analysis, events: &'e [Event]) -> Option<(&'e Event, &'static str)> {
    let knows = Knows::of(found);
    events.iter().find_map(|event| complaint(found, knows, event).map(|complaint| (event, complaint)))
}

fn complaint(found: &Analysis, knows: Knows, event: &Event) -> Option<&'static str> {
    match event {
        _ if knows == Knows::Nothing => None,
        Event::Run { file, argv, cwd } => {
            // What `xargs` does on its own.
            if file == "/bin/echo" {
                return None;
            }
            let told = found.commands.iter().any(|command| tells(command, knows, file, argv, cwd));
            if !told {
                return Some("a program ran that is not listed");
            }
            if knows == Knows::Programs {
                return None;
            }
            let name = file.strip_prefix("/bin/")?;
            let (_, write) = FILERS.iter().find(|(known, _)| *known == name)?;
            if argv.iter().any(|word| word.starts_with("-r") && name == "touch") {
                return None;
            }
            let files = argv
                .iter()
                .skip(1)
                .filter(|word| !word.starts_with('-') && !word.is_empty() && !word.starts_with("/dev/"));
            for word in files {
                let path = if word.starts_with('/') { word.clone() } else { format!("{cwd}/{word}") };
                let by_find = found.commands.iter().any(|one| one.source.starts_with("find"))
                    && below_any(&found.paths, &path);
                if !touches(found, &path, *write) && !by_find {
                    return Some("a program was given a file that is not listed");
                }
            }
            None
        }
        _ if knows == Knows::Programs => None,
        Event::Open { path, write } if touches(found, path, *write) => None,
        Event::Open { write: true, .. } => Some("a file was written that is not listed"),
        Event::Open { .. } => Some("a file was read that is not listed"),
        Event::Change { path } if touches(found, path, true) || swept(found, path) => None,
        Event::Change { .. } => Some("a name was changed that is not listed"),
    }
}

/// Is it below a folder that goes as a whole?
fn swept(found: &Analysis, path: &str) -> bool {
    found.harms.iter().any(|harm| below_any(std::slice::from_ref(&harm.path), path))
        || below_any(&found.writes, path)
}

fn below_any(folders: &[String], path: &str) -> bool {
    let path = world::near(path);
    folders.iter().any(|folder| {
        let folder = world::real(folder);
        let folder = folder.trim_end_matches('/');
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Is this the command that ran?
fn tells(command: &Simple, knows: Knows, file: &str, argv: &[String], cwd: &str) -> bool {
    let Some((name, words)) = command.argv.split_first() else { return false };
    let runs = if name.text.contains('/') {
        let path =
            if name.text.starts_with('/') { name.text.clone() } else { format!("{cwd}/{}", name.text) };
        world::real(&path) == file
    } else {
        file.strip_prefix("/bin/") == Some(name.text.as_str())
    };
    let args = argv.get(1..).unwrap_or_default();
    // `xargs` and `find` add files that are in doubt.
    let most = if knows == Knows::Programs { args.len() } else { 0 };
    runs && (0..=most).any(|more| fits(words, &args[..args.len() - more]))
}

/// Can these words become these arguments?
fn fits(words: &[Word], args: &[String]) -> bool {
    let Some((word, rest)) = words.split_first() else { return args.is_empty() };
    if !word.is_static {
        return (0..=args.len()).any(|taken| fits(rest, &args[taken..]));
    }
    // What an expansion leaves empty is no word at all.
    if word.text.is_empty() && fits(rest, args) {
        return true;
    }
    // After `cd //` the shell calls the root so.
    let is_same = |arg: &String| *arg == word.text || arg.replacen("//", "/", 1) == word.text;
    if args.first().is_some_and(is_same) && fits(rest, &args[1..]) {
        return true;
    }
    if !word.text.contains(['*', '?', '[', '{']) {
        return false;
    }
    // Names that a pattern matches come with single slashes.
    let single = word.text.split("//").filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    let slashed =
        if word.text.ends_with("//") { format!("{}/", single.trim_end_matches('/')) } else { single };
    let fit = |arg: &&String| matches(&word.text, arg) || matches(&slashed, arg);
    let most = args.iter().take_while(fit).count();
    (1..=most).rev().any(|taken| fits(rest, &args[taken..]))
}

/// Is the path among those that the analysis lists?
fn touches(found: &Analysis, path: &str, write: bool) -> bool {
    // Numbers that the shell counts are as good as any name.
    if path
        .rsplit('/')
        .next()
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
    {
        return true;
    }
    let plain = world::tidy(path);
    let near = world::near(path);
    let path = world::real(path);
    let listed = if write { &found.writes } else { &found.paths };
    listed.iter().any(|known| world::real(known) == path || world::near(known) == near)
        || found.touched.iter().filter(|one| !write || one.how != How::Read).any(|one| {
            reaches(one, &path) || reaches(one, &near) || (one.glob.is_some() && reaches(one, &plain))
        })
}

fn reaches(one: &Touched, path: &str) -> bool {
    if one.unless.as_deref().is_some_and(world::is_folder) {
        return false;
    }
    let base = world::real(&one.path);
    match &one.glob {
        None => base == path,
        Some(glob) => {
            let folder = base.trim_end_matches('/');
            path.strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|name| matches(glob, name) || glob.contains('/'))
                || world::links(folder).any(|(name, target)| matches(glob, name) && target == path)
        }
    }
}

/// Where the class that `rest` continues is over.
fn class_end(rest: &str) -> usize {
    let mut at = usize::from(rest.starts_with(['!', '^']));
    at += usize::from(rest[at..].starts_with(']'));
    while at < rest.len() {
        let left = &rest[at..];
        if left.starts_with("[:")
            && let Some(end) = left.find(":]")
        {
            at += end + 2;
        } else if left.starts_with(']') {
            return at + 1;
        } else {
            at += left.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// A glob against a name; classes and what is unusual fit any one sign, for only the place is in question.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some(first) = pattern.chars().next() else { return name.is_empty() };
    let rest = &pattern[first.len_utf8()..];
    let tail = |name: &str| name.chars().next().map(|c| name[c.len_utf8()..].to_owned());
    match first {
        '*' => matches(rest, name) || tail(name).is_some_and(|name| matches(pattern, &name)),
        '?' => tail(name).is_some_and(|name| matches(rest, &name)),
        '[' if rest.contains(']') => {
            let end = class_end(rest);
            tail(name).is_some_and(|name| matches(&rest[end..], &name))
                || name.strip_prefix('[').is_some_and(|name| matches(rest, name))
        }
        '{' if rest.starts_with('}') => (0..=name.len())
            .filter(|at| name.is_char_boundary(*at))
            .any(|at| matches(&rest[1..], &name[at..])),
        '\\' if !rest.is_empty() && !name.starts_with('\\') => matches(rest, name),
        _ => name.strip_prefix(first).is_some_and(|name| matches(rest, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(file: &str, argv: &[&str], cwd: &str) -> Event {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        Event::Run { file: file.to_owned(), argv, cwd: cwd.to_owned() }
    }

    fn complaint_of(script: &str, event: Event) -> Option<&'static str> {
        let found = read(script, Shell::Bash, "", None);
        unlisted(&found, &[event]).map(|(_, complaint)| complaint)
    }

    #[test]
    fn what_is_listed_passes_and_what_is_not_fails() {
        let ran = |argv: &[&str]| run("/bin/stat", argv, "/w/p");
        assert_eq!(complaint_of("stat f", ran(&["stat", "f"])), None);
        assert!(complaint_of("stat f", ran(&["stat", "g"])).is_some());
        assert!(complaint_of("stat f", ran(&["stat", "f", "g"])).is_some());
        assert!(complaint_of("stat f", run("/o/stat", &["stat", "f"], "/w/p")).is_some());
        assert!(complaint_of("stat f", run("/bin/stat", &["stat", "f"], "/o")).is_some());
        assert_eq!(complaint_of("stat *.txt", ran(&["stat", "a.txt", "b.txt"])), None);
        assert!(complaint_of("stat *.txt", ran(&["stat", "a.c"])).is_some());
        assert_eq!(complaint_of("stat *//", ran(&["stat", "a/", "b/"])), None);
        assert!(complaint_of("stat *//", ran(&["stat", "a"])).is_some());
    }

    #[test]
    fn a_file_that_is_opened_must_be_listed_for_that_use() {
        let open = |path: &str, write| Event::Open { path: path.to_owned(), write };
        assert_eq!(complaint_of("< f", open("/w/p/f", false)), None);
        assert!(complaint_of("< f", open("/w/p/f", true)).is_some());
        assert_eq!(complaint_of("> out/f", open("/o/f", true)), None);
        assert!(complaint_of("> f", open("/o/f", true)).is_some());
    }

    #[test]
    fn doubt_excuses_and_doubt_about_files_excuses_files_alone() {
        let other = || run("/bin/rm", &["rm", "f"], "/w/p");
        assert_eq!(complaint_of("$(tool) f", other()), None);
        assert!(complaint_of("cat $(tool)", other()).is_some());
        assert_eq!(complaint_of("cat $(tool)", run("/bin/cat", &["cat", "/o/f"], "/w/p")), None);
    }

    #[test]
    fn a_glob_is_matched_sign_by_sign() {
        for (pattern, name) in
            [("*.txt", "a.txt"), ("[[:alpha:]].c", "b.c"), ("[]x]", "]"), ("[", "["), ("a?", "ab")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.txt", "a.c"), ("?", "ab"), ("a", "b")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
