//! A change leaves every byte outside of it as it was.

use proptest::prelude::*;

use super::samples::SAMPLES;
use crate::encoding::cursor::Cursor;
use crate::encoding::{Decoded, Encoding, Unencodable, decode, encode, splice};
use crate::{Hunk, apply};

fn hunk(range: std::ops::Range<usize>, text: &str) -> Hunk {
    Hunk { range, text: text.into() }
}

/// The file read in a given encoding, whatever it looks like.
fn read_as(file: &[u8], name: &str) -> Decoded {
    let encoding = Encoding::named(name).unwrap();
    let (text, _) = encoding.0.decode_without_bom_handling(file);
    Decoded { text: text.into_owned(), encoding, bom: false, same: false }
}

fn with_endings(text: &str, endings: &[&str]) -> String {
    text.split('\n').enumerate().fold(String::new(), |mut out, (at, line)| {
        if at > 0 {
            out.push_str(endings[at % endings.len()]);
        }
        out + line
    })
}

const ENDINGS: [&[&str]; 4] = [&["\n"], &["\r\n"], &["\r"], &["\n", "\r\n", "\r"]];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn only_the_hunks_change(
        new in "[a-z\\\\|@\n\r]{0,6}", from in 0usize..10_000, length in 0usize..40, more in 0usize..200, bom: bool,
    ) {
        for sample in &SAMPLES {
            for endings in ENDINGS {
                let encoding = Encoding::named(sample.encoding).unwrap();
                let text = with_endings(sample.long, endings);
                let file = encode(&text, encoding, bom && !encoding.mark().is_empty()).unwrap();
                let decoded = decode(&file).unwrap();
                prop_assert_eq!(&decoded.text, &text);

                let borders: Vec<usize> =
                    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                let start = from % borders.len();
                let end = (start + length).min(borders.len() - 1);
                let later = (end + more).min(borders.len() - 1);
                let hunks = [
                    hunk(borders[start]..borders[end], &new),
                    hunk(borders[later]..borders[later], "later"),
                ];
                let changed = splice(&file, &decoded, &hunks).unwrap();

                let bytes = |text: &str| encode(text, encoding, false).unwrap();
                let before = [encoding.mark_if(decoded.bom), &bytes(&text[..borders[start]])].concat();
                let between = [bytes(&text[borders[end]..borders[later]]), b"later".to_vec()].concat();
                prop_assert!(changed.starts_with(&before));
                prop_assert!(changed.ends_with(&bytes(&text[borders[later]..])));
                if sample.encoding.starts_with("UTF-16") {
                    prop_assert!(encode(&apply(&text, &hunks), encoding, decoded.bom).unwrap() == changed);
                } else {
                    let expected =
                        [before, new.clone().into_bytes(), between, bytes(&text[borders[later]..])].concat();
                    prop_assert_eq!(&changed, &expected);
                }
                prop_assert_eq!(decode(&changed).unwrap().text, apply(&text, &hunks));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_place_is_found_in_any_bytes(
        file in prop::collection::vec(prop_oneof![any::<u8>(), 0x80u8..=0xFF, 0x30u8..0x3A, Just(b'\n')], 0..40),
        some in prop::collection::vec(any::<bool>(), 40),
    ) {
        for name in ["UTF-8", "UTF-16BE", "GBK", "gb18030", "Shift_JIS", "EUC-JP", "EUC-KR", "Big5", "KOI8-R"] {
            let decoded = read_as(&file, name);
            let read = |bytes: &[u8]| read_as(bytes, name).text;
            let mut cursor = Cursor::new(&decoded, &file);
            let places = decoded.text.char_indices().map(|(at, _)| at).chain([decoded.text.len()]);
            for (place, _) in places.zip(some.iter().cycle()).filter(|(_, some)| **some) {
                let (before, after) = cursor.around(place);
                for border in [before, after] {
                    prop_assert_eq!(read(&file[border.byte..]), &decoded.text[border.text..], "{}", name);
                    // Half a character at the end of a file is one mistake, before a line feed it may be two.
                    let ended = [&file[..border.byte], b"\n"].concat();
                    let expected = format!("{}\n", &decoded.text[..border.text]);
                    prop_assert!(name == "UTF-16BE" || border.byte == file.len() || read(&ended) == expected, "{}", name);
                }
                prop_assert!(before.text <= place && place <= after.text);
            }
        }
    }
}

#[test]
fn bad_bytes_survive_a_change_elsewhere() {
    let line = "Füße, Äpfel und schöne Tage für alle, die Übung mögen und hören können.\n";
    let file = [line.as_bytes(), b"bad \xE9 \xE2\x82 byte\n", line.repeat(5).as_bytes()].concat();
    let decoded = decode(&file).unwrap();
    assert_eq!(decoded.encoding, Encoding::UTF_8);
    let end = decoded.text.len();
    let byte = decoded.text.find("byte").unwrap();
    let hunks = [hunk(0..1, "G"), hunk(byte..byte + 4, "Byte"), hunk(end - 1..end, "!")];
    let mut expected = file.clone();
    expected[0] = b'G';
    expected[line.len() + 9] = b'B';
    *expected.last_mut().unwrap() = b'!';
    assert_eq!(splice(&file, &decoded, &hunks).unwrap(), expected);
}

#[test]
fn bad_sequences_of_old_encodings_survive_too() {
    for (name, bad) in [
        ("Shift_JIS", b"\x81\x22\xFF\x82".as_slice()),
        ("EUC-JP", b"\x8F\xA2\x22\xA4\x22\xFF"),
        ("EUC-KR", b"\xC8\x22\xFF\xB0"),
        ("Big5", b"\xA4\x22\xFF\xA4"),
        ("GBK", b"\x81\x30\x81\x22\x81\x30\xFF\xFF\x81\x30\x22\xB0"),
        ("gb18030", b"\x84\x31\x81\x22\xFF\xB0\x30\x30"),
    ] {
        let file = [b"one ".as_slice(), bad, b"\ntwo ", bad, b" end", bad].concat();
        let decoded = read_as(&file, name);
        let end = decoded.text.find(" end").unwrap();
        let hunks = [hunk(0..3, "ONE"), hunk(end..end + 4, " END")];
        let expected = [b"ONE ".as_slice(), bad, b"\ntwo ", bad, b" END", bad].concat();
        assert_eq!(splice(&file, &decoded, &hunks).unwrap(), expected, "{name}");
    }
}

#[test]
fn unpaired_halves_and_a_last_odd_byte_survive() {
    let file = b"\xFF\xFEa\0\0\xD8b\0\n\0\x3D\xD8\0\xDEc\0z";
    let decoded = decode(file).unwrap();
    assert_eq!(decoded.text, "a\u{FFFD}b\n😀c\u{FFFD}");
    let at = decoded.text.find('c').unwrap();
    let changed = splice(file, &decoded, &[hunk(0..1, "é"), hunk(at..at + 1, "中")]).unwrap();
    assert_eq!(changed, b"\xFF\xFE\xE9\0\0\xD8b\0\n\0\x3D\xD8\0\xDE\x2D\x4Ez");
}

#[test]
fn spellings_that_encoders_do_not_use_stay() {
    // The same character has two codes in Shift_JIS; an encoder would choose the other one.
    let file = b"\xFA\x54 \xFA\x54 x\n";
    let decoded = read_as(file, "Shift_JIS");
    assert_eq!(decoded.text, "￢ ￢ x\n");
    let line = hunk(0..decoded.text.len(), "￢ ￢ y\n");
    assert_eq!(splice(file, &decoded, &[line]).unwrap(), b"\xFA\x54 \xFA\x54 y\n");
}

#[test]
fn a_border_inside_a_shared_sequence_loses_nothing() {
    // Two bytes of Big5 that are two characters.
    let file = b"a\x88\x62b\n";
    let decoded = read_as(file, "Big5");
    assert_eq!(decoded.text, "aÊ\u{304}b\n");
    let (base, accent) = (1..3, 3..5);
    // Ê alone cannot be written, so it cannot be kept without its accent.
    let refused = Unencodable { character: 'Ê', line: 1, encoding: "Big5" };
    assert_eq!(splice(file, &decoded, &[hunk(accent.clone(), "x")]), Err(refused));
    assert_eq!(splice(file, &decoded, &[hunk(accent.start..accent.start, "x")]), Err(refused));
    assert_eq!(splice(file, &decoded, &[hunk(accent.start..accent.start, "")]).unwrap(), file);
    assert_eq!(
        splice(file, &decoded, &[hunk(base.clone(), "x"), hunk(accent.clone(), "y")]).unwrap(),
        b"axyb\n"
    );
    assert_eq!(splice(file, &decoded, &[hunk(base.start..accent.end, "x")]).unwrap(), b"axb\n");
    assert_eq!(splice(file, &decoded, &[hunk(0..1, "x"), hunk(5..6, "y")]).unwrap(), b"x\x88\x62y\n");
}

#[test]
fn a_refused_character_is_named_with_its_line_in_the_file() {
    let file = encode(SAMPLES[14].long, Encoding::named("KOI8-R").unwrap(), false).unwrap();
    let decoded = decode(&file).unwrap();
    let third = decoded.text.match_indices('\n').nth(1).unwrap().0 + 1;
    let refused = splice(&file, &decoded, &[hunk(third..third, "a\n10 €")]).unwrap_err();
    assert_eq!(refused, Unencodable { character: '€', line: 4, encoding: "KOI8-R" });
}

#[test]
fn a_mark_is_never_doubled() {
    let file = b"\xEF\xBB\xBFabc";
    let decoded = decode(file).unwrap();
    assert_eq!(splice(file, &decoded, &[hunk(0..1, "\u{FEFF}x")]).unwrap(), b"\xEF\xBB\xBFxbc");
    assert_eq!(splice(file, &decoded, &[hunk(0..3, "")]).unwrap(), b"\xEF\xBB\xBF");
}

#[test]
fn many_hunks_cost_one_pass() {
    // A line of a few hundred kilobytes and as many lines: walking from the beginning each time would take minutes.
    for line in ["中文字x", "中文字x\n"] {
        let text = line.repeat(10_000);
        let file = encode(&text, Encoding::named("GBK").unwrap(), false).unwrap();
        let decoded = read_as(&file, "GBK");
        let hunks: Vec<Hunk> = text.match_indices('x').map(|(at, _)| hunk(at..at + 1, "y")).collect();
        let changed = splice(&file, &decoded, &hunks).unwrap();
        assert!(read_as(&changed, "GBK").text == text.replace('x', "y"));
    }
}
