//! The small languages inside arguments: what a program of theirs does besides printing.

use super::About;

/// What a sed program does besides printing: runs a command, or touches a file of its own.
pub(super) fn sed(script: &str) -> Option<About> {
    let mut rest = script.chars().peekable();
    let mut worst = None;
    while let Some(sign) = rest.next() {
        match sign {
            'e' => return Some(About::Program),
            'w' | 'W' | 'r' | 'R' => {
                worst = Some(About::Files);
                while rest.next_if(|c| *c != '\n').is_some() {}
            }
            's' | 'y' => {
                let Some(delimiter) = rest.next() else { return Some(About::Program) };
                skip_to(&mut rest, delimiter);
                skip_to(&mut rest, delimiter);
                while let Some(flag) = rest.next_if(|c| !matches!(c, ';' | '\n' | '}')) {
                    match flag {
                        'e' if sign == 's' => return Some(About::Program),
                        'w' if sign == 's' => {
                            worst = Some(About::Files);
                            while rest.next_if(|c| *c != '\n').is_some() {}
                        }
                        _ => {}
                    }
                }
            }
            '/' => skip_to(&mut rest, '/'),
            '\\' => {
                if let Some(delimiter) = rest.next() {
                    skip_to(&mut rest, delimiter);
                }
            }
            // The text goes on over escaped line ends.
            'a' | 'i' | 'c' => {
                while let Some(sign) = rest.next_if(|c| *c != '\n') {
                    if sign == '\\' {
                        rest.next();
                    }
                }
            }
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            'b' | 't' | 'T' | ':' => {
                while rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
                while rest.next_if(|c| !matches!(c, ';' | '}') && !c.is_whitespace()).is_some() {}
            }
            _ => {}
        }
    }
    worst
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

/// What an awk program does besides printing: runs a command, or reads or writes a file of its own.
pub(super) fn awk(script: &str) -> Option<About> {
    // These are told by their names, wherever they stand: strings are no hiding place.
    if ["system", "getline", "@", "extension", "\\\n"].iter().any(|name| script.contains(name)) {
        return Some(About::Program);
    }
    let mut worst = script.contains("ARGV").then_some(About::Files);
    let mut rest = script.chars().peekable();
    let mut before = '\n';
    let mut word = String::new();
    let mut prints = false;
    let mut level = 0_usize;
    while let Some(sign) = rest.next() {
        if sign == '_' || sign.is_ascii_alphanumeric() {
            word.push(sign);
            before = sign;
            continue;
        }
        let keyword = std::mem::take(&mut word);
        if matches!(keyword.as_str(), "print" | "printf") {
            (prints, level) = (true, 0);
        }
        let starts_regex =
            matches!(keyword.as_str(), "print" | "printf" | "return" | "in" | "case" | "else" | "do")
                || (keyword.is_empty()
                    && !matches!(before, ')' | ']' | '$' | '"')
                    && !before.is_ascii_alphanumeric()
                    && before != '_');
        match sign {
            ' ' | '\t' => continue,
            '"' => skip_to(&mut rest, '"'),
            '/' if starts_regex => {
                if !skip_regex(&mut rest) {
                    return Some(About::Program);
                }
                before = ')';
                continue;
            }
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '(' | '[' => level += 1,
            ')' | ']' => level = level.saturating_sub(1),
            ';' | '\n' | '}' | '{' => prints = false,
            '|' if rest.next_if_eq(&'|').is_none() => return Some(About::Program),
            '>' if prints && level == 0 => worst = Some(About::Files),
            _ => {}
        }
        before = sign;
    }
    worst
}

/// Behind the opening of a regular expression; false if it has no end on its line.
fn skip_regex(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let mut in_set = false;
    while let Some(sign) = rest.next() {
        match sign {
            '\\' => _ = rest.next(),
            '\n' => return false,
            // Not every awk takes a slash in a set for a letter.
            '/' if in_set => return false,
            '[' => in_set = true,
            ']' => in_set = false,
            '/' => return true,
            _ => {}
        }
    }
    false
}

/// What the SQL or the commands of a database's shell do besides asking the database.
pub(super) fn sql(text: &str) -> Option<About> {
    const TOLD: &[&str] = &[
        ".tables",
        ".schema",
        ".indexes",
        ".indices",
        ".databases",
        ".headers",
        ".header",
        ".mode",
        ".dump",
        ".help",
        ".show",
        ".stats",
        ".timer",
        ".width",
        ".nullvalue",
        ".quit",
        ".exit",
        ".print",
        ".fullschema",
        ".separator",
        ".changes",
        ".dbinfo",
        ".version",
        ".echo",
        ".bail",
    ];
    let lower = text.to_ascii_lowercase();
    let runs = [
        "load_extension",
        "edit(",
        "\\!",
        "\\copy",
        "\\o",
        "\\i",
        "\\g",
        "\\w",
        "\\e",
        "system",
        "program",
        "pager",
        "tee ",
        "source ",
    ];
    let is_command = |line: &str| {
        let line = line.trim_start();
        line.starts_with('.') && !TOLD.contains(&line.split_whitespace().next().unwrap_or_default())
    };
    if runs.iter().any(|name| lower.contains(name)) || lower.lines().any(is_command) {
        return Some(About::Program);
    }
    let files = [
        "readfile",
        "writefile",
        "attach",
        "vacuum",
        "outfile",
        "dumpfile",
        "load_file",
        "infile",
        "pg_read",
        "lo_",
        "fsdir",
    ];
    files.iter().any(|name| lower.contains(name)).then_some(About::Files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_programs_that_write_or_run_are_told_from_those_that_print() {
        for runs in
            ["1e rm x", "s/a/b/ge", "s|a|b|e", "s/a/b/we", ":a e rm x", "b a\ne rm x", "i x\\\ny\ne rm x"]
        {
            assert!(sed(runs).is_some(), "{runs}");
        }
        for acts in ["w /etc/x", "s/a/b/w f", "/x/w y", "1,2{p;w f\n}", "$!r f"] {
            assert_eq!(sed(acts), Some(About::Files), "{acts}");
        }
        for quiet in
            ["s/we/er/g", "/were/d", "1,5p", "s|/w|/e|", "a we are", "y/we/ab/", "\\,w,d", "s/a\\/e/w/"]
        {
            assert_eq!(sed(quiet), None, "{quiet}");
        }
    }

    #[test]
    fn awk_programs_that_write_or_run_are_told_from_those_that_print() {
        for runs in [
            "{system(\"x\")}",
            "{print | \"sh\"}",
            "{\"x\" | getline y}",
            "@load \"x\"",
            "/[/]/|x",
            "{print 1 /2/ 3 | \"sh\"}",
        ] {
            assert_eq!(awk(runs), Some(About::Program), "{runs}");
        }
        for acts in [
            "{print > \"f\"}",
            "{print $1 > $2}",
            "{printf \"%s\", $1 >> \"x\"}",
            "{print (1) > \"x\"}",
            "BEGIN{ARGV[1]=\"x\"}",
        ] {
            assert_eq!(awk(acts), Some(About::Files), "{acts}");
        }
        for quiet in [
            "{print $1}",
            "$1 > 5",
            "$1 >= 10 || $2",
            "/x/ {n++} END {print n}",
            "$1 > $2 {print}",
            "{print \"a > b | c\"}",
            "/a|b/ {print}",
            "{print ($1 > 2)}",
            "NR>=10 && NR<=20",
            "{if ($1 > max) max=$1} END{print max}",
        ] {
            assert_eq!(awk(quiet), None, "{quiet}");
        }
    }

    #[test]
    fn databases_are_asked_or_told_to_do_more() {
        for runs in [".shell ls", "select load_extension('x')", "\\! ls", ".import a b", "select edit(a)"] {
            assert_eq!(sql(runs), Some(About::Program), "{runs}");
        }
        assert_eq!(sql("select readfile('x')"), Some(About::Files));
        for quiet in ["select count(*) from users;", ".tables", ".schema users"] {
            assert_eq!(sql(quiet), None, "{quiet}");
        }
    }
}
