//! Calls between the special tokens of a model family, which a server should have read itself.

use super::reader::{Call, Reader, Step, Stop, is_word};

/// Tokens that open a list of calls or a call in JSON.
const OPEN: [&str; 5] =
    ["tool_calls_begin", "tool_calls_section_begin", "python_tag", "tool_call", "tool_calls"];
/// The token in front of one call of DeepSeek or Kimi.
const CALL: &str = "tool_call_begin";
/// The tokens between a tool's name and its arguments: DeepSeek's and Kimi's.
const BETWEEN: [&str; 2] = ["tool_sep", "tool_call_argument_begin"];
/// Tokens that may stand behind a call.
const CLOSE: [&str; 11] = [
    "tool_call_end",
    "tool_calls_end",
    "tool_calls_section_end",
    "/tool_call",
    "/tool_calls",
    "im_end",
    "eot_id",
    "eom_id",
    "end_of_sentence",
    "endoftext",
    "end",
];
/// Tokens of results, which a model cannot have.
const RESULT: [&str; 3] = ["tool_outputs_begin", "tool_output_begin", "tool_response"];

/// The longest token.
const TOKEN_CAP: usize = 64;

/// The longest name of a tool with what templates put around it.
const NAME_CAP: usize = 128;

impl<'a> Reader<'a> {
    /// Whatever begins with a special token.
    pub(super) fn token(&mut self) -> Step<()> {
        let token = self.any_token()?;
        match token.as_str() {
            CALL => self.call_between_tokens(),
            token if OPEN.contains(&token) => {
                self.open_mark();
                Ok(())
            }
            token if CLOSE.contains(&token) => self.close_mark(),
            token if RESULT.contains(&token) => self.made_up(),
            _ => Err(Stop::Wrong),
        }
    }

    fn call_between_tokens(&mut self) -> Step<()> {
        self.open_mark();
        let head = self.head()?;
        let token = self.any_token()?;
        if !BETWEEN.contains(&token.as_str()) {
            return Err(Stop::Wrong);
        }
        let head = head.trim();
        // DeepSeek's first models say what kind of thing is called, then its name on a line.
        let name = if head == "function" && token == BETWEEN[0] && self.tools.find(head).is_none() {
            self.line()?
        } else {
            head
        };
        // Kimi's models number their calls.
        let plain = name.rsplit_once(':').map_or(name, |(name, _)| name);
        let name = self.tools.find(plain).ok_or(Stop::Wrong)?.to_owned();
        let input = self.arguments()?;
        self.found([Call { name, input }]);
        Ok(())
    }

    /// The text up to the next token.
    fn head(&mut self) -> Step<&'a str> {
        let len = self.rest.find('<').unwrap_or(self.rest.len());
        let head = &self.rest[..len];
        if len > NAME_CAP || !head.chars().all(|c| is_word(c) || c == ':' || c.is_whitespace()) {
            return Err(Stop::Wrong);
        }
        if len == self.rest.len() {
            return Err(Stop::Open);
        }
        Ok(self.take(len))
    }

    fn line(&mut self) -> Step<&'a str> {
        let len = self.rest.len() - self.rest.trim_start_matches(is_word).len();
        match self.rest[len..].chars().next() {
            _ if len > NAME_CAP => Err(Stop::Wrong),
            None => Err(Stop::Open),
            Some(_) => Ok(self.take(len)),
        }
    }

    /// The name of a token, whichever kind of bars and blanks it is written with.
    fn any_token(&mut self) -> Step<String> {
        let text =
            self.rest.strip_prefix('<').ok_or(if self.rest.is_empty() { Stop::Open } else { Stop::Wrong })?;
        let Some(text) = text.strip_prefix(['|', '｜']) else {
            return Err(if text.is_empty() { Stop::Open } else { Stop::Wrong });
        };
        let end = text.find(['|', '｜', '<', '>', '\n']).unwrap_or(text.len());
        if end > TOKEN_CAP {
            return Err(Stop::Wrong);
        }
        let name = text[..end].replace(['▁', ' '], "_").to_ascii_lowercase();
        let lists: [&[&str]; 5] = [&OPEN, &[CALL], &BETWEEN, &CLOSE, &RESULT];
        let mut known = lists.iter().flat_map(|list| list.iter());
        let after = text[end..].trim_start_matches(['|', '｜']);
        if after.is_empty() {
            return Err(if known.any(|known| known.starts_with(&name)) { Stop::Open } else { Stop::Wrong });
        }
        self.rest = after.strip_prefix('>').ok_or(Stop::Wrong)?;
        Ok(name)
    }
}
