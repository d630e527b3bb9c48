//! Scripts: a model's answers written down beforehand, for tests of tools, agents and rules, for demos and for replay.
//!
//! A script is YAML or JSON. Its turns are played in order; those with a `when` answer every request that fits, before
//! the order is looked at, so that one script can serve subagents and side requests too.
//!
//! ```
//! use praxis_llm::script::{Player, Script, Seen};
//!
//! let script = Script::parse("greet.yaml", r#"
//! turns:
//!   - expect: { user: hello, tools: [read] }   # else the turn fails and says what was different
//!     think: The user wants to see a file.
//!     say: I will look.
//!     call: { read: { filePath: notes.md } }
//!   - expect: { result: { of: read, text: one } }
//!     say: There is one line.
//!     usage: { input: 120, output: 7 }
//!   - when: { system: title }                  # played whenever it fits, any number of times
//!     say: A greeting
//! after: stop                                  # or `error` (the default), or `repeat`
//! "#)?;
//! let player = Player::new(script);
//! let mut seen = Seen { system: "Make a title".into(), ..Seen::default() };
//! seen.user("hello");
//! let played = player.turn(&seen);
//! assert_eq!(played.text(), "A greeting");
//! # Ok::<(), praxis_llm::script::ScriptError>(())
//! ```
//!
//! # A turn
//!
//! A turn that is only a text is `say`. All keys may be left out:
//!
//! | key | meaning |
//! | --- | --- |
//! | `say` | what the model says: a text; a list, each a delta; or `{text, times}`, the text as so many deltas |
//! | `think` | what it thinks, likewise; `{text, signature}` signs it |
//! | `call` | `{tool: arguments, …}`, calls in that order |
//! | `calls` | a list of `{tool, args, id?, signature?}`; `raw` instead of `args` sends text that may be no JSON |
//! | `hold` | a name: the test server stops there until the test releases it |
//! | `parts` | a list of the above, where the order think, say, calls is not the one wanted |
//! | `chunks` | into how many deltas each text and each call is cut, or `words` |
//! | `interleave` | `true`: the pieces of parallel calls come mixed |
//! | `usage` | `{input, output, total, reasoning, cached, cache_write}`, inclusive totals |
//! | `finish` | `stop`, `length`, `tool-calls`, `content-filter`, `error`, `other`, `unknown`; known from the calls if not given |
//! | `delay_ms`, `gap_ms` | the wait before the answer, and between deltas |
//! | `drip_bytes` | over HTTP: the body comes in pieces of so many bytes |
//! | `fail` | what goes wrong, see below |
//! | `expect` | what the request must be, else the turn fails |
//! | `when` | the turn is not in the order: it answers requests that fit |
//! | `times` | how often a turn with `when` answers; without it, always |
//!
//! # Conditions
//!
//! `expect` and `when` take `user` (the last user text), `system`, `anywhere` (any text of the conversation, new results
//! included), `model` and `agent`: a text that must be in it, a list of them, or `{contains, lacks, equals, regex}`.
//! Further `tools` (a list that must be offered, or `none`), `without` (a list that must not be), `result` (what the
//! request brings back: a text, or `{of, id, text, error}`, or a list of them), `result_of` (a tool), `messages` (how
//! many; neighbours of one role count once).
//!
//! # Faults
//!
//! `fail` is a word or one of these:
//!
//! | form | meaning |
//! | --- | --- |
//! | `{status, message?, headers?, body?, retry_after_seconds?, retry_after_date?, retry_after_ms?}` | an HTTP error; the date is given in seconds from now |
//! | `{error, code?}` | an error in mid-stream, behind what the turn says |
//! | `{cut_after_bytes}` or `cut` | the connection goes in the middle of the answer |
//! | `{stall_after_bytes}` or `stall` | nothing more comes, and the connection stays |
//! | `{garbage_after_bytes}` or `garbage` | bytes that mean nothing |
//! | `{content_type}` | the answer under another content type |
//! | `html`, `close`, `tls` | a web page; nothing at all; a TLS alert on a plain port |
//!
//! Bytes are those of the HTTP body; where there is none, those of the deltas.

mod condition;
mod fault;
mod fields;
mod played;
mod player;
mod read;
mod seen;
mod speech;
mod tree;
mod turn;

pub use condition::{Conditions, Difference, ResultMatch, TextMatch};
pub use fault::{Fault, RetryAfter};
pub use played::{Act, Beat, Kind, Part, Played};
pub use player::{ENDED, MISMATCH, Player};
pub use seen::{Role, Seen, SeenMessage, SeenResult};
pub use speech::{Chunks, Speech};
pub use tree::{Place, ScriptError};
pub use turn::{Line, Turn};

/// A model's answers, written down.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// What it is called in messages.
    pub name: String,
    /// The answers, in the order of the file.
    pub turns: Vec<Turn>,
    /// What comes when all have been played.
    pub after: After,
}

/// What a script does when its turns have run out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum After {
    /// The request fails.
    #[default]
    Error,
    /// The turns are played again from the first.
    Repeat,
    /// Every answer is empty.
    Stop,
}

impl Script {
    /// A script of these turns.
    pub fn of(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { name: "script".to_owned(), turns: turns.into_iter().collect(), after: After::default() }
    }

    /// Reads YAML or JSON; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScriptError> {
        read::script(file, &tree::parse(file, text)?)
    }
}
