//! What finding a piece of text costs: exactly, tolerantly, and when everything almost fits.

use divan::{Bencher, black_box};
use praxis_text::replace::replace;

fn main() {
    divan::main();
}

const FILLER: &str = "        let value = compute(first, second, third);\n";
const PLACE: &str = "    fn wanted() {\n        one();\n        two();\n    }\n";

/// A file of so many megabytes with one place to change in its middle.
fn file(megabytes: usize) -> String {
    let half = FILLER.repeat((megabytes << 19) / FILLER.len());
    format!("{half}{PLACE}{half}")
}

fn run(bencher: Bencher<'_, '_>, content: &str, old: &str) {
    bencher.bench(|| replace(black_box(content), black_box(old), "new", false).is_ok());
}

#[divan::bench(args = [1, 10])]
fn exact(bencher: Bencher<'_, '_>, megabytes: usize) {
    run(bencher, &file(megabytes), PLACE);
}

#[divan::bench(args = [1, 10])]
fn exact_with_carriage_returns(bencher: Bencher<'_, '_>, megabytes: usize) {
    run(bencher, &file(megabytes).replace('\n', "\r\n"), PLACE);
}

#[divan::bench(args = [1, 10])]
fn at_another_depth(bencher: Bencher<'_, '_>, megabytes: usize) {
    run(bencher, &file(megabytes), "fn wanted() {\n    one();\n    two();\n}\n");
}

#[divan::bench(args = [1, 10])]
fn not_found(bencher: Bencher<'_, '_>, megabytes: usize) {
    run(bencher, &file(megabytes), "fn unwanted() {\n    1();\n    2();\n}\n");
}

#[divan::bench(args = [3, 200])]
fn every_line_almost_fits(bencher: Bencher<'_, '_>, lines: usize) {
    run(bencher, &file(1), &FILLER.replace("second", "sekond").repeat(lines));
}

/// Every block has both anchors and 198 other lines; the budget for comparing them runs out.
#[divan::bench]
fn every_block_almost_fits(bencher: Bencher<'_, '_>) {
    let block = |line: &str| format!("first\n{}last\n", line.repeat(198));
    run(bencher, &block(FILLER).repeat(100), &block("an altogether different line of about that length\n"));
}

/// All lines are first anchors of blocks of about the right size.
#[divan::bench]
fn every_line_begins_a_block(bencher: Bencher<'_, '_>) {
    let content = format!("{}last\n", FILLER.repeat(199)).repeat(100);
    let other = "an altogether different line of about that length\n";
    run(bencher, &content, &format!("{FILLER}{}last\n", other.repeat(198)));
}
