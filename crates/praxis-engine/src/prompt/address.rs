//! Addresses of attachments: `file:` with lines, and `data:` with bytes.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

/// Where an attachment is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A file or folder of this machine.
    File { path: PathBuf, lines: Lines },
    /// Bytes that came along.
    Data { mime: String, bytes: Vec<u8> },
    /// Something else, which is not fetched.
    Elsewhere,
}

/// The lines of a file that are meant, counted from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The first, unless it is the file's first.
    pub(crate) start: Option<u64>,
    /// The last, unless it is the file's last.
    pub(crate) end: Option<u64>,
}

impl Lines {
    /// How many they are, where that is known.
    pub(crate) fn count(self) -> Option<u64> {
        let start = self.start.unwrap_or(1);
        self.end.filter(|end| *end >= start).map(|end| end - start + 1)
    }
}

impl Address {
    /// Reads an address; `most` is the most bytes a `data:` address may hold.
    pub(crate) fn parse(url: &str, most: usize) -> Result<Self, String> {
        if let Some(rest) = strip_scheme(url, "file:") {
            return file(rest);
        }
        match strip_scheme(url, "data:") {
            Some(rest) => data(rest, most),
            None => Ok(Self::Elsewhere),
        }
    }
}

/// Schemes may be written in any case.
fn strip_scheme<'a>(url: &'a str, scheme: &str) -> Option<&'a str> {
    let (start, rest) = url.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

fn file(rest: &str) -> Result<Address, String> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match place.strip_prefix("//") {
        Some(behind) => behind.find('/').map(|slash| behind.split_at(slash)),
        None => Some(("", place)),
    };
    let path = match path {
        Some(("" | "localhost", path)) => path,
        Some((host, _)) => return Err(format!("it is on another machine, {host}")),
        None => return Err("its address has no path".to_owned()),
    };
    let bytes = unescape(path);
    if bytes.contains(&0) || !bytes.starts_with(b"/") {
        return Err("its address is not an absolute path".to_owned());
    }
    let number = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).and_then(|(_, value)| value.parse().ok()).filter(|n: &u64| *n > 0)
    };
    let lines = Lines { start: number("start"), end: number("end") };
    Ok(Address::File { path: PathBuf::from(OsString::from_vec(bytes)), lines })
}

fn data(rest: &str, most: usize) -> Result<Address, String> {
    let (head, body) = rest.split_once(',').ok_or("its data address has no comma")?;
    // Base64 is a third longer than what it stands for, an escape three times as long.
    if body.len() / 3 > most {
        return Err(format!("it is larger than {} MiB", most >> 20));
    }
    let mut fields = head.split(';');
    let mime = fields.next().filter(|mime| !mime.is_empty()).unwrap_or("text/plain").to_ascii_lowercase();
    let bytes = if fields.any(|field| field.trim().eq_ignore_ascii_case("base64")) {
        let text: Vec<u8> = unescape(body).into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let bytes = STANDARD.decode(&text).or_else(|_| STANDARD_NO_PAD.decode(&text));
        bytes.map_err(|error| format!("its data address is not base64: {error}"))?
    } else {
        unescape(body)
    };
    if bytes.len() > most {
        return Err(format!("it is larger than {} MiB", most >> 20));
    }
    Ok(Address::Data { mime, bytes })
}

/// Bytes of a text with `%41` for `A`; what looks like an escape and is none stays.
fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|b| char::from(*b).to_digit(16));
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

/// The `file:` address of an absolute path.
pub(crate) fn file_url(path: &Path) -> String {
    let mut url = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                url.push(char::from(*byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file_at(path: &str, start: Option<u64>, end: Option<u64>) -> Result<Address, String> {
        Ok(Address::File { path: path.into(), lines: Lines { start, end } })
    }

    #[test]
    fn file_addresses_have_paths_and_lines() {
        let parse = |url| Address::parse(url, 100);
        assert_eq!(parse("file:///a/b%20c.rs"), file_at("/a/b c.rs", None, None));
        assert_eq!(parse("file:///a?start=3&end=9"), file_at("/a", Some(3), Some(9)));
        assert_eq!(parse("file:///a?end=0&start=x"), file_at("/a", None, None));
        assert_eq!(parse("FILE://localhost/a%"), file_at("/a%", None, None));
        assert_eq!(parse("file:/a"), file_at("/a", None, None));
        assert_eq!(parse("file://host/a"), Err("it is on another machine, host".into()));
        assert_eq!(parse("file:a"), Err("its address is not an absolute path".into()));
        assert_eq!(parse("file:///a%00"), Err("its address is not an absolute path".into()));
        assert_eq!(parse("https://x.test/a.png"), Ok(Address::Elsewhere));
        assert_eq!(Lines { start: Some(3), end: Some(9) }.count(), Some(7));
        assert_eq!(Lines { start: Some(3), end: Some(2) }.count(), None);
    }

    #[test]
    fn data_addresses_have_bytes() {
        let data = |mime: &str, bytes: &[u8]| Ok(Address::Data { mime: mime.into(), bytes: bytes.into() });
        let parse = |url| Address::parse(url, 4);
        assert_eq!(parse("data:,a%20b"), data("text/plain", b"a b"));
        assert_eq!(parse("data:Image/PNG;base64,AAEC"), data("image/png", &[0, 1, 2]));
        assert_eq!(parse("data:x/y;charset=utf-8;base64,AAE"), data("x/y", &[0, 1]));
        assert_eq!(parse("data:,abcd"), data("text/plain", b"abcd"));
        assert_eq!(parse("data:,abcde"), Err("it is larger than 0 MiB".into()));
        assert!(parse("data:;base64,?").is_err() && parse("data:none").is_err());
    }

    proptest! {
        #[test]
        fn any_path_survives_its_address(path in "/[^\0]{0,40}") {
            let parsed = Address::parse(&file_url(Path::new(&path)), 0);
            prop_assert_eq!(parsed, file_at(&path, None, None));
        }

        #[test]
        fn no_text_makes_it_panic(url in "(file:|data:)?\\PC{0,60}") {
            let _ = Address::parse(&url, 16);
        }
    }
}
