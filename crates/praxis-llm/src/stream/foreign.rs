//! Bodies that are not event streams, and telling them apart by their first bytes.

use serde_json::Value;

use super::Form;
use crate::Event;

/// The most that is kept of a foreign body. An endless one is refused here.
const BODY_CAP: usize = 64 << 10;

/// The most of a foreign body that an error quotes, in characters.
const QUOTE_CAP: usize = 300;

/// The most white space in front of a body before it is taken for an event stream.
const BLANK_CAP: usize = 1 << 10;

/// The fields that a line of an event stream can begin with. A comment has the empty field.
const FIELDS: [&[u8]; 5] = [b"", b"data", b"event", b"id", b"retry"];

/// Holds the first bytes until they say what the body is.
#[derive(Default)]
pub(super) struct Sniff(Vec<u8>);

impl Sniff {
    /// Takes bytes; once they are enough, gives the form and all bytes held.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<(Form, Vec<u8>)> {
        self.0.extend_from_slice(bytes);
        let form = self.form()?;
        Some((form, std::mem::take(&mut self.0)))
    }

    /// The body is over before anything was sure.
    pub(super) fn end(&mut self) -> (Form, Vec<u8>) {
        (Form::Foreign(Body::default()), std::mem::take(&mut self.0))
    }

    fn form(&self) -> Option<Form> {
        let bytes = self.0.as_slice();
        let bom = "\u{feff}".as_bytes();
        if bytes.len() < bom.len() && bom.starts_with(bytes) {
            return None;
        }
        let text = bytes.strip_prefix(bom).unwrap_or(bytes).trim_ascii_start();
        if text.is_empty() {
            return (bytes.len() > BLANK_CAP).then_some(Form::Events);
        }
        let end = text.iter().position(|b| matches!(b, b':' | b'\n' | b'\r'));
        match end {
            Some(end) if FIELDS.contains(&&text[..end]) => Some(Form::Events),
            None if FIELDS.iter().any(|field| field.starts_with(text)) => None,
            Some(_) | None => Some(Form::Foreign(Body::default())),
        }
    }
}

/// The beginning of a body that is no event stream.
#[derive(Default)]
pub(super) struct Body(Vec<u8>);

impl Body {
    /// Takes bytes. True once there is enough to quote.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        let room = BODY_CAP - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.0.len() == BODY_CAP
    }

    /// What to tell the user.
    pub(super) fn error(&self) -> Event {
        let text = String::from_utf8_lossy(&self.0);
        let text = text.trim_start_matches('\u{feff}').trim();
        if let Some(error) = json_error(text) {
            return error;
        }
        let message = match text.as_bytes().first() {
            None => "the server sent an empty answer; try again".to_owned(),
            Some(b'<') => format!(
                "the server answered with a web page instead of an event stream; check the base URL and the proxy: {}",
                quote(&page_text(text))
            ),
            Some(b'{' | b'[') => format!(
                "the server answered with JSON instead of an event stream; check the base URL and that it can stream: {}",
                quote(text)
            ),
            Some(_) => format!("the server answered with text instead of an event stream: {}", quote(text)),
        };
        Event::Error { message, code: None }
    }
}

/// The error that a JSON body tells: an object, a list of them, or the first of several lines.
fn json_error(text: &str) -> Option<Event> {
    let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()?;
    let object = first.get(0).unwrap_or(&first);
    let error = object.get("error").filter(|error| !error.is_null()).unwrap_or(object);
    let told =
        ["message", "detail", "error_description", "msg"].iter().find_map(|key| error.get(key)?.as_str());
    let message = told.or_else(|| error.as_str())?;
    let mut codes = ["code", "type", "status"].iter().filter_map(|key| error.get(key));
    // A word says more than a status number.
    let word = codes.clone().find_map(Value::as_str).map(str::to_owned);
    let code = word.or_else(|| codes.find_map(Value::as_u64).map(|number| number.to_string()));
    Some(Event::Error { message: quote(message), code })
}

/// A page's title, or its text without tags.
fn page_text(page: &str) -> String {
    // ASCII only, so that positions stay the same.
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let start = at + lower[at..].find('>')? + 1;
        let end = start + lower[start..].find('<')?;
        Some(page[start..end].to_owned()).filter(|title| !title.trim().is_empty())
    });
    title.unwrap_or_else(|| {
        let texts = page.split('<').filter_map(|piece| piece.split_once('>'));
        texts.map(|(_, text)| text).collect::<Vec<_>>().join(" ")
    })
}

fn quote(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(QUOTE_CAP) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
