//! Acts that leave the machine for good: pushed, published, deployed, sent.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::risk;
use super::word::Resolved;

/// The acts as data.
const TEXT: &str = include_str!("leaving.txt");

// Built once: it is constant, so that sharing it shares no state.
static TABLE: LazyLock<HashMap<&'static str, Acts>> = LazyLock::new(|| table(TEXT));

/// An act that leaves the machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Leaving {
    /// What it does, for people; completes "this would …".
    pub what: String,
    /// The words that name it: `git push`.
    pub act: String,
    /// What it needs of what commands cannot otherwise reach.
    pub needs: Vec<Need>,
    /// Does it overwrite what others have, so that a person must confirm it every time?
    pub overwrites: bool,
}

/// What an act that leaves the machine needs of the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// Keys for `ssh`, and the socket of its agent.
    SshKeys,
    /// What git stores to sign in over HTTP.
    GitCredentials,
    /// The sign-in of a forge's tool: `gh`, `glab`.
    ForgeCredentials,
    /// Tokens of package registries.
    PackageCredentials,
    /// Sign-ins of container registries.
    ContainerCredentials,
    /// Accounts of clouds and what is deployed with them.
    CloudCredentials,
    /// Accounts of clusters.
    ClusterCredentials,
    /// Accounts and settings of mail programs.
    Mail,
}

/// What is known of one program.
#[derive(Default)]
struct Acts {
    leaves: Vec<Line>,
    stays: Vec<Line>,
    /// Options and first signs of operands that overwrite.
    force: Vec<&'static str>,
    valued: Vec<&'static str>,
}

#[derive(Clone)]
struct Line {
    terms: Vec<Term>,
    what: &'static str,
    needs: Vec<Need>,
}

/// One word of a line.
#[derive(Clone)]
enum Term {
    /// One of these words.
    Word(Vec<&'static str>),
    /// Any word, or none at the end.
    Any,
    /// An option, wherever it stands.
    Option(&'static str),
    /// An option that must not be there.
    Without(&'static str),
}

fn table(text: &'static str) -> HashMap<&'static str, Acts> {
    let mut table: HashMap<&'static str, Acts> = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split(" : ");
        let mut words = parts.next().unwrap_or_default().split_ascii_whitespace();
        let (Some(kind), Some(programs)) = (words.next(), words.next()) else { continue };
        match kind {
            "force" => {
                // The subcommand is that of the program's line above.
                table.entry(programs).or_default().force.extend(words.skip(1));
            }
            "valued" => {
                let flags: Vec<_> = words.collect();
                for program in programs.split(',') {
                    table.entry(program).or_default().valued.extend(&flags);
                }
            }
            _ => {
                let what = parts.next().unwrap_or_default();
                let needs = parts.next().unwrap_or_default().split_ascii_whitespace();
                let line =
                    Line { terms: words.map(term).collect(), what, needs: needs.filter_map(need).collect() };
                for program in programs.split('|') {
                    let acts = table.entry(program).or_default();
                    let lines = if kind == "stays" { &mut acts.stays } else { &mut acts.leaves };
                    lines.push(line.clone());
                }
            }
        }
    }
    table
}

fn term(word: &'static str) -> Term {
    match word {
        "*" => Term::Any,
        _ if word.starts_with("!-") => Term::Without(&word[1..]),
        _ if word.starts_with('-') => Term::Option(word),
        _ => Term::Word(word.split('|').collect()),
    }
}

fn need(word: &str) -> Option<Need> {
    Some(match word {
        "ssh" => Need::SshKeys,
        "git" => Need::GitCredentials,
        "forge" => Need::ForgeCredentials,
        "packages" => Need::PackageCredentials,
        "containers" => Need::ContainerCredentials,
        "cloud" => Need::CloudCredentials,
        "cluster" => Need::ClusterCredentials,
        "mail" => Need::Mail,
        _ => return None,
    })
}

/// What of the command leaves the machine. `name` is its program without folders.
pub(super) fn of(name: &str, words: &[Resolved]) -> Option<Leaving> {
    let head = words.first()?.text.as_str();
    let acts = TABLE.get(name).or_else(|| TABLE.get(head))?;
    let rest: Vec<&str> = words[1..].iter().map(|word| word.text.as_str()).collect();
    if rest.first().is_some_and(|first| is_question(first))
        || rest.last().is_some_and(|last| *last == "--help")
    {
        return None;
    }
    if acts.stays.iter().any(|line| fits(line, &rest, acts, false).is_some()) {
        return None;
    }
    let (line, end) = acts.leaves.iter().find_map(|line| Some((line, fits(line, &rest, acts, true)?)))?;
    let act: Vec<&str> = std::iter::once(name).chain(rest[..end].iter().copied()).collect();
    let overwrites = rest[end..].iter().any(|text| {
        acts.force.iter().any(|force| match force.starts_with('-') {
            true => risk::is_flag(text, force),
            false => text.starts_with(force),
        })
    });
    let what = match overwrites {
        true => format!("{} and overwrite what is there", line.what),
        false => line.what.to_owned(),
    };
    Some(Leaving { what, act: act.join(" "), needs: line.needs.clone(), overwrites })
}

/// Does the line fit, and up to which word? Who knows whether an option that is not known takes a value: `freely` tries
/// both, so that nothing hides behind one.
fn fits(line: &Line, words: &[&str], acts: &Acts, freely: bool) -> Option<usize> {
    let mut end = 0;
    let mut terms = Vec::new();
    for term in &line.terms {
        match term {
            Term::Option(flag) => {
                end = end.max(words.iter().position(|text| risk::is_flag(text, flag))? + 1);
            }
            Term::Without(flag) if words.iter().any(|text| risk::is_flag(text, flag)) => return None,
            Term::Without(_) => {}
            term => terms.push(term),
        }
    }
    Some(end.max(follow(&terms, words, acts, freely)?))
}

fn follow(terms: &[&Term], words: &[&str], acts: &Acts, freely: bool) -> Option<usize> {
    let mut terms = terms.iter();
    let Some(mut term) = terms.next() else { return Some(0) };
    let mut end = 0;
    let mut after_flag = false;
    let mut at = 0;
    while let Some(text) = words.get(at) {
        at += 1;
        if *text == "--" {
            continue;
        }
        if text.len() > 1 && text.starts_with('-') && !is_named(term, text) {
            if acts.valued.contains(text) {
                at += 1;
            } else if !freely {
                return None;
            } else {
                after_flag = !text.contains('=');
            }
            continue;
        }
        if is_named(term, text) {
            end = at;
            after_flag = false;
            match terms.next() {
                Some(next) => term = next,
                None => return Some(end),
            }
        } else if !std::mem::take(&mut after_flag) {
            return None;
        }
    }
    let is_open = matches!(term, Term::Any) && terms.all(|term| matches!(term, Term::Any));
    is_open.then_some(end)
}

fn is_named(term: &Term, text: &str) -> bool {
    match term {
        Term::Any => !text.starts_with('-'),
        Term::Word(names) => {
            names.iter().any(|name| match (name.strip_prefix('*'), name.strip_suffix('*')) {
                (Some(end), None) => text.ends_with(end),
                (None, Some(start)) => text.starts_with(start),
                (Some(rest), Some(_)) => text.contains(rest.trim_end_matches('*')),
                (None, None) => text == *name,
            })
        }
        Term::Option(_) | Term::Without(_) => false,
    }
}

/// Questions about the program itself.
fn is_question(text: &str) -> bool {
    matches!(text, "--help" | "-h" | "--version" | "help" | "version")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(line: &str) -> Option<(String, bool)> {
        let words: Vec<Resolved> = line.split(' ').map(Resolved::fixed).collect();
        of(&words[0].text, &words).map(|leaving| (leaving.act, leaving.overwrites))
    }

    #[test]
    fn every_line_of_the_table_is_whole() {
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let parts: Vec<&str> = line.split(" : ").collect();
            match line.split(' ').next() {
                Some("leaves") => {
                    assert_eq!(parts.len(), 3, "{line}");
                    assert!(parts[2].split(' ').all(|word| need(word).is_some()), "{line}");
                }
                Some("stays" | "force" | "valued") => assert_eq!(parts.len(), 1, "{line}"),
                _ => panic!("{line}"),
            }
        }
    }

    #[test]
    fn what_leaves_is_told_with_the_words_that_name_it() {
        for (line, named) in [
            ("git push", "git push"),
            ("git push origin main", "git push"),
            ("git -C sub push origin", "git -C sub push"),
            ("gh pr create --fill", "gh pr create"),
            ("gh -R a/b pr merge 5", "gh -R a/b pr merge"),
            ("gh api -X POST /x", "gh api -X POST"),
            ("npm publish --access public", "npm publish"),
            ("cargo publish -p x", "cargo publish"),
            ("twine upload dist/x", "twine upload"),
            ("python3 -m twine upload dist/x", "python3 -m twine"),
            ("docker push a/b", "docker push"),
            ("docker --context x push a/b", "docker --context x push"),
            ("docker build -t a --push .", "docker build -t a --push"),
            ("kubectl -n prod delete pod x", "kubectl -n prod delete pod"),
            ("kubectl apply -f x.yaml", "kubectl apply"),
            ("aws s3 cp a s3://b", "aws s3 cp"),
            ("aws --profile x s3 rm s3://b", "aws --profile x s3 rm"),
            ("terraform apply", "terraform apply"),
            ("terraform -chdir=x destroy", "terraform -chdir=x destroy"),
            ("mail -s hi me@x", "mail"),
            ("helm upgrade a b", "helm upgrade"),
            ("npm dist-tag add a b", "npm dist-tag"),
        ] {
            let found = act(line);
            assert!(found.as_ref().is_some_and(|(act, _)| act.starts_with(named)), "{line}: {found:?}");
        }
    }

    #[test]
    fn what_only_looks_stays() {
        for line in [
            "git status",
            "git pull",
            "gh pr view 5",
            "gh pr list",
            "gh -R a/b pr diff 5",
            "gh pr checks",
            "gh api /x",
            "kubectl get pods -A",
            "kubectl -n prod get pods",
            "kubectl logs x",
            "aws s3 ls",
            "aws ec2 describe-instances",
            "terraform plan",
            "terraform validate",
            "npm dist-tag ls",
            "npm install",
            "cargo publish --dry-run",
            "docker build .",
            "docker ps",
            "helm list",
            "gh --version",
            "gh pr create --help",
            "git request-pull a b",
            "gh repo clone a/b",
            "gcloud compute instances list",
            "az vm list",
            "npm view x",
        ] {
            assert_eq!(act(line), None, "{line}");
        }
    }

    #[test]
    fn a_push_that_overwrites_is_told() {
        for line in [
            "git push -f",
            "git push --force",
            "git push --force-with-lease",
            "git push origin +main",
            "git push -uf a b",
            "git push origin :x",
            "git push --delete origin x",
            "git push --mirror",
            "git push --forc",
            "git push --pru",
            "git push origin --force-with-lease=main:abc",
            "git push origin main -d",
        ] {
            assert_eq!(act(line).map(|(_, overwrites)| overwrites), Some(true), "{line}");
        }
        assert_eq!(act("git push -u origin main").map(|(_, overwrites)| overwrites), Some(false));
    }
}
