//! Serves a script over the four wire formats, for checks outside of Rust: `… --example model-server -- script.yaml`.

#![expect(clippy::print_stdout, reason = "it says where it listens")]

use std::error::Error;
use std::path::PathBuf;

use praxis_llm::script::Script;
use praxis_testkit::{Format, ModelServer};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).ok_or("give the file of a script")?;
    let text = std::fs::read_to_string(&file)?;
    let server = ModelServer::start(Script::parse(&file.display().to_string(), &text)?).await;
    println!("{}", server.url());
    for format in Format::ALL {
        println!("  {format:?}: {}{}", server.url(), format.path("scripted"));
    }
    std::future::pending::<()>().await;
    Ok(())
}
