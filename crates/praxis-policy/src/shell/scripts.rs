//! The small languages inside arguments: what a sed or awk program does besides printing.

/// Does a sed program run a command or touch a file of its own?
pub(super) fn sed_acts(script: &str) -> bool {
    let mut rest = script.chars().peekable();
    while let Some(sign) = rest.next() {
        match sign {
            'w' | 'W' | 'e' | 'r' | 'R' => return true,
            's' | 'y' => {
                let Some(delimiter) = rest.next() else { return false };
                skip_to(&mut rest, delimiter);
                skip_to(&mut rest, delimiter);
                while let Some(flag) = rest.next_if(|c| !matches!(c, ';' | '\n' | '}')) {
                    if sign == 's' && matches!(flag, 'e' | 'w') {
                        return true;
                    }
                }
            }
            '/' => skip_to(&mut rest, '/'),
            '\\' => {
                if let Some(delimiter) = rest.next() {
                    skip_to(&mut rest, delimiter);
                }
            }
            'a' | 'i' | 'c' | '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            'b' | 't' | 'T' | ':' => while rest.next_if(|c| !matches!(c, ';' | '\n')).is_some() {},
            _ => {}
        }
    }
    false
}

fn skip_to(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, delimiter: char) {
    while let Some(sign) = rest.next() {
        if sign == '\\' {
            rest.next();
        } else if sign == delimiter {
            return;
        }
    }
}

/// Does an awk program run a command, read another file or write one?
pub(super) fn awk_acts(script: &str) -> bool {
    if script.contains("system") || script.contains("getline") || script.contains('@') {
        return true;
    }
    let bytes = script.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'|' => bytes.get(at + 1) != Some(&b'|') && (at == 0 || bytes[at - 1] != b'|'),
        // A comparison with a number is the one use that is surely no redirection.
        b'>' => {
            let after = script[at + 1..].trim_start_matches(['=', ' ']);
            !after.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_programs_that_write_or_run_are_told_from_those_that_print() {
        for acts in
            ["w /etc/x", "1e rm x", "s/a/b/w f", "s/a/b/ge", "s|a|b|e", "/x/w y", "1,2{p;w f\n}", "$!r f"]
        {
            assert!(sed_acts(acts), "{acts}");
        }
        for quiet in
            ["s/we/er/g", "/were/d", "1,5p", "s|/w|/e|", "a we are", "y/we/ab/", "\\,w,d", "s/a\\/e/w/"]
        {
            assert!(!sed_acts(quiet), "{quiet}");
        }
    }

    #[test]
    fn awk_programs_that_write_or_run_are_told_from_those_that_print() {
        for acts in
            ["{system(\"x\")}", "{print | \"sh\"}", "{print > \"f\"}", "{\"x\" | getline y}", "@load \"x\""]
        {
            assert!(awk_acts(acts), "{acts}");
        }
        for quiet in ["{print $1}", "$1 > 5", "$1 >= 10 || $2", "/x/ {n++} END {print n}"] {
            assert!(!awk_acts(quiet), "{quiet}");
        }
    }
}
