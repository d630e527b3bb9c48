//! What commands see of our environment.

use std::collections::BTreeMap;

/// Keys of model providers, which are ours to use and not a command's. Some are names that other programs live by, such
/// as `GITHUB_TOKEN`: who wants commands to have them says so with `keep`.
const SECRETS: &str = include_str!("secrets.txt");
/// Beginnings of our own variables; those that end in one of the words below hold secrets.
const OURS: [&str; 2] = ["PRAXIS_", "OPENCODE_"];
const SECRET_ENDINGS: [&str; 6] = ["KEY", "TOKEN", "PASSWORD", "SECRET", "AUTH_CONTENT", "CONFIG_CONTENT"];

/// What changes how a shell reads a script or where `cd` goes, so that what runs would not be what was read.
const SHELL_STATE: [&str; 9] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_COMPAT",
    "CDPATH",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    "ZDOTDIR",
];
/// How bash passes functions on, which would stand in for programs of the same name.
const FUNCTION: &str = "BASH_FUNC_";

/// An answer for one run of ours, and not for one that a command starts.
const FOR_THIS_RUN: &str = "PRAXIS_TRUST";

/// Which variables commands get.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Our variables without our secrets; `keep` are names that stay nevertheless, `drop` more that go.
    pub fn scrubbed(variables: &BTreeMap<String, String>, keep: &[String], drop: &[String]) -> Self {
        let goes = |name: &String| {
            drop.contains(name)
                || (is_secret(name) && !keep.contains(name))
                || name == FOR_THIS_RUN
                || is_shell_state(name)
                || !is_plain(name)
        };
        let kept = variables.iter().filter(|(name, _)| !goes(name));
        let mut variables: BTreeMap<String, String> =
            kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        // So that scripts can tell who runs them.
        variables.insert("PRAXIS".into(), "1".into());
        Self { variables }
    }

    /// The same with more variables, which replace those of the same name.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = (String, String)>) -> Self {
        let fits = |(name, value): &(String, String)| {
            is_plain(name) && !is_shell_state(name) && !value.contains('\0')
        };
        self.variables.extend(more.into_iter().filter(fits));
        self
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// All of them, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

fn is_secret(name: &str) -> bool {
    let ours = OURS.iter().any(|start| name.starts_with(start));
    SECRETS.lines().any(|secret| secret == name)
        || (ours && SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

fn is_shell_state(name: &str) -> bool {
    SHELL_STATE.contains(&name) || name.starts_with(FUNCTION)
}

/// What an environment can hold.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_secrets_go_and_what_was_asked_for_stays() {
        let ours = [
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "a"),
            ("OPENAI_API_KEY", "b"),
            ("GITHUB_TOKEN", "c"),
            ("HF_TOKEN", "c"),
            ("PRAXIS_TRUST", "1"),
            ("BASH_ENV", "evil.sh"),
            ("CDPATH", "/elsewhere"),
            ("BASH_FUNC_git%%", "() { rm -rf x; }"),
            ("OPENCODE_SERVER_PASSWORD", "d"),
            ("PRAXIS_LOG", "debug"),
            ("MINE", "e"),
        ];
        let ours = ours.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        let seen = Environment::scrubbed(&ours, &["OPENAI_API_KEY".into()], &["MINE".into()])
            .with([("PATH".to_owned(), "/usr/bin".to_owned()), ("A=B".to_owned(), "x".to_owned())]);
        let seen: Vec<_> = seen.iter().collect();
        assert_eq!(
            seen,
            [("OPENAI_API_KEY", "b"), ("PATH", "/usr/bin"), ("PRAXIS", "1"), ("PRAXIS_LOG", "debug"),]
        );
    }
}
