//! When a provider wants to be asked again, in all the ways they say it.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::headers::find;

/// No wait is longer than this, whatever a header says; callers cap far below it.
const LONGEST: f64 = 1e9;
/// Numbers from here on are milliseconds since 1970, not seconds.
const MILLISECONDS_FROM: f64 = 1e11;
/// Numbers from here on are a time, not a wait.
const EPOCH_FROM: f64 = 1e9;

/// When to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// After so long.
    In(Duration),
    /// At this time.
    At(SystemTime),
}

impl RetryAfter {
    /// The wait from now on; none if the time has passed.
    pub fn from_now(self, now: SystemTime) -> Option<Duration> {
        match self {
            Self::In(wait) => Some(wait),
            Self::At(time) => time.duration_since(now).ok(),
        }
    }

    /// Reads the headers and the body of an answer. What is meant for this very request wins over general limits.
    pub fn read(headers: &[(String, String)], body: Option<&Value>) -> Option<Self> {
        let milliseconds = || find(headers, "retry-after-ms").and_then(|text| seconds(text, 1e-3));
        let told = || find(headers, "retry-after").and_then(retry_after);
        milliseconds().or_else(told).or_else(|| body.and_then(in_body)).or_else(|| limits(headers))
    }
}

/// Seconds, or a date.
fn retry_after(text: &str) -> Option<RetryAfter> {
    seconds(text, 1.0).or_else(|| date(text))
}

fn seconds(text: &str, unit: f64) -> Option<RetryAfter> {
    text.trim().parse().ok().and_then(|number: f64| wait(number * unit))
}

fn wait(seconds: f64) -> Option<RetryAfter> {
    let valid = seconds.is_finite() && (0.0..=LONGEST).contains(&seconds);
    valid.then(|| RetryAfter::In(Duration::from_secs_f64(seconds)))
}

/// A date as HTTP writes it, or as JSON does.
fn date(text: &str) -> Option<RetryAfter> {
    let http = || Some(jiff::fmt::rfc2822::parse(text).ok()?.timestamp());
    let time = text.parse::<jiff::Timestamp>().ok().or_else(http)?;
    Some(RetryAfter::At(time.into()))
}

/// Google says it in the details of an error, others beside the message.
fn in_body(body: &Value) -> Option<RetryAfter> {
    let error = body.get("error").unwrap_or(body);
    let details = error.get("details").and_then(Value::as_array);
    let google = details.into_iter().flatten().find_map(|detail| detail.get("retryDelay")?.as_str());
    if let Some(told) = google.and_then(duration) {
        return Some(told);
    }
    let number = |name: &str| error.get(name).and_then(Value::as_f64);
    let fields = ["retry_after", "retryAfter", "retry_after_seconds", "resets_in_seconds"];
    fields.iter().find_map(|name| number(name)).and_then(wait)
}

/// When a limit that is used up is lifted. One that is not used up was not the reason.
fn limits(headers: &[(String, String)]) -> Option<RetryAfter> {
    let resets = headers.iter().filter(|(name, _)| name.contains("ratelimit") && name.contains("reset"));
    let used_up = resets.filter_map(|(name, value)| {
        let left = find(headers, &name.replace("reset", "remaining"));
        let is_used_up = match left {
            Some(left) => left.parse::<f64>().is_ok_and(|left| left <= 0.0),
            None => name.ends_with("reset"),
        };
        is_used_up.then(|| reset(value)).flatten()
    });
    used_up.reduce(later)
}

/// Of two waits the longer; a time and a wait cannot be compared without a clock, so the first stays.
fn later(a: RetryAfter, b: RetryAfter) -> RetryAfter {
    match (a, b) {
        (RetryAfter::In(x), RetryAfter::In(y)) => RetryAfter::In(x.max(y)),
        (RetryAfter::At(x), RetryAfter::At(y)) => RetryAfter::At(x.max(y)),
        (RetryAfter::In(_), RetryAfter::At(_)) | (RetryAfter::At(_), RetryAfter::In(_)) => a,
    }
}

/// A number of seconds, a time since 1970 in seconds or milliseconds, a duration such as `6m0s`, or a date.
fn reset(text: &str) -> Option<RetryAfter> {
    let Ok(number) = text.trim().parse::<f64>() else { return duration(text).or_else(|| date(text)) };
    if !number.is_finite() || number < EPOCH_FROM {
        return wait(number);
    }
    let since = if number >= MILLISECONDS_FROM { number / 1e3 } else { number };
    let since = Duration::try_from_secs_f64(since).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(since).map(RetryAfter::At)
}

/// A duration such as `20ms`, `6m0s`, `1h2m3.5s`.
fn duration(text: &str) -> Option<RetryAfter> {
    let mut rest = text.trim();
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = rest.split_at(digits);
        let letters = unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len());
        let scale = match &unit[..letters] {
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * scale;
        rest = &unit[letters..];
    }
    (!text.trim().is_empty()).then_some(total).and_then(wait)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(headers: &[(&str, &str)], body: Option<Value>) -> Option<RetryAfter> {
        let headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        RetryAfter::read(&headers, body.as_ref())
    }

    fn ms(milliseconds: u64) -> Option<RetryAfter> {
        Some(RetryAfter::In(Duration::from_millis(milliseconds)))
    }

    fn at(seconds: u64) -> Option<RetryAfter> {
        Some(RetryAfter::At(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))
    }

    #[test]
    fn every_form_of_header_is_read() {
        for (headers, expected) in [
            (&[("retry-after-ms", "1500.5")][..], Some(RetryAfter::In(Duration::from_micros(1_500_500)))),
            (&[("retry-after", "2.5")], ms(2_500)),
            (&[("Retry-After", " 0 ")], ms(0)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], at(784_111_777)),
            (&[("retry-after-ms", "100"), ("retry-after", "7")], ms(100)),
            (&[("retry-after-ms", "soon"), ("retry-after", "7")], ms(7_000)),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (&[("retry-after", "later")], None),
            (&[("x-ratelimit-reset", "30")], ms(30_000)),
            (&[("x-ratelimit-reset", "1700000000")], at(1_700_000_000)),
            (&[("x-ratelimit-reset", "1700000000000")], at(1_700_000_000)),
            (
                &[
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "1m2.5s"),
                    ("x-ratelimit-remaining-tokens", "9"),
                    ("x-ratelimit-reset-tokens", "6h"),
                ],
                ms(62_500),
            ),
            (
                &[
                    ("anthropic-ratelimit-tokens-remaining", "0"),
                    ("anthropic-ratelimit-tokens-reset", "2023-11-14T22:13:20Z"),
                ],
                at(1_700_000_000),
            ),
            (&[("x-ratelimit-reset-tokens", "20ms")], None),
            (&[("x-ratelimit-remaining-tokens", "5"), ("x-ratelimit-reset-tokens", "20ms")], None),
            (&[], None),
        ] {
            assert_eq!(read(headers, None), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_body_may_say_it_too() {
        let google = json!({"error": {"code": 429, "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"},
        ]}});
        assert_eq!(read(&[], Some(google.clone())), ms(34_500));
        assert_eq!(read(&[("retry-after", "1")], Some(google)), ms(1_000));
        assert_eq!(read(&[], Some(json!({"error": {"resets_in_seconds": 60}}))), ms(60_000));
        assert_eq!(read(&[], Some(json!({"retry_after": 0.25}))), ms(250));
        assert_eq!(read(&[], Some(json!([1]))), None);
    }

    proptest! {
        #[test]
        fn no_value_is_too_odd(value in ".{0,24}", number in any::<f64>()) {
            for text in [value, number.to_string(), format!("{number}s")] {
                for name in ["retry-after", "retry-after-ms", "x-ratelimit-reset"] {
                    if let Some(RetryAfter::In(wait)) = read(&[(name, &text)], None) {
                        prop_assert!(wait.as_secs_f64() <= LONGEST);
                    }
                }
            }
        }
    }
}
