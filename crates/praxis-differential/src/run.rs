//! A run: workers in jails of their own, and one who counts.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::check::Knows;
use crate::jail::{Hold, Jail, Shell};
use crate::options::Options;
use crate::worker::{self, Counts, Word};
use crate::{check, generate};

/// The program: reads its command line, runs, and says by its exit code what came of it.
pub fn main() -> ExitCode {
    let result = Options::read(std::env::args().skip(1)).map_err(io::Error::other).and_then(|mut options| {
        if let Some((number, root)) = &options.worker {
            return worker::work(&options, *number, root).map(|()| true);
        }
        if options.show {
            return show(&options).map(|()| true);
        }
        if options.hold == Hold::Namespaces && !worker_of(&options, 0, 0)?.1.wait()?.success() {
            options.hold = Hold::Watcher;
            writeln!(
                io::stderr(),
                "NAMESPACES CANNOT BE HAD HERE: scripts are held by a filter alone, and `env`, `find` and their like are stubs"
            )?;
        }
        match &options.script {
            Some(script) => one(script, if options.dash { Shell::Dash } else { Shell::Bash }, options.hold),
            None => many(&options),
        }
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "the differential test cannot be run here: {error}");
            ExitCode::from(3)
        }
    }
}

fn show(options: &Options) -> io::Result<()> {
    for index in 0..options.scripts {
        let script = generate::script(worker::seed_of(options.seed, index));
        let knows = Knows::of(&check::read(&script, Shell::Bash, "", None));
        writeln!(io::stdout(), "--- {index} {knows:?}\n{script}")?;
    }
    Ok(())
}

/// One script, with everything that is known of it.
fn one(script: &str, shell: Shell, hold: Hold) -> io::Result<bool> {
    let root = tempfile::tempdir()?;
    let mut out = io::stdout();
    let mut jail = Jail::open(root.path(), hold, 0)?;
    let script = &jail.placed(script);
    let found = check::read(script, shell, &jail.prefix(), None);
    writeln!(out, "{found:#?}")?;
    let mut clean = true;
    for luck in 0..8 {
        let seen = jail.run(script, shell, luck)?;
        writeln!(out, "luck {luck}, status {}, stopped {}", seen.status, seen.was_stopped)?;
        for event in &seen.events {
            writeln!(out, "  {event:?}")?;
        }
        if let Some((event, complaint)) = check::unlisted(&found, &seen.events) {
            writeln!(out, "FAILURE: {complaint}: {event:?}")?;
            clean = false;
        }
    }
    Ok(clean)
}

/// Starts one of the workers, in a folder of its own.
fn worker_of(options: &Options, scripts: u64, number: u64) -> io::Result<(TempDir, Child)> {
    let root = tempfile::tempdir()?;
    let child = Command::new(std::env::current_exe()?)
        .args(["--scripts", &scripts.to_string(), "--seed", &options.seed.to_string()])
        .args(["--workers", &options.workers.to_string(), "--most", &options.most.to_string()])
        .args(options.forget.iter().flat_map(|lost| ["--forget", lost]))
        .args((options.hold == Hold::Watcher).then_some("--no-namespaces"))
        .args(["--worker", &number.to_string()])
        .arg(root.path())
        .stdout(Stdio::piped())
        .spawn()?;
    Ok((root, child))
}

fn many(options: &Options) -> io::Result<bool> {
    let start = Instant::now();
    let (tell, hear) = mpsc::channel();
    let mut roots = Vec::new();
    let mut children = Vec::new();
    for number in 0..options.workers {
        let (root, mut child) = worker_of(options, options.scripts, number)?;
        let tell = tell.clone();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if let Some(word) = Word::read(&line) {
                        let _ = tell.send(word);
                    }
                }
            });
        }
        roots.push(root);
        children.push(child);
    }
    drop(tell);
    let mut total = Counts::default();
    let mut known = HashSet::new();
    let mut last = Instant::now();
    let mut out = io::stdout();
    for word in hear {
        match word {
            Word::Counts(counts) => total.add(&counts),
            Word::Failure(failure) => {
                if known.insert(failure.shape()) {
                    writeln!(out, "{}", failure.tell(options.seed))?;
                }
            }
        }
        if last.elapsed() > Duration::from_secs(10) {
            last = Instant::now();
            writeln!(out, "{}", total.tell(start.elapsed()))?;
        }
        if known.len() >= options.most {
            for child in &mut children {
                let _ = child.kill();
            }
        }
    }
    let mut all_ended = true;
    for child in &mut children {
        all_ended &= child.wait()?.success();
    }
    let mut text = String::new();
    let _ = write!(text, "seed {}: {}; {} failures", options.seed, total.tell(start.elapsed()), known.len());
    writeln!(out, "{text}")?;
    if known.is_empty() && !all_ended {
        return Err(io::Error::other("a worker ended early"));
    }
    Ok(known.is_empty() && total.scripts == options.scripts)
}
