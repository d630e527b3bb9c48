//! `praxis debug`: looking inside.

use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::process::ExitCode;

use praxis_llm::stream::Reader;
use praxis_llm::wire::{Anthropic, Chat, Gemini, Responses, Wire};
use praxis_llm::{Event, Metadata};

use crate::Outcome;
use crate::cli::{DebugCommand, WireName};
use crate::screen::{Failure, WORK_FAILED};

/// How much is read at a time.
const PIECE: usize = 64 << 10;

pub(crate) fn run(command: DebugCommand) -> Outcome {
    let DebugCommand::Stream { provider } = command;
    let mut reader = Reader::new(wire(provider).raise());
    let mut input = io::stdin().lock();
    let mut output = BufWriter::new(io::stdout().lock());
    let mut events = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut failed = false;
    while !reader.is_done() {
        match input.read(&mut piece) {
            Ok(0) => reader.end(&mut events),
            Ok(read) => reader.push(&piece[..read], &mut events),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::work(format!("could not read the standard input: {error}"))),
        }
        for event in events.drain(..) {
            failed |= matches!(event, Event::Error { .. });
            print(event, &mut output)?;
        }
        output.flush()?;
    }
    Ok(if failed { ExitCode::from(WORK_FAILED) } else { ExitCode::SUCCESS })
}

fn wire(provider: WireName) -> Box<dyn Wire> {
    match provider {
        WireName::Anthropic => Box::new(Anthropic),
        WireName::Openai => Box::new(Chat::default()),
        WireName::OpenaiResponses => Box::new(Responses::default()),
        WireName::Google => Box::new(Gemini::default()),
    }
}

/// One line with the fields that mean the same for every provider; what only one of them understands is left out.
fn print(mut event: Event, output: &mut BufWriter<StdoutLock<'_>>) -> io::Result<()> {
    match &mut event {
        Event::TextStart { metadata, .. }
        | Event::TextEnd { metadata, .. }
        | Event::ReasoningStart { metadata, .. }
        | Event::ReasoningEnd { metadata, .. }
        | Event::ToolCall { metadata, .. } => *metadata = Metadata::default(),
        Event::Error { code, .. } => *code = None,
        Event::TextDelta { .. }
        | Event::ReasoningDelta { .. }
        | Event::ToolInputStart { .. }
        | Event::ToolInputDelta { .. }
        | Event::ToolInputEnd { .. }
        | Event::FinishStep { .. } => {}
    }
    serde_json::to_writer(&mut *output, &event)?;
    output.write_all(b"\n")
}
