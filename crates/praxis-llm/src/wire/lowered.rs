//! A request as a provider wants it.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::growing::write_value;

/// A request as a provider wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// Behind the base URL, for example `/messages`.
    pub path: String,
    /// Headers beyond those for the key.
    pub headers: Vec<(&'static str, String)>,
    /// The body, without what is written already.
    pub body: Value,
    /// The beginning of the conversation, as far as it is written already.
    pub written: Written,
    /// What could not be sent as it was asked, for people.
    pub warnings: Vec<String>,
}

/// Values of one list of a body that are JSON text already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The field that holds the list.
    pub field: &'static str,
    /// How many values of the list stand before them.
    pub at: usize,
    /// Their text, with commas between them.
    pub pieces: Vec<Bytes>,
}

impl Lowered {
    /// The whole body as text, in pieces. What was written before is shared and not copied.
    pub fn into_pieces(self) -> Vec<Bytes> {
        let Value::Object(fields) = self.body else { return vec![Bytes::from(self.body.to_string())] };
        let mut writer = Writer::default();
        writer.object(&fields, self.written);
        writer.finish()
    }
}

#[derive(Default)]
struct Writer {
    pieces: Vec<Bytes>,
    last: Vec<u8>,
}

impl Writer {
    fn object(&mut self, fields: &Map<String, Value>, mut written: Written) {
        self.last.push(b'{');
        for (number, (name, value)) in fields.iter().enumerate() {
            self.comma(number > 0);
            write_value(&Value::from(name.as_str()), &mut self.last);
            self.last.push(b':');
            match value {
                Value::Array(values) if name == written.field => {
                    self.list(values, written.at, std::mem::take(&mut written.pieces));
                }
                other => write_value(other, &mut self.last),
            }
        }
        self.last.push(b'}');
    }

    fn list(&mut self, values: &[Value], at: usize, written: Vec<Bytes>) {
        let (before, after) = values.split_at(at.min(values.len()));
        self.last.push(b'[');
        self.values(before);
        let some = !written.is_empty();
        self.comma(!before.is_empty() && (some || !after.is_empty()));
        if some {
            self.cut();
            self.pieces.extend(written);
        }
        self.comma(some && !after.is_empty());
        self.values(after);
        self.last.push(b']');
    }

    fn values(&mut self, values: &[Value]) {
        for (number, value) in values.iter().enumerate() {
            self.comma(number > 0);
            write_value(value, &mut self.last);
        }
    }

    fn comma(&mut self, wanted: bool) {
        if wanted {
            self.last.push(b',');
        }
    }

    fn cut(&mut self) {
        if !self.last.is_empty() {
            self.pieces.push(std::mem::take(&mut self.last).into());
        }
    }

    fn finish(mut self) -> Vec<Bytes> {
        self.cut();
        self.pieces
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(body: Value, written: Written) -> String {
        let (path, headers, warnings) = (String::new(), Vec::new(), Vec::new());
        let pieces = Lowered { path, headers, body, written, warnings }.into_pieces();
        String::from_utf8(pieces.concat()).unwrap()
    }

    #[test]
    fn a_body_of_which_nothing_is_written_is_written_as_it_is() {
        let body = json!({"model": "m \"1\"", "messages": [{"a": 1}, "é\n"], "n": [], "stream": true});
        assert_eq!(text(body.clone(), Written::default()), body.to_string());
        assert_eq!(
            text(body.clone(), Written { field: "messages", at: 1, pieces: Vec::new() }),
            body.to_string()
        );
        assert_eq!(text(json!({}), Written::default()), "{}");
    }

    #[test]
    fn what_is_written_stands_in_its_place() {
        let pieces = || vec![Bytes::from_static(b"2,"), Bytes::from_static(b"3")];
        let written = |at| Written { field: "list", at, pieces: pieces() };
        let spliced = |list: Value, at| text(json!({"a": 0, "list": list, "b": 9}), written(at));
        assert_eq!(spliced(json!([]), 0), r#"{"a":0,"list":[2,3],"b":9}"#);
        assert_eq!(spliced(json!([1]), 1), r#"{"a":0,"list":[1,2,3],"b":9}"#);
        assert_eq!(spliced(json!([4]), 0), r#"{"a":0,"list":[2,3,4],"b":9}"#);
        assert_eq!(spliced(json!([1, 4, 5]), 1), r#"{"a":0,"list":[1,2,3,4,5],"b":9}"#);
    }
}
