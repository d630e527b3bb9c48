//! Decoding ten megabytes and putting one hunk in, by encoding.

use divan::Bencher;
use praxis_text::Hunk;
use praxis_text::encoding::{Encoding, decode, encode, splice};

fn main() {
    divan::main();
}

#[divan::bench(args = ["UTF-8", "UTF-16LE", "GBK", "windows-1252"], sample_count = 10)]
fn ten_megabytes(bencher: Bencher, name: &str) {
    let line = match name {
        "GBK" => "// 读取用户的配置文件并返回结果 int load();\n",
        _ => "fn größe() -> usize { /* naïve Füße */ 42 }\n",
    };
    let encoding = Encoding::named(name).unwrap_or(Encoding::UTF_8);
    let one = encode(line, encoding, false).unwrap_or_else(|e| panic!("{e}"));
    let file = one.repeat(10_000_000 / one.len());
    bencher.bench_local(|| {
        let decoded = decode(&file).unwrap_or_else(|e| panic!("{e}"));
        let hunk = Hunk { range: 0..2, text: "xx".to_owned() };
        splice(&file, &decoded, &[hunk])
    });
}
