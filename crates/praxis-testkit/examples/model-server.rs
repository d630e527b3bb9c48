//! Serves a script over the four wire formats, for checks outside of Rust: `… --example model-server -- script.yaml`.
//!
//! With `--blind` behind it, it does not look into the requests, so that a benchmark measures whoever asks.

#![expect(clippy::print_stdout, reason = "it says where it listens")]

use std::error::Error;
use std::path::PathBuf;

use praxis_llm::script::Script;
use praxis_testkit::{Format, ModelServer};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).ok_or("give the file of a script")?;
    let text = std::fs::read_to_string(&file)?;
    let script = Script::parse(&file.display().to_string(), &text)?;
    let server = match std::env::args().nth(2).as_deref() {
        Some("--blind") => ModelServer::start_blind(script).await,
        _ => ModelServer::start(script).await,
    };
    println!("{}", server.url());
    for format in Format::ALL {
        println!("  {format:?}: {}{}", server.url(), format.path("scripted"));
    }
    std::future::pending::<()>().await;
    Ok(())
}
