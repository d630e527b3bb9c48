use std::time::{Duration, Instant};

use crate::replace::{ReplaceError, replace};

/// Much longer than any of them takes, even unoptimised; what is quadratic takes minutes.
const LONG: Duration = Duration::from_secs(10);

/// Files of about a megabyte that almost fit, and texts that almost fit them.
fn adversaries() -> Vec<(&'static str, String, String)> {
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().join("\n");
    let filler = "the quick brown fox jumps over the lazy dog again";
    let noise = |n: usize| format!("{:050}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let same = lines(20_000, &|_| filler.into());
    let anchored =
        |every: usize| lines(20_000, &|n| if n % every == 0 { "last".into() } else { filler.into() });
    let random = lines(20_000, &|n| if n % 200 == 0 { "last".into() } else { noise(n) });
    let block = |size: usize, middle: &dyn Fn(usize) -> String| {
        format!("{filler}\n{}\nlast", lines(size - 2, middle))
    };
    vec![
        ("first anchors only", same.clone(), block(3, &|_| "x".into())),
        ("both anchors", same.clone(), format!("{filler}\nsomething else\n{filler}")),
        (
            "long, nearly equal",
            same.clone(),
            lines(200, &|n| if n == 100 { "x".into() } else { filler.into() }),
        ),
        ("every line one off", same.clone(), lines(200, &|_| filler.replace("fox", "fax"))),
        ("overlapping windows", same.clone(), lines(200, &|_| format!("{filler} "))),
        ("anchored blocks", anchored(200), block(200, &|n| noise(n))),
        ("anchored blocks one off", anchored(200), block(200, &|_| filler.replace("fox", "fax"))),
        ("many small blocks", anchored(4), block(5, &|n| noise(n))),
        ("random lines", random, block(200, &|n| noise(n + 7))),
        ("half of the file", same.clone(), lines(10_000, &|_| filler.replace("fox", "fax"))),
        ("words in other lines", same, format!("{filler} {filler}\n").repeat(5_000)),
        ("one long line", "ab ".repeat(350_000), "ab  ".repeat(1_000)),
        ("one letter", "a".repeat(1_000_000), "a".repeat(100_000)),
        ("backslashes", "\\".repeat(1_000_000), "\\".repeat(999) + "x"),
        ("blank lines", "\n".repeat(250_000), "\n".repeat(500) + "x"),
    ]
}

#[test]
fn near_matches_in_a_megabyte_do_not_take_long() {
    for (name, content, old) in adversaries() {
        let timed = |all| {
            let start = Instant::now();
            let answer = replace(&content, &old, "new\nlines", all);
            let took = start.elapsed();
            println!("{name}, all: {all}: {took:?}");
            assert!(took < LONG, "{name}, all: {all}: {took:?}");
            answer
        };
        if let Err(ReplaceError::Ambiguous { .. }) = timed(false) {
            assert!(timed(true).is_ok());
        }
    }
}

#[test]
fn many_places_in_one_long_line_do_not_take_long() {
    let content = format!("\r{}", "ab".repeat(250_000));
    let start = Instant::now();
    let replacement = replace(&content, "a", "\n", true).unwrap();
    assert_eq!(replacement.hunks.len(), 250_000);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}
