//! The command line.

use std::path::PathBuf;

use crate::jail::Hold;

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// How many scripts.
    pub(crate) scripts: u64,
    /// Where the numbers begin.
    pub(crate) seed: u64,
    /// How many jails.
    pub(crate) workers: u64,
    /// How many different failures end the run.
    pub(crate) most: usize,
    /// One script instead of many.
    pub(crate) script: Option<String>,
    /// We are one of the workers, in this folder.
    pub(crate) worker: Option<(u64, PathBuf)>,
    /// What holds the scripts.
    pub(crate) hold: Hold,
    /// That one in dash.
    pub(crate) dash: bool,
    /// What every analysis is made to leave out, to see that it is noticed.
    pub(crate) forget: Option<String>,
    /// Print scripts instead of running them.
    pub(crate) show: bool,
}

impl Options {
    /// Reads them; an error is for people.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let workers = std::thread::available_parallelism().map_or(2, usize::from) as u64;
        let mut options = Self {
            scripts: 10_000,
            seed: 1,
            workers,
            most: 40,
            script: None,
            worker: None,
            show: false,
            forget: None,
            hold: Hold::Namespaces,
            dash: false,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` wants a value"));
            let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is no number"));
            match word.as_str() {
                "--scripts" => options.scripts = number(value()?)?,
                "--seed" => options.seed = number(value()?)?,
                "--workers" => options.workers = number(value()?)?.max(1),
                "--most" => options.most = number(value()?)? as usize,
                "--script" => options.script = Some(value()?),
                "--forget" => options.forget = Some(value()?),
                "--no-namespaces" => options.hold = Hold::Watcher,
                "--dash" => options.dash = true,
                "--show" => options.show = true,
                "--worker" => options.worker = Some((number(value()?)?, PathBuf::from(value()?))),
                _ => {
                    return Err(format!(
                        "`{word}` is not known; there are --scripts N, --seed N, --workers N, --most N, --script TEXT, --dash, --no-namespaces, --forget command|path, --show"
                    ));
                }
            }
        }
        Ok(options)
    }
}
