//! Answers written as the wire formats stream them, with the habits of the real servers.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use praxis_llm::script::{Beat, Fault, Part, Played};
use serde_json::Value;

use super::Received;
use super::format::Format;

/// What is written for one beat of an answer.
pub(super) enum Frame {
    /// Events, as bytes of the body.
    Text(String),
    /// A delta went before: time to wait as long as the script says.
    Gap,
    /// A place to stop.
    Hold(String),
}

/// Writes one answer in one format.
trait Writer {
    /// What comes before anything is said.
    fn open(&mut self) -> String;
    fn start(&mut self, index: usize, part: &Part) -> String;
    fn piece(&mut self, index: usize, part: &Part, piece: &str) -> String;
    fn end(&mut self, index: usize, part: &Part) -> String;
    /// What comes when all is said.
    fn finish(&mut self) -> String;
    /// An error in mid-stream.
    fn error(&mut self, message: &str, code: Option<&str>) -> String;
}

/// An answer, whole and without faults but for an error in mid-stream.
pub(super) fn frames(format: Format, played: &Played, request: &Received) -> Vec<Frame> {
    let model = request.seen.model.as_deref().unwrap_or("scripted");
    let mut writer: Box<dyn Writer> = match format {
        Format::Anthropic => Box::new(anthropic::Anthropic::new(played, model)),
        Format::Chat => {
            let tells_usage = request.body["stream_options"]["include_usage"] == true;
            Box::new(chat::Chat::new(played, model, tells_usage))
        }
        Format::Responses => Box::new(responses::Responses::new(played, model)),
        Format::Gemini => Box::new(gemini::Gemini::new(played, model)),
    };
    let mut frames = vec![Frame::Text(writer.open())];
    for beat in played.beats() {
        match beat {
            Beat::Start(index) => frames.push(Frame::Text(writer.start(index, &played.parts[index]))),
            Beat::Piece(index, piece) => {
                frames.push(Frame::Text(writer.piece(index, &played.parts[index], piece)));
                frames.push(Frame::Gap);
            }
            Beat::End(index) => frames.push(Frame::Text(writer.end(index, &played.parts[index]))),
            Beat::Hold(name) => frames.push(Frame::Hold(name.to_owned())),
        }
    }
    frames.push(Frame::Text(match &played.fault {
        Some(Fault::Error { message, code }) => writer.error(message, code.as_deref()),
        _ => writer.finish(),
    }));
    frames
}

/// An event with a name.
fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// An event without one.
fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// The number of each part among those that `counts`.
fn numbers(parts: &[Part], counts: impl Fn(&Part) -> bool) -> Vec<usize> {
    let number = |next: &mut usize, part: &Part| {
        let number = *next;
        *next += usize::from(counts(part));
        Some(number)
    };
    parts.iter().scan(0, number).collect()
}
