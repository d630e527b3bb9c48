//! Values that a special name may be given without a change in what runs.
//!
//! The tables list them as forms. A value is cut at its blanks, and each piece must fit a form; `a+b` is a form of two
//! pieces. In a form, `<number>` and `<word>` stand for the end of a piece, `[abc]` for these letters behind at most one
//! dash. `<any>`, `<empty>` and `<paths>` speak of the whole value, the last of folders below the place of the script.

use super::path;

/// Does the value fit the forms, for a script in the folders `from` of the place `cwd`?
pub(super) fn fits(value: &str, forms: &[&str], from: &[String], cwd: &str) -> bool {
    if value.chars().any(char::is_control) {
        return false;
    }
    let is_whole = |form: &&str| match *form {
        "<any>" => true,
        "<empty>" => value.is_empty(),
        "<paths>" => are_below(value, from, cwd),
        _ => false,
    };
    let pieces: Vec<&str> = value.split(' ').filter(|piece| !piece.is_empty()).collect();
    forms.iter().any(is_whole) || (!pieces.is_empty() && all_fit(&pieces, forms))
}

fn all_fit(mut pieces: &[&str], forms: &[&str]) -> bool {
    while !pieces.is_empty() {
        let taken = forms.iter().find_map(|form| {
            let parts: Vec<&str> = form.split('+').collect();
            let given = pieces.get(..parts.len())?;
            given.iter().zip(&parts).all(|(piece, part)| fits_one(piece, part)).then_some(parts.len())
        });
        let Some(count) = taken else { return false };
        pieces = &pieces[count..];
    }
    true
}

fn fits_one(piece: &str, form: &str) -> bool {
    if let Some(letters) = form.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let given = piece.strip_prefix('-').unwrap_or(piece);
        return !given.is_empty() && given.chars().all(|letter| letters.contains(letter));
    }
    let rest = |end: &str| form.strip_suffix(end).and_then(|start| piece.strip_prefix(start));
    if let Some(number) = rest("<number>") {
        return !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    }
    if let Some(word) = rest("<word>") {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:".contains(&byte);
        return word.starts_with(|first: char| first.is_ascii_alphanumeric()) && word.bytes().all(plain);
    }
    piece == form
}

/// Are all of these folders below the place of the script, whatever folder of it is current?
fn are_below(value: &str, from: &[String], cwd: &str) -> bool {
    let is_below = |one: &str| {
        let climbs = one.split('/').any(|part| part == "..");
        !climbs
            && !one.starts_with('~')
            && !from.is_empty()
            && from.iter().all(|folder| path::is_inside(&path::absolute(folder, one), cwd))
    };
    value.split(':').all(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_fits_its_forms_as_a_whole() {
        let fit = |value: &str, forms: &[&str]| fits(value, forms, &["/w/p".to_owned()], "/w/p");
        assert!(fit("cat", &["cat", "<empty>"]) && fit("", &["cat", "<empty>"]));
        assert!(!fit("cat x", &["cat"]) && !fit("", &["cat"]) && !fit("a\nb", &["<any>"]));
        let flags = ["-D+<word>", "-C+opt-level=<word>", "-g"];
        assert!(fit("-D warnings -C opt-level=3 -g", &flags));
        assert!(!fit("-C linker=x", &flags) && !fit("-D", &flags) && !fit("warnings", &flags));
        assert!(!fit("-D -g", &flags), "a flag is no word");
        assert!(fit("-FRX", &["[FRX]"]) && !fit("--x", &["[FRX]"]) && !fit("-", &["[FRX]"]));
        assert!(fit("--size=12", &["--size=<number>"]) && !fit("--size=1x", &["--size=<number>"]));
    }

    #[test]
    fn paths_stay_below_the_place() {
        let below = |value: &str, from: &str| fits(value, &["<paths>"], &[from.to_owned()], "/w/p");
        assert!(below("src", "/w/p") && below(".:lib", "/w/p/sub") && below("/w/p/src", "/w/p"));
        assert!(
            !below("../x", "/w/p") && !below("/etc", "/w/p") && !below(".", "/tmp") && !below("~/x", "/w/p")
        );
        assert!(!fits("src", &["<paths>"], &[], "/w/p"), "the folder is not known");
    }
}
