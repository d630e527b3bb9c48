//! Which shell runs commands.

use std::path::{Path, PathBuf};

use praxis_policy::shell::Dialect;

/// Shells whose language is another one than the analyser reads.
const FOREIGN: [&str; 6] = ["fish", "nu", "elvish", "xonsh", "pwsh", "powershell"];

/// The shell that runs commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellChoice {
    /// Its program.
    pub program: PathBuf,
    /// Its short name, in small letters.
    pub name: String,
}

impl ShellChoice {
    /// The configured shell, else `bash` from the path, else `$SHELL`, as far as there is such a program and it speaks
    /// POSIX; else `/bin/sh`. The analysis knows bash best, and a model writes for it.
    pub fn choose(configured: Option<&str>, shell: Option<&str>, path: Option<&str>) -> Self {
        let wanted = configured.into_iter().chain(["bash"]).chain(shell);
        let found = wanted.into_iter().find_map(|given| acceptable(given, path));
        found.unwrap_or_else(|| Self::of(PathBuf::from("/bin/sh")))
    }

    /// The language that it reads. A name says nothing, the program that is behind it does.
    pub fn dialect(&self) -> Dialect {
        let real = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        match real.file_name().unwrap_or_default().to_string_lossy().as_ref() {
            // Under another name bash reads another language.
            "bash" if self.name == "bash" => Dialect::Bash,
            "bash" | "dash" | "ash" | "busybox" => Dialect::Posix,
            "zsh" => Dialect::Zsh,
            _ => Dialect::Other,
        }
    }

    fn of(program: PathBuf) -> Self {
        let name = program.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        Self { program, name }
    }
}

fn acceptable(given: &str, path: Option<&str>) -> Option<ShellChoice> {
    let choice = ShellChoice::of(find(given.trim(), path)?);
    (!FOREIGN.contains(&choice.name.as_str())).then_some(choice)
}

fn find(given: &str, path: Option<&str>) -> Option<PathBuf> {
    let is_program = |candidate: &Path| {
        use std::os::unix::fs::PermissionsExt;
        candidate.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if given.contains('/') {
        let program = PathBuf::from(given);
        return is_program(&program).then_some(program);
    }
    let folders = std::env::split_paths(path?).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(given)).find(|candidate| !given.is_empty() && is_program(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Option<&str> = Some("/usr/bin:/bin");

    #[test]
    fn a_shell_that_is_missing_or_speaks_another_language_falls_back() {
        let name = |configured, shell| ShellChoice::choose(configured, shell, PATH).name;
        assert_eq!(name(Some("/bin/sh"), Some("/bin/bash")), "sh");
        assert_eq!(name(None, Some("/bin/sh")), "bash");
        assert_eq!(ShellChoice::choose(None, Some("/bin/sh"), Some("/nowhere")).name, "sh");
        assert_eq!(name(Some("fish"), None), "bash");
        assert_eq!(name(Some("/no/such/zsh"), Some("/usr/bin/fish")), "bash");
        assert_eq!(name(Some(""), Some("")), "bash");
        assert_eq!(ShellChoice::choose(None, None, None).program, Path::new("/bin/sh"));
    }
}
