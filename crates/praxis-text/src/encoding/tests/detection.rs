//! Every encoding is recognised, whole or from a sample cut anywhere.

use proptest::prelude::*;

use super::samples::{SAMPLES, Sample};
use crate::encoding::{
    DETECTION_WINDOW, Encoding, StreamDecoder, Unencodable, decode, encode, sniff, splice,
};

fn named(name: &str) -> Encoding {
    Encoding::named(name).unwrap()
}

fn bytes(text: &str, name: &str, bom: bool) -> Vec<u8> {
    encode(text, named(name), bom).unwrap()
}

#[test]
fn every_sample_is_recognised_and_comes_back() {
    let mut wrong = Vec::new();
    for Sample { encoding, long, short } in SAMPLES {
        assert!(long.chars().count() >= 180, "{encoding}");
        for text in [long, short] {
            let file = bytes(text, encoding, false);
            let decoded = decode(&file).unwrap_or_else(|error| panic!("{encoding}: {error}"));
            let result = (decoded.encoding.name(), decoded.bom);
            if result != (encoding, false) || decoded.text != text {
                wrong.push((encoding, result, text.chars().take(30).collect::<String>()));
            }
            assert_eq!(splice(&file, &decoded, &[]).unwrap(), file);
        }
    }
    assert_eq!(wrong, []);
}

#[test]
fn source_code_with_one_comment_is_recognised() {
    let code = "fn main() {\n    let value = load(\"settings\");\n}\n".repeat(40);
    for Sample { encoding, short, .. } in SAMPLES {
        let file = bytes(&format!("{code}{short}{code}"), encoding, false);
        assert_eq!(sniff(&file, true).map(|(found, _)| found.name()), Ok(encoding));
    }
}

#[test]
fn marks_are_seen_and_are_no_text() {
    for encoding in ["UTF-8", "UTF-16LE", "UTF-16BE"] {
        let decoded = decode(&bytes("é\r\n", encoding, true)).unwrap();
        assert_eq!((decoded.text.as_str(), decoded.encoding.name(), decoded.bom), ("é\r\n", encoding, true));
        let empty = decode(&bytes("", encoding, true)).unwrap();
        assert_eq!((empty.text.as_str(), empty.encoding.name(), empty.bom), ("", encoding, true));
    }
}

#[test]
fn a_sample_may_end_anywhere() {
    for Sample { encoding, long, .. } in SAMPLES {
        let file = bytes(long, encoding, false);
        // Rare characters must have come for GB18030 to differ from GBK, so its beginning is not asked.
        for end in (file.len() * 3 / 4..file.len()).step_by(5) {
            let found = sniff(&file[..end], false).map(|(found, bom)| (found.name(), bom));
            assert_eq!(found, Ok((encoding, false)), "{end} bytes");
        }
    }
}

#[test]
fn latin_1_is_called_windows_1252() {
    let file = b"D\xE9j\xE0 vu \xA9 2020, 3\xBD fois, \xABvoil\xE0\xBB\n";
    let decoded = decode(file).unwrap();
    assert_eq!(
        (decoded.text.as_str(), decoded.encoding.name()),
        ("Déjà vu © 2020, 3½ fois, «voilà»\n", "windows-1252")
    );
    assert_eq!(Encoding::named("ISO-8859-1"), Encoding::named("windows-1252"));
}

#[test]
fn ukrainian_koi_keeps_its_letters() {
    let text =
        "Цей файл пояснює, як програма читає налаштування. Її помилки є в журналі, ґрунтовно.\n".repeat(3);
    let decoded = decode(&bytes(&text, "KOI8-U", false)).unwrap();
    assert_eq!((decoded.text.as_str(), decoded.encoding.name()), (text.as_str(), "KOI8-U"));
}

#[test]
fn other_alphabets_are_text_too() {
    for (encoding, text) in [
        (
            "windows-1253",
            "Αυτό το αρχείο εξηγεί πώς το πρόγραμμα διαβάζει τις ρυθμίσεις του χρήστη. Πρώτα ψάχνει.\n",
        ),
        (
            "windows-1255",
            "הקובץ הזה מסביר איך התוכנית קוראת את ההגדרות של המשתמש. קודם היא מחפשת בתיקיית הבית.\n",
        ),
        (
            "windows-1256",
            "يشرح هذا الملف كيف يقرأ البرنامج إعدادات المستخدم. يبحث أولا في مجلد المستخدم ثم في المشروع.\n",
        ),
        ("windows-874", "ไฟล์นี้อธิบายว่าโปรแกรมอ่านการตั้งค่าของผู้ใช้อย่างไร โดยเริ่มค้นหาจากโฟลเดอร์หลักก่อน ที่นี่\n"),
        (
            "windows-1254",
            "Bu dosya, programın kullanıcı ayarlarını nasıl okuduğunu açıklar. Önce ev klasöründe aranır, şöyle.\n",
        ),
    ] {
        let text = text.repeat(3);
        let decoded = decode(&bytes(&text, encoding, false)).unwrap();
        assert_eq!((decoded.encoding.name(), decoded.text), (encoding, text));
    }
}

#[test]
fn languages_the_detector_confuses_are_told_apart() {
    for (encoding, text) in [
        (
            "windows-1250",
            "A program először a saját könyvtárból olvassa be a beállításokat, utána törli őket.\n",
        ),
        ("windows-1250", "Nie można odczytać podanego pliku, ponieważ został usunięty.\n"),
        ("windows-1252", "falta el argumento de la opción «nombre»\n"),
        ("windows-1252", "champ « era » de la chaîne « era » non défini\n"),
        ("windows-1252", "Il file non è valido e perciò non è stato letto\n"),
        ("windows-1252", "Datei geändert\n"),
        ("windows-1251", "Файл не найден\n"),
        ("KOI8-R", "Файл не найден\n"),
        ("GBK", "文件不存在\n"),
        ("Shift_JIS", "ファイルがありません\n"),
        ("EUC-JP", "ファイルがありません\n"),
        ("EUC-KR", "파일이 없습니다\n"),
        ("Big5", "檔案不存在，請重試\n"),
    ] {
        let decoded = decode(&bytes(text, encoding, false)).unwrap();
        assert_eq!((decoded.encoding.name(), decoded.text.as_str()), (encoding, text));
    }
}

#[test]
fn names_are_found_in_any_case_and_strange_ones_are_not() {
    for (label, name) in
        [("utf8", "UTF-8"), ("sjis", "Shift_JIS"), ("CP1251", "windows-1251"), ("koi8-r", "KOI8-R")]
    {
        assert_eq!(Encoding::named(label).map(Encoding::name), Some(name));
    }
    for label in ["iso-2022-jp", "hz-gb-2312", "x-user-defined", "klingon"] {
        assert_eq!(Encoding::named(label), None, "{label}");
    }
}

#[test]
fn utf_8_with_one_bad_byte_stays_utf_8() {
    let mut file = "Füße und Äpfel, für alle schönen Tage.\n".repeat(20).into_bytes();
    file.insert(100, 0xE9);
    let decoded = decode(&file).unwrap();
    assert_eq!(decoded.encoding, Encoding::UTF_8);
    assert_eq!(decoded.text, String::from_utf8_lossy(&file));
}

#[test]
fn the_end_of_a_sample_is_not_one_more_bad_byte() {
    // One in twenty is just allowed; the character cut at the end must not count.
    let sample = [b"\xFF ".as_slice(), "é ".repeat(19).as_bytes(), b"\xC3"].concat();
    assert_eq!(sniff(&sample, false), Ok((Encoding::UTF_8, false)));
    assert_ne!(sniff(&sample, true), Ok((Encoding::UTF_8, false)));
}

#[test]
fn a_stream_may_come_byte_by_byte() {
    for encoding in ["UTF-8", "UTF-16LE", "UTF-16BE"] {
        let mut stream = StreamDecoder::new(named(encoding), true);
        let mut text = String::new();
        for byte in bytes("é中😀", encoding, true) {
            stream.push(&[byte], false, &mut text);
        }
        stream.push(&[], true, &mut text);
        assert_eq!(text, "é中😀");
    }
}

#[test]
fn old_encodings_with_one_bad_sequence_keep_their_name() {
    for encoding in ["Shift_JIS", "EUC-JP", "EUC-KR", "GBK", "Big5"] {
        let sample = SAMPLES.iter().find(|sample| sample.encoding == encoding).unwrap();
        let mut file = bytes(sample.long, encoding, false);
        file.extend_from_slice(b"bad: \xFF\n");
        let decoded = decode(&file).unwrap();
        assert_eq!(
            (decoded.encoding.name(), decoded.text),
            (encoding, format!("{}bad: \u{FFFD}\n", sample.long))
        );
    }
}

#[test]
fn what_comes_after_the_window_counts_too() {
    let ascii = "plain text\n".repeat(DETECTION_WINDOW / 11 + 1);
    let russian = bytes(SAMPLES[10].long, "windows-1251", false);
    let late = [ascii.as_bytes(), &russian].concat();
    assert_eq!(decode(&late).unwrap().encoding.name(), "windows-1251");

    let japanese = bytes(SAMPLES[6].long, "EUC-JP", false).repeat(DETECTION_WINDOW / 300);
    let french = bytes(SAMPLES[11].long, "windows-1252", false).repeat(DETECTION_WINDOW / 50);
    let mixed = [japanese, french].concat();
    let decoded = decode(&mixed).unwrap();
    assert_eq!((decoded.encoding.name(), decoded.text.chars().count()), ("windows-1252", mixed.len()));
}

#[test]
fn what_cannot_be_written_is_named() {
    let refused = |text, encoding| encode(text, named(encoding), false).unwrap_err();
    let euro = refused("price\n10 €", "KOI8-R");
    assert_eq!(euro, Unencodable { character: '€', line: 2, encoding: "KOI8-R" });
    assert_eq!(
        euro.to_string(),
        "`€` (U+20AC, line 2) cannot be written in KOI8-R, the encoding of the file; use another character, or \
         convert the file to UTF-8 first"
    );
    for (text, encoding, character) in [
        ("ab中", "windows-1252", '中'),
        ("好😀", "GBK", '😀'),
        ("円¥", "Shift_JIS", '¥'),
        ("円‾", "EUC-JP", '‾'),
        ("a\u{2212}b", "Shift_JIS", '\u{2212}'),
        ("\u{FEFF}a", "Big5", '\u{FEFF}'),
    ] {
        assert_eq!(
            refused(text, encoding),
            Unencodable { character, line: 1, encoding: named(encoding).name() }
        );
    }
    assert_eq!(decode(&bytes("好的，我们在这里😀", "gb18030", false)).unwrap().text, "好的，我们在这里😀");
}

#[test]
fn there_is_never_a_second_mark() {
    for encoding in ["UTF-8", "UTF-16LE", "UTF-16BE"] {
        assert_eq!(bytes("\u{FEFF}a", encoding, true), bytes("a", encoding, true));
        assert_eq!(bytes("\u{FEFF}a", encoding, false), bytes("a", encoding, true));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_cut_anywhere_give_the_same_text(
        which in 0..SAMPLES.len(), bom: bool, cuts in prop::collection::vec(0usize..900, 0..12), bad in 0usize..900,
    ) {
        let Sample { encoding, long, .. } = &SAMPLES[which];
        let encoding = named(encoding);
        let mut file = encode(long, encoding, bom && !encoding.mark().is_empty()).unwrap();
        if bad < file.len() && bad > 3 {
            file[bad] = 0xFF;
        }
        let Ok(decoded) = decode(&file) else { return Ok(()) };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(file.len())).chain([0, file.len()]).collect();
        cuts.sort_unstable();
        let mut stream = StreamDecoder::new(decoded.encoding, decoded.bom);
        let mut text = String::new();
        for pair in cuts.windows(2) {
            stream.push(&file[pair[0]..pair[1]], false, &mut text);
        }
        stream.push(&[], true, &mut text);
        prop_assert_eq!(text, decoded.text);
    }
}
