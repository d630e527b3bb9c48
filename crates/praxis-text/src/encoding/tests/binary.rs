//! What is not text.

use proptest::prelude::*;

use crate::encoding::{NotText, Sign, decode, fuzz, sniff};

fn why(bytes: &[u8]) -> Option<Sign> {
    decode(bytes).err().map(|NotText::Binary { why }| why)
}

/// Bytes without order or NUL, as in a compressed file.
fn noise(length: usize, mut seed: u32) -> Vec<u8> {
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        (seed >> 11) as u8
    };
    std::iter::repeat_with(&mut next).filter(|&byte| byte != 0).take(length).collect()
}

#[test]
fn other_formats_are_not_text() {
    let png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0";
    let gzip = b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x4B\x4C\x4A\x4E\x49\x4D\x03\0\xF0\xA7\x8D\x58\x06\0\0\0";
    let elf = b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3E\0\x01\0\0\0";
    for format in [png.as_slice(), gzip, elf, b"hello\0world", b"text with\0one", b"a\0", &[0, 1, 2, 3]] {
        assert_eq!(why(format), Some(Sign::Nul), "{format:?}");
    }
    assert_eq!(why(&[1, 2, 3, b'a', b'b', 4, 5]), Some(Sign::Controls));
    assert_eq!(why(b"\xFF\xFE\0\0a\0\0\0"), Some(Sign::Utf32));
    assert_eq!(why(b"\0\0\xFE\xFF\0\0\0a"), Some(Sign::Utf32));
    assert_eq!(why(b""), None);
    assert_eq!(decode(b"a\0").unwrap_err().to_string(), "binary data (it has NUL bytes and is not UTF-16)");
}

#[test]
fn a_nul_behind_the_window_is_found() {
    let mut file = b"text\n".repeat(200_000);
    assert_eq!(why(&file), None);
    file.push(0);
    assert_eq!(why(&file), Some(Sign::Nul));
}

#[test]
fn controls_at_the_cap_and_one_past_it() {
    assert_eq!(why(b"\x01\x02\x03abcdefg"), None);
    assert_eq!(why(b"\x01\x02\x03\x04bcdefg"), Some(Sign::Controls));
    assert_eq!(why("\u{1B}[1m".repeat(20).as_bytes()), None);
}

#[test]
fn compressed_bytes_without_nul_are_not_text() {
    for seed in 1..20 {
        for length in [300, 5_000] {
            let noise = noise(length, seed * 7_919);
            assert!(why(&noise).is_some(), "{:?}", decode(&noise));
            assert!(sniff(&noise, false).is_err());
        }
        let high: Vec<u8> = noise(600, seed).into_iter().filter(|byte| *byte >= 32).collect();
        assert!(why(&high).is_some(), "{:?}", decode(&high));
        let marked = [b"\xFF\xFE".as_slice(), &noise(600, seed)].concat();
        // Two bytes are seldom a control character, so this is only sure to be read without harm.
        fuzz(&marked);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_bytes_are_safe(data in prop::collection::vec(any::<u8>(), 0..60)) {
        fuzz(&data);
    }

    #[test]
    fn any_high_bytes_are_safe(data in prop::collection::vec(prop_oneof![1u8..=255, 0x80u8..=0xFF, 0x30u8..0x5A], 0..60)) {
        fuzz(&data);
    }
}
