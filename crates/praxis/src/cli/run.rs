//! `praxis run` and `praxis stats` as they are typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Place;

/// What to do, by whom, and within which limits.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 stopped by a rejected permission,
4 stopped by a limit of steps, time or money, 130 interrupted.

The answer is on stdout, everything else on stderr. Where nobody can answer, a question for permission is a no.

  praxis run \"why does the build fail?\" < build.log
  praxis run -c \"now fix it\"
  praxis run --format json --max-steps 20 --budget 0.50 \"…\" | jq -r 'select(.type==\"result\").text'
  praxis run --script rule.yaml \"change the lock file\"     a scripted model, to test rules without a key")]
pub(crate) struct RunArguments {
    /// What to do; `@path` attaches a file or folder, and what is piped in is added on a new line
    #[arg(value_name = "MESSAGE")]
    pub(crate) message: Vec<String>,
    /// The model, as provider/model
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The model's variant, for example `high`
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// The agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Go on with this session: its id, the beginning of it, or `last`
    #[arg(short, long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Go on with the session last used in this directory; without a message, finish what was cut off
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub(crate) again: bool,
    /// Go on with a copy of the session, and leave the session as it is
    #[arg(long)]
    pub(crate) fork: bool,
    /// Attach a file or folder; may be given several times
    #[arg(short, long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Run a slash command; the message is its arguments
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Option<String>,
    /// The session's title; without a value, the beginning of the message
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    pub(crate) title: Option<String>,
    /// Text for people, or JSON: one object a line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Show what the model thinks
    #[arg(long)]
    pub(crate) thinking: bool,
    /// Answer every question for permission with yes, once; what rules deny stays denied, and what only a person may
    /// confirm is refused
    #[arg(long, aliases = ["yolo", "dangerously-skip-permissions"])]
    pub(crate) auto: bool,
    /// The answer must be JSON that fits the schema in this file
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub(crate) schema: Option<PathBuf>,
    /// Stop after so many answers of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,
    /// Stop when so much is spent, in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) budget: Option<f64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: Option<u64>,
    /// Let this script answer instead of a model
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) script: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) elsewhere: Elsewhere,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Flags that OpenCode has and that need a server. They are known in order to be refused in so many words.
#[derive(Debug, Args)]
pub(crate) struct Elsewhere {
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "")]
    attach: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "")]
    port: Option<String>,
    #[arg(short, long, hide = true, num_args = 0..=1, default_missing_value = "")]
    username: Option<String>,
    #[arg(short, long, hide = true, num_args = 0..=1, default_missing_value = "")]
    password: Option<String>,
    #[arg(long, hide = true)]
    share: bool,
}

impl Elsewhere {
    /// Why the command line cannot be followed, if one of them is on it.
    pub(crate) fn refusal(&self) -> Option<String> {
        let given = [
            (self.attach.is_some(), "--attach"),
            (self.port.is_some(), "--port"),
            (self.username.is_some(), "--username"),
            (self.password.is_some(), "--password"),
            (self.share, "--share"),
        ];
        let (_, flag) = given.into_iter().find(|(is_given, _)| *is_given)?;
        Some(match flag {
            "--share" => {
                "Praxis shares nothing with a web service; leave --share out, and hand a session on with \
                 `praxis session export`"
                    .to_owned()
            }
            flag => format!("{flag} is about a server, and a run is always here; leave it out"),
        })
    }
}

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[value(alias = "default")]
    Text,
    /// For programs: one object a line
    Json,
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.trim_start_matches('$').parse::<f64>() {
        Ok(dollars) if dollars.is_finite() && dollars > 0.0 => Ok(dollars),
        _ => Err("write an amount above zero, for example 0.50".to_owned()),
    }
}

/// Which sessions to count.
#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// Only what was said in the last so many days
    #[arg(long, value_name = "N")]
    pub(crate) days: Option<u64>,
    /// Only sessions of this project
    #[arg(long)]
    pub(crate) project: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}
