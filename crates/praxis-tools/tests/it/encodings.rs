//! An edit changes its own place and not one byte more, in any encoding.

use std::fs;

use praxis_text::encoding::{Encoding, encode};
use serde_json::json;

use crate::lab::Lab;

const FRENCH: &str = "Où sont passées les clés de la forêt où chantait l'été dernier ?\nLe garçon espérait déjà être à l'école.\nVoilà la réponse : c'était très différent.\n";
const CZECH: &str = "Příliš žluťoučký kůň úpěl ďábelské ódy na břehu řeky.\nVčera večer přišel král a řekl, že zítra odjíždí.\nŽádná odpověď nebyla úplně správná.\n";
const RUSSIAN: &str = "Съешь ещё этих мягких французских булок, да выпей чаю.\nВчера вечером мы долго говорили о погоде.\nНикто не знал, что ответить на этот вопрос.\n";
const CHINESE: &str =
    "今天天气很好，我们一起去公园散步吧。\n他昨天没有来上课，因为生病了。\n这个问题的答案其实非常简单。\n";
const TAIWAN: &str =
    "今天天氣很好，我們一起去公園散步吧。\n他昨天沒有來上課，因為生病了。\n這個問題的答案其實非常簡單。\n";
const JAPANESE: &str = "今日は天気がとても良いので、公園を散歩しましょう。\n彼は昨日、病気のために学校を休みました。\nこの問題の答えは実はとても簡単です。\n";
const KOREAN: &str = "오늘은 날씨가 아주 좋아서 공원에서 산책했습니다.\n그는 어제 아파서 학교에 오지 못했습니다.\n이 문제의 답은 사실 아주 간단합니다.\n";

/// Encoding, text, whether it may have a byte order mark.
const CASES: &[(&str, &str, bool)] = &[
    ("UTF-8", JAPANESE, true),
    ("UTF-16LE", FRENCH, true),
    ("UTF-16BE", RUSSIAN, true),
    ("GBK", CHINESE, false),
    ("Shift_JIS", JAPANESE, false),
    ("EUC-JP", JAPANESE, false),
    ("EUC-KR", KOREAN, false),
    ("Big5", TAIWAN, false),
    ("windows-1250", CZECH, false),
    ("windows-1251", RUSSIAN, false),
    ("windows-1252", FRENCH, false),
    ("ISO-8859-2", CZECH, false),
    ("KOI8-R", RUSSIAN, false),
];

fn with_endings(text: &str, ending: &str) -> String {
    match ending {
        "mixed" => text.replacen('\n', "\r\n", 1),
        ending => text.replace('\n', ending),
    }
}

#[tokio::test]
async fn bytes_outside_the_hunk_are_identical_in_every_encoding_with_every_ending() {
    let lab = Lab::open().start();
    for (name, text, marked) in CASES {
        let encoding = Encoding::named(name).unwrap();
        for ending in ["\n", "\r\n", "\r", "mixed"] {
            for bom in [false, true] {
                if bom && !marked {
                    continue;
                }
                // The middle of three lines is replaced whole, by plain text that every encoding has.
                let whole = with_endings(text, ending);
                let line = text.lines().nth(1).unwrap();
                let at = whole.find(line).unwrap();
                let bytes = |text: &str| encode(text, encoding, false).unwrap();
                let mark = if bom { encode("", encoding, true).unwrap() } else { Vec::new() };
                let (before, after) = (bytes(&whole[..at]), bytes(&whole[at + line.len()..]));
                let file = format!("{name}-{}-{bom}.txt", ending.len());
                lab.file(&file, [&mark[..], &before, &bytes(line), &after].concat());

                let shown = lab.output("read", json!({ "filePath": file })).await;
                assert!(
                    shown.contains(&format!("1: {}\n", text.lines().next().unwrap())),
                    "{name} {ending:?} {bom}\n{shown}"
                );
                lab.output(
                    "edit",
                    json!({ "filePath": file, "oldString": line, "newString": "plain (text)" }),
                )
                .await;
                let expected = [&mark[..], &before, &bytes("plain (text)"), &after].concat();
                assert_eq!(
                    fs::read(lab.project.path().join(&file)).unwrap(),
                    expected,
                    "{name} {ending:?} {bom}"
                );
            }
        }
    }
}

#[tokio::test]
async fn what_an_encoding_cannot_express_is_refused_and_named() {
    let lab = Lab::open().start();
    let koi = encode(RUSSIAN, Encoding::named("KOI8-R").unwrap(), false).unwrap();
    lab.file("koi.txt", &koi);
    let change = json!({ "filePath": "koi.txt", "oldString": "чаю", "newString": "кофе за 2 €" });
    let told = lab.error("edit", change).await;
    assert!(told.contains('€') && told.contains("U+20AC") && told.contains("KOI8"), "{told}");
    let told = lab.error("write", json!({ "filePath": "koi.txt", "content": "中" })).await;
    assert!(told.contains('中'), "{told}");
    assert_eq!(fs::read(lab.project.path().join("koi.txt")).unwrap(), koi);
}
