//! How long the reading and judging of scripts takes. Budgets: a typical command under 100 µs, 100 KB under 50 ms.

use divan::{Bencher, black_box};
use praxis_policy::shell::{Dialect, Ground, Hold, Place, Protected, Real, analyse, judge};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PLACE: Place<'static> = Place { cwd: "/work", home: "/home/me", users: &[], shell: Dialect::Bash };

fn main() {
    divan::main();
}

/// What a tool does before it asks: read and judge.
fn decide(script: &str) {
    let analysis = analyse(black_box(script), &PLACE);
    let eyes = |path: &str| Real { path: path.to_owned(), is_folder: false };
    let roots = ["/work".to_owned()];
    let place = |path: &str, hold| Protected { path: path.into(), name: path.into(), hold };
    let protected =
        [place("/", Hold::Whole), place("/home/me", Hold::Whole), place("/work/.git", Hold::Content)];
    black_box(judge(&analysis, &Ground { roots: &roots, protected: &protected, eyes: &eyes, held: false }));
}

#[divan::bench(args = [
    "ls -la",
    "cd src && cargo test -p praxis-policy 2>&1 | tail -n 20",
    "for f in a b; do grep -rn \"x $f\" src > /dev/null || echo \"$(date) none\"; done",
    "rm -rf build && mkdir -p build && cp -r src/*.rs build > log.txt",
])]
fn typical(script: &str) {
    decide(script);
}

#[divan::bench(args = [100, 1_000])]
fn kilobytes(bencher: Bencher<'_, '_>, size: usize) {
    let line = "grep -rn 'some text' src/a.rs | head -n 5 > out.txt && echo \"done $(date)\"\n";
    let script = line.repeat(size * 1_024 / line.len());
    bencher.bench_local(|| decide(&script));
}

/// Shapes of 100 KB that an unlucky reader takes long for.
#[divan::bench(args = [
    "a&&", "x=$y;", "v@=1;", "v@=1&&", "cd a@;cat ../x;", "rm -rf a@;", "echo @ > f@;", "f@(){ ls;};", "f;", "(", "{ ", "$(", "`",
    "a|", "<<E ", "[[ a ]]||", "{a,b}", "if a;then b;fi;", "for i in 1 2 3;do ls $i;done;", "\\\n", "a \\\n", "'", "\"$a\"", "é ",
])]
fn hundred_kilobytes_of(bencher: Bencher<'_, '_>, unit: &str) {
    let mut script = String::from("f(){ ls; };");
    let mut n = 0;
    while script.len() < 100 * 1_024 {
        script.push_str(&unit.replace('@', &n.to_string()));
        n += 1;
    }
    bencher.bench_local(|| decide(&script));
}
