//! Arguments put into a template. Pure: what runs in the shell is found here and run elsewhere.
//!
//! A template is read once, and what is put in is not read again. So an argument that looks like a placeholder, or like
//! a shell command, stays what the user typed.

use std::collections::BTreeSet;

/// The placeholder for everything that was typed behind the command.
const ALL: &str = "$ARGUMENTS";

/// A piece of an expanded template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// A command whose output goes here.
    Shell(String),
}

/// A piece of a template as it is written.
#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    Text(&'a str),
    All,
    Number(usize),
}

/// Splits what was typed: `[Image 1]` is one word, so is what stands between quotes, which go away.
pub fn split_arguments(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, behind) = next_word(rest);
        words.push(word.to_owned());
        rest = behind.trim_start();
    }
    words
}

/// The first word, and what follows. A quote opens only at the beginning of a word, and only if it is closed.
fn next_word(text: &str) -> (&str, &str) {
    if let Some(length) = image(text) {
        return text.split_at(length);
    }
    let quoted = |quote: char| text.strip_prefix(quote)?.split_once(quote);
    ['"', '\'']
        .into_iter()
        .find_map(quoted)
        .unwrap_or_else(|| text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())))
}

/// The length of an `[Image 1]` at the beginning.
fn image(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let word = inner.get(..5).filter(|word| word.eq_ignore_ascii_case("image"))?;
    let behind = &inner[word.len()..];
    let number = behind.trim_start();
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let is_one = number.len() < behind.len() && digits > 0 && number[digits..].starts_with(']');
    is_one.then(|| text.len() - number.len() + digits + 1)
}

/// Puts arguments into a template.
///
/// `$1` is the first word; the highest number takes all words from its own on; a missing word is nothing.
/// `$ARGUMENTS` is what was typed, as it was typed. Where a template has neither, the arguments follow it.
pub fn expand(template: &str, arguments: &str) -> Vec<Piece> {
    let words = split_arguments(arguments);
    let highest = numbers(template).into_iter().next_back().unwrap_or(0);
    let fill = |text: &str| {
        let mut filled = String::with_capacity(text.len());
        for token in tokens(text) {
            match token {
                Token::Text(text) => filled.push_str(text),
                Token::All => filled.push_str(arguments),
                Token::Number(0) => {}
                Token::Number(number) if number == highest => {
                    filled.push_str(&words.get(number - 1..).unwrap_or_default().join(" "));
                }
                Token::Number(number) => filled.push_str(words.get(number - 1).map_or("", String::as_str)),
            }
        }
        filled
    };
    let mut pieces: Vec<Piece> = shells(template)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Text(fill(&text)),
            Piece::Shell(script) => Piece::Shell(fill(&script)),
        })
        .collect();
    let is_open = tokens(template).iter().all(|token| matches!(token, Token::Text(_)));
    if is_open && !arguments.trim().is_empty() {
        pieces.push(Piece::Text(format!("\n\n{arguments}")));
    }
    pieces
}

/// The most bytes that [`expand`] would give, known before it does.
pub fn expanded_at_most(template: &str, arguments: &str) -> usize {
    let places = tokens(template).iter().filter(|token| !matches!(token, Token::Text(_))).count();
    // Two more for the blank line before arguments that have no place.
    (arguments.len() + 2).saturating_mul(places.max(1)).saturating_add(template.len())
}

/// The placeholders of a template in order, each once.
pub fn hints(template: &str) -> Vec<String> {
    let numbered = numbers(template).into_iter().map(|number| format!("${number}"));
    numbered.chain(template.contains(ALL).then(|| ALL.to_owned())).collect()
}

fn numbers(template: &str) -> BTreeSet<usize> {
    let number = |token: &Token<'_>| match token {
        Token::Number(number) => Some(*number),
        Token::Text(_) | Token::All => None,
    };
    tokens(template).iter().filter_map(number).collect()
}

fn tokens(mut text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('$').map(|at| at + from) {
        let behind = &text[at + 1..];
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let (token, length) = if text[at..].starts_with(ALL) {
            (Token::All, ALL.len())
        } else if digits > 0 {
            // A number that no machine can count to has no word either.
            (Token::Number(behind[..digits].parse().unwrap_or(usize::MAX)), 1 + digits)
        } else {
            from = at + 1;
            continue;
        };
        tokens.extend((at > 0).then(|| Token::Text(&text[..at])));
        tokens.push(token);
        text = &text[at + length..];
        from = 0;
    }
    tokens.extend((!text.is_empty()).then_some(Token::Text(text)));
    tokens
}

/// Cuts a template at each `` !`cmd` ``.
fn shells(template: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = template;
    while let Some((before, behind)) = text.split_once("!`") {
        let Some((script, rest)) = behind.split_once('`').filter(|(script, _)| !script.is_empty()) else {
            break;
        };
        pieces.extend((!before.is_empty()).then(|| Piece::Text(before.to_owned())));
        pieces.push(Piece::Shell(script.to_owned()));
        text = rest;
    }
    pieces.extend((!text.is_empty()).then(|| Piece::Text(text.to_owned())));
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(template: &str, arguments: &str) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Shell(script) => format!("<{script}>"),
        };
        expand(template, arguments).iter().map(piece).collect()
    }

    #[test]
    fn arguments_are_split_as_people_quote() {
        for (text, words) in [
            ("", &[][..]),
            ("  one  two ", &["one", "two"]),
            ("\"a b\" 'c d' e", &["a b", "c d", "e"]),
            ("\"a b\"c", &["a b", "c"]),
            ("'' x", &["", "x"]),
            ("don't stop", &["don't", "stop"]),
            ("\"open end", &["\"open", "end"]),
            ("say \"it's\" 'a \"b\"'", &["say", "it's", "a \"b\""]),
            (
                "[Image 1] [image  22]x [Image] [Image 1",
                &["[Image 1]", "[image  22]", "x", "[Image]", "[Image", "1"],
            ),
            ("ü \"ü ö\" ß", &["ü", "ü ö", "ß"]),
            ("a\nb\tc", &["a", "b", "c"]),
        ] {
            assert_eq!(split_arguments(text), words, "{text}");
        }
    }

    #[test]
    fn placeholders_are_filled() {
        for (template, arguments, prompt) in [
            ("fix $1", "a b c", "fix a b c"),
            ("$1 then $2", "a b c", "a then b c"),
            ("$2 before $1", "a b c", "b c before a"),
            ("$1 $1", "a b", "a b a b"),
            ("$1 and $3", "a b c d", "a and c d"),
            ("[$1][$2][$3]", "a", "[a][][]"),
            ("[$1]", "", "[]"),
            ("$10 $1", "a b c d e f g h i j k", "j k a"),
            ("$0.", "a", "."),
            ("$99999999999999999999999", "a", ""),
            ("all: $ARGUMENTS", " \"a b\"  c ", "all:  \"a b\"  c "),
            ("$1: $ARGUMENTS", "a 'b c'", "a b c: a 'b c'"),
            ("$ARGUMENTS $ARGUMENTS", "x", "x x"),
            ("$ARGUMENTSs", "x", "xs"),
            ("plain", "", "plain"),
            ("plain", " \n", "plain"),
            ("plain", "more", "plain\n\nmore"),
            ("cost $ and $x", "more", "cost $ and $x\n\nmore"),
            ("see [$1]", "[Image 1] it", "see [[Image 1] it]"),
            ("", "x", "\n\nx"),
        ] {
            assert_eq!(told(template, arguments), prompt, "{template} with {arguments}");
        }
    }

    #[test]
    fn shell_commands_are_found_in_the_template_alone() {
        for (template, arguments, prompt) in [
            ("log: !`git log -$1` end", "3", "log: <git log -3> end"),
            ("!`a`!`b`", "", "<a><b>"),
            ("!`open", "", "!`open"),
            ("!`` x", "", "!`` x"),
            ("say !`echo $ARGUMENTS`", "a b", "say <echo a b>"),
            // What the user typed stays text.
            ("$ARGUMENTS", "!`rm -rf ~`", "!`rm -rf ~`"),
            ("$1", "$ARGUMENTS", "$ARGUMENTS"),
            ("!`date`", "!`id`", "<date>\n\n!`id`"),
        ] {
            assert_eq!(told(template, arguments), prompt, "{template} with {arguments}");
        }
    }

    #[test]
    fn hints_are_sorted_and_told_once() {
        assert_eq!(hints("$2 $10 $1 $2 $ARGUMENTS $x !`ls $3`"), ["$1", "$2", "$3", "$10", "$ARGUMENTS"]);
        assert!(hints("none").is_empty());
    }

    proptest! {
        #[test]
        fn what_was_typed_arrives_as_it_was_typed(arguments in "\\PC{0,60}") {
            prop_assert_eq!(told("<$ARGUMENTS>", &arguments), format!("<{arguments}>"));
        }

        #[test]
        fn no_template_and_no_argument_make_it_panic(template in "[$!`0-9A-Z ARGUMENTS\"'é]{0,60}", arguments in "[\\[\\]Image 0-9\"'é ]{0,40}") {
            let _ = hints(&template);
            let length: usize = expand(&template, &arguments)
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Shell(text) => text.len(),
                })
                .sum();
            prop_assert!(length <= expanded_at_most(&template, &arguments));
        }

        #[test]
        fn words_without_quotes_are_what_white_space_separates(text in "[a-zäé\\] \n]{0,40}") {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            prop_assert_eq!(split_arguments(&text), words);
        }
    }
}
