//! Scripts, as their authors write them and as models play them.

mod format;
mod matching;
mod mistakes;
mod playing;

use praxis_llm::script::{Player, Script};

fn script(text: &str) -> Script {
    Script::parse("s.yaml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn player(text: &str) -> Player {
    Player::new(script(text))
}
