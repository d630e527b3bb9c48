//! What must hold for any bytes at all.

use super::splice::changes;
use super::{decode, splice};
use crate::Hunk;

/// Reads arbitrary bytes and changes one piece of them; panics if a byte outside of it changes.
pub fn fuzz(data: &[u8]) {
    let (&[from, length], bytes) = data.split_first_chunk().unwrap_or((&[0, 0], data));
    let Ok(decoded) = decode(bytes) else { return };
    assert_eq!(splice(bytes, &decoded, &[]).as_deref(), Ok(bytes), "nothing changes without a hunk");

    let borders: Vec<usize> =
        (0..=decoded.text.len()).filter(|&at| decoded.text.is_char_boundary(at)).collect();
    let start = usize::from(from) % borders.len();
    let end = (start + usize::from(length)).min(borders.len() - 1);
    let hunks = [Hunk { range: borders[start]..borders[end], text: "x".into() }];
    let mark = decoded.encoding.mark_if(decoded.bom).len();
    let body = &bytes[mark..];
    let Ok(changed) = splice(bytes, &decoded, &hunks) else { return };
    match changes(&decoded, body, &hunks).as_slice() {
        [] => assert_eq!(changed, bytes, "the hunk is what was there"),
        [change] => {
            assert!(changed.starts_with(&bytes[..mark + change.bytes.start]), "before the hunk");
            assert!(changed.ends_with(&body[change.bytes.end..]), "after the hunk");
        }
        more => panic!("{} changes from one hunk", more.len()),
    }
}
