//! The question whether a project's own configuration may have what it wants.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::ask::{forget_typed, read_line};
use crate::paint::{Lines, Paint, harmless};

/// What the person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Yes, and remember it.
    Yes,
    /// No, and remember it.
    No,
    /// No, and ask again another time.
    NotNow,
}

/// Asks on the terminal.
pub(crate) fn ask_trust(root: &Path, listing: &str, changed: bool) -> io::Result<Consent> {
    forget_typed();
    ask(root, listing, changed, &mut io::stdin().lock(), &mut io::stderr(), Paint::of_stderr())
}

fn ask(
    root: &Path,
    listing: &str,
    changed: bool,
    input: &mut impl BufRead,
    screen: &mut impl Write,
    paint: Paint,
) -> io::Result<Consent> {
    let folder = harmless(&root.to_string_lossy(), Lines::One);
    let wants = if changed { "wants more than you trusted it with" } else { "wants more than its own files" };
    let text = format!(
        "\n? The configuration in {folder} {wants}:\n\n{}\n\n\
         Without your trust its rules may still ask and deny, and its instructions, agents and commands count as text.\n  \
         y  trust this folder with that, and remember it\n  \
         n  no, and do not ask again unless it wants something else\n  \
         nothing for: not now. ",
        harmless(listing, Lines::Many)
    );
    write!(screen, "{}", paint.wrap(&text))?;
    screen.flush()?;
    Ok(match read_line(input)?.as_deref() {
        Some("y" | "Y" | "yes") => Consent::Yes,
        Some("n" | "N" | "no") => Consent::No,
        Some(_) | None => Consent::NotNow,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for (typed, consent) in [
            ("y\n", Consent::Yes),
            ("yes\n", Consent::Yes),
            ("n\n", Consent::No),
            ("\n", Consent::NotNow),
            ("", Consent::NotNow),
            ("sure\n", Consent::NotNow),
        ] {
            let mut screen = Vec::new();
            let said = ask(
                Path::new("/p\u{1b}[2J"),
                "  run programs\n    x  [praxis.json:1]",
                false,
                &mut typed.as_bytes(),
                &mut screen,
                Paint::plain(),
            );
            assert_eq!(said.unwrap(), consent, "{typed:?}");
            let screen = String::from_utf8(screen).unwrap();
            assert!(screen.contains("    x  [praxis.json:1]") && !screen.contains('\u{1b}'), "{screen}");
        }
    }
}
