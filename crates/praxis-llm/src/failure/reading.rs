//! What providers say about a failure, read and sorted.

use serde_json::Value;

use super::codes::{self, of_status, phrase};
use super::headers::find;
use super::phrases::{is_overflow, is_quota, is_transient, is_wrong_key};
use super::{BODY_CAP, Class, Failure, HEADER_CAP, MESSAGE_CAP, Redactor, Refusal, RetryAfter, page};

/// What an error's JSON tells, whoever wrote it.
#[derive(Default)]
struct Told {
    message: Option<String>,
    codes: Vec<String>,
}

impl Told {
    fn read(body: &Value) -> Self {
        // Google sends a list of one where it streams.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let text = |value: &Value, names: &[&str]| {
            names
                .iter()
                .find_map(|name| value.get(name)?.as_str())
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        let names = ["message", "detail", "error_description", "msg", "Message"];
        let mut message =
            text(error, &names).or_else(|| error.as_str().map(str::to_owned)).or_else(|| text(body, &names));
        // OpenRouter's place for what the server behind it said.
        if let (Some(message), Some(raw)) =
            (&mut message, error.pointer("/metadata/raw").and_then(Value::as_str))
        {
            message.push_str(": ");
            message.push_str(raw);
        }
        let places = ["code", "type", "status"].iter().filter_map(|name| error.get(name));
        let reasons = error.get("details").and_then(Value::as_array).into_iter().flatten();
        let reasons = reasons.filter_map(|detail| detail.get("reason"));
        let codes = places.chain(reasons).filter_map(Value::as_str).map(str::to_owned).collect();
        Self { message, codes }
    }

    /// The classes that the codes stand for.
    fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        self.codes.iter().filter_map(|code| codes::class(code))
    }
}

pub(super) fn refused(refusal: &Refusal<'_>, redactor: &Redactor) -> Failure {
    let Refusal { provider, status, headers, body } = *refusal;
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let json: Option<Value> = serde_json::from_str(text).ok();
    let told = json.as_ref().map(Told::read).unwrap_or_default();
    let is_page = page::is_page(text);
    let words = match &told.message {
        Some(message) => message.clone(),
        None if is_page => page::hint(status, provider),
        None if text.is_empty() => format!("{status} {} (no body)", phrase(status)),
        None => text.to_owned(),
    };
    let class = class(status, &told, &words, is_page);
    let message = redactor.cut(&words, MESSAGE_CAP);
    Failure {
        message: for_people(class, provider, &message, is_page),
        status: Some(status),
        retryable: is_retryable(class, status, &words, refusal),
        retry_after: RetryAfter::read(headers, json.as_ref()),
        code: told.codes.first().map(|code| redactor.cut(code, HEADER_CAP)),
        headers: headers
            .iter()
            .map(|(name, value)| (name.clone(), redactor.cut(value, HEADER_CAP)))
            .collect(),
        body: (!text.is_empty() && !is_page).then(|| redactor.cut(text, BODY_CAP)),
        ..Failure::new(class, provider, "")
    }
}

fn class(status: u16, told: &Told, words: &str, is_page: bool) -> Class {
    let first = of_status(status);
    if is_page && status < 400 {
        return Class::Protocol;
    }
    // What a status says for sure is not taken back by words.
    let sure = matches!(first, Class::Auth | Class::Quota);
    let mut classes = told.classes();
    let by_code =
        classes.find(|class| matches!(class, Class::Overflow | Class::Quota | Class::ContentFilter));
    if let Some(class) = by_code.filter(|_| !sure) {
        return class;
    }
    if !sure && is_quota(words) {
        return Class::Quota;
    }
    let may_overflow = !matches!(status, 401..=403 | 407 | 408 | 429 | 503 | 504 | 529);
    if may_overflow && is_overflow(words) {
        return Class::Overflow;
    }
    if first != Class::BadRequest {
        return first;
    }
    if is_wrong_key(words) {
        return Class::Auth;
    }
    let specific = told.classes().find(|class| *class != Class::BadRequest);
    specific.unwrap_or(first)
}

/// The provider's own word on it counts most, then what HTTP says, then the text.
fn is_retryable(class: Class, status: u16, words: &str, refusal: &Refusal<'_>) -> bool {
    if matches!(class, Class::Overflow | Class::Quota | Class::ContentFilter) {
        return false;
    }
    match find(refusal.headers, "x-should-retry") {
        Some("true") => return true,
        Some("false") => return false,
        _ => {}
    }
    match class {
        Class::Auth => false,
        Class::BadRequest => {
            // OpenAI now and then denies that a model is there.
            let hiccup = status == 404 && refusal.provider.starts_with("openai");
            hiccup || status == 409 || is_transient(words)
        }
        _ => class.is_transient(),
    }
}

pub(super) fn in_stream(provider: &str, message: &str, code: Option<&str>, redactor: &Redactor) -> Failure {
    let by_code = code.and_then(codes::class);
    let class = match by_code {
        Some(Class::BadRequest) | None if is_overflow(message) => Class::Overflow,
        Some(Class::BadRequest) | None if is_quota(message) => Class::Quota,
        Some(class) => class,
        // Our own readers end with this where an answer was cut or cannot be read.
        None if message.ends_with("; try again") => Class::Network,
        None if message.contains("instead of an event stream") => Class::Protocol,
        None if is_transient(message) => Class::Overload,
        None => Class::Unknown,
    };
    let words = redactor.cut(message, MESSAGE_CAP);
    Failure {
        message: for_people(class, provider, &words, false),
        status: code.and_then(|code| code.parse().ok()).filter(|status| (400..600).contains(status)),
        code: code.map(|code| redactor.cut(code, HEADER_CAP)),
        ..Failure::new(class, provider, "")
    }
}

/// The provider's words, and what to do where they do not say it.
fn for_people(class: Class, provider: &str, words: &str, is_page: bool) -> String {
    if is_page {
        return words.to_owned();
    }
    match class {
        Class::Auth => {
            format!("`{provider}` does not accept the key: {words}; run `praxis auth login {provider}`")
        }
        Class::Quota => {
            format!("{words}; check the plan and the credit at `{provider}`, or choose another model")
        }
        Class::Rate
        | Class::Overload
        | Class::Overflow
        | Class::ContentFilter
        | Class::BadRequest
        | Class::Network
        | Class::Timeout
        | Class::Cancelled
        | Class::Protocol
        | Class::Unknown => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Secret;

    fn redactor() -> Redactor {
        Redactor::of([&Secret::new("Bearer k3y-of-mine").unwrap()])
    }

    proptest! {
        #[test]
        fn no_body_is_too_odd(status in 300_u16..600, body in any::<Vec<u8>>(), header in ".{0,20}") {
            let headers = [("retry-after".to_owned(), header)];
            let refusal = Refusal { provider: "p", status, headers: &headers, body: &body };
            let failure = refused(&refusal, &redactor());
            prop_assert!(!failure.message.is_empty() && failure.status == Some(status));
            failure.to_error_object();
        }

        #[test]
        fn no_body_gives_the_key_away(status in 300_u16..600, before in ".{0,40}", shape in 0_usize..4, pad in 1_990_usize..2_001) {
            let body = match shape {
                0 => format!("{before}k3y-of-mine{before}"),
                1 => serde_json::json!({"error": {"message": format!("{before}k3y-of-mine"), "code": "k3y-of-mine"}}).to_string(),
                2 => serde_json::json!({"detail": "Bearer k3y-of-mine"}).to_string(),
                _ => format!("{}k3y-of-mine", "x".repeat(pad)),
            };
            let headers = [("request-id".to_owned(), "k3y-of-mine".to_owned())];
            let refusal = Refusal { provider: "p", status, headers: &headers, body: body.as_bytes() };
            let failure = refused(&refusal, &redactor());
            let shown = format!("{failure:?}{}", failure.to_error_object());
            prop_assert!(!shown.contains("k3y-of"), "{}", shown);
            let failure = in_stream("p", &body, Some("k3y-of-mine"), &redactor());
            let shown = format!("{failure:?}");
            prop_assert!(!shown.contains("k3y-of"), "{}", shown);
        }
    }
}
