//! What the command line asks for: words, what was piped in, files, a schema.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use praxis_engine::prompt::mention::{self, Lookup};
use praxis_engine::prompt::{MOST_TEXT, PromptBody, PromptInput, PromptPart};
use praxis_engine::{CommandPrompt, Workbench};
use praxis_proto::{AnswerFormat, FilePart, FileSource, MessageModel, Session, SessionId};
use praxis_tools::schema::Shape;
use serde_json::Value;

use crate::cli::RunArguments;
use crate::screen::{Failure, complain};

/// Standard input that has not ended by then is waited for in so many words.
const SOON: Duration = Duration::from_secs(2);
/// What a schema may have at most.
const MOST_SCHEMA: u64 = 1 << 20;

/// What is asked for, read and checked.
pub(super) struct Request {
    /// The words and what was piped in; empty where what was cut off is to be finished.
    pub(super) text: String,
    /// How many bytes of the text were typed; what was piped in names nothing.
    typed: usize,
    files: Vec<PathBuf>,
    schema: Option<Value>,
}

/// What the engine is to do.
pub(super) enum Task {
    Prompt(Box<PromptInput>),
    Command(Box<CommandPrompt>),
    Resume(SessionId),
}

impl Request {
    /// Reads it; what is missing or wrong is told before anything begins.
    pub(super) fn read(arguments: &RunArguments) -> Result<Self, Failure> {
        let goes_on = arguments.again || arguments.session.is_some();
        if arguments.fork && !goes_on {
            return Err(Failure::usage(
                "--fork copies a session: name it with --session ID, or use --continue",
            ));
        }
        let files = arguments.files.iter().map(|file| attached(file)).collect::<Result<Vec<_>, _>>()?;
        let schema = arguments.schema.as_deref().map(schema).transpose()?;
        let words = words(&arguments.message, arguments.command.is_some());
        let typed = if words.trim().is_empty() { 0 } else { words.len() };
        let text = joined(words, piped()?);
        let is_empty = text.is_empty() && files.is_empty() && arguments.command.is_none();
        if is_empty && (!goes_on || arguments.fork || schema.is_some()) {
            let taken = arguments.title.as_deref().filter(|title| !title.is_empty());
            let hint = taken.map_or_else(String::new, |title| {
                format!("; `{title}` was taken for the title, so write the message before --title")
            });
            return Err(Failure::usage(format!(
                "say what to do, for example `praxis run \"explain src/main.rs\"`, or pipe it in{hint}"
            )));
        }
        Ok(Self { text, typed, files, schema })
    }

    /// Points out a slash command that would be sent as mere text.
    pub(super) fn hint(&self, arguments: &RunArguments, workbench: &Workbench) {
        let typed = self.text.strip_prefix('/').and_then(|text| text.split_whitespace().next());
        if let (Some(name), None) = (typed, &arguments.command)
            && workbench.commands.get(name).is_ok()
        {
            complain("hint", format!("`/{name}` is sent as text; `praxis run --command {name}` runs it"));
        }
    }

    /// How the request begins, for a title.
    pub(super) fn beginning(&self, arguments: &RunArguments) -> String {
        match &arguments.command {
            Some(name) => format!("/{} {}", name.trim_start_matches('/'), self.text),
            None if self.text.is_empty() => {
                let names = self.files.iter().filter_map(|file| file.file_name()?.to_str());
                names.collect::<Vec<_>>().join(", ")
            }
            None => self.text.clone(),
        }
    }

    /// What the engine is to do in a session.
    pub(super) fn task(
        &self,
        arguments: &RunArguments,
        workbench: &Workbench,
        session: &Session,
        model: Option<MessageModel>,
    ) -> Task {
        let files = self.files.iter().map(|file| PromptPart::file(file));
        let agent = arguments.agent.clone();
        if let Some(name) = &arguments.command {
            return Task::Command(Box::new(CommandPrompt {
                session: session.id.clone(),
                name: name.trim_start_matches('/').to_owned(),
                arguments: self.text.clone(),
                agent,
                model,
                parts: files.collect(),
            }));
        }
        if self.text.is_empty() && self.files.is_empty() {
            return Task::Resume(session.id.clone());
        }
        let text = (!self.text.is_empty()).then(|| PromptPart::text(&*self.text));
        let schema = self.schema.clone();
        Task::Prompt(Box::new(PromptInput {
            model,
            agent,
            variant: arguments.variant.clone(),
            format: schema.map(|schema| AnswerFormat::JsonSchema { schema, retry_count: None }),
            ..PromptInput::new(
                session.id.clone(),
                files.chain(text).chain(self.mentioned(workbench)).collect(),
            )
        }))
    }

    /// What the words name with an `@`, unless it is attached already.
    fn mentioned(&self, workbench: &Workbench) -> Vec<PromptPart> {
        let typed = self.text.get(..self.typed).unwrap_or_default();
        let mut parts = mention::parts(typed, &Lookup::of(workbench));
        parts.retain(|part| match &part.body {
            PromptBody::File(FilePart { source: Some(FileSource::File { path, .. }), .. }) => {
                !self.files.iter().any(|file| file == Path::new(path))
            }
            _ => true,
        });
        parts
    }
}

/// The words as one text. Where they are arguments, or several, one with a space is quoted and so stays one.
fn words(given: &[String], are_arguments: bool) -> String {
    if let ([only], false) = (given, are_arguments) {
        return only.clone();
    }
    let quoted = |word: &String| match word.contains(char::is_whitespace) {
        true => format!("\"{}\"", word.replace('"', "\\\"")),
        false => word.clone(),
    };
    given.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn joined(words: String, piped: String) -> String {
    match (words.trim().is_empty(), piped.trim().is_empty()) {
        (true, true) => String::new(),
        (true, false) => piped,
        (false, true) => words,
        (false, false) => format!("{words}\n{piped}"),
    }
}

fn piped() -> Result<String, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(String::new());
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdin.lock().take(MOST_TEXT as u64 + 1).read_to_end(&mut bytes);
        // Nobody waits any more where the program has ended.
        let _ = sender.send(read.map(|_| bytes));
    });
    let read = receiver.recv_timeout(SOON).or_else(|_| {
        complain("note", "reading standard input to its end; write `< /dev/null` if nothing is to come");
        receiver.recv()
    });
    let bytes = read
        .unwrap_or_else(|_| Err(io::Error::other("the reader broke off")))
        .map_err(|e| Failure::usage(format!("could not read standard input: {e}")))?;
    if bytes.len() > MOST_TEXT {
        return Err(Failure::usage(format!(
            "more than {} MiB were piped in; put them into a file and attach it with --file",
            MOST_TEXT >> 20
        )));
    }
    // Bytes that are no text would be refused by every provider.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file is meant from where the command is typed, whatever `--cwd` says.
fn attached(file: &Path) -> Result<PathBuf, Failure> {
    let missing = |e: io::Error| Failure::usage(format!("could not attach {}: {e}", file.display()));
    let kind = file.metadata().map_err(missing)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Err(Failure::usage(format!(
            "could not attach {}: it is neither a file nor a folder; pipe it in instead",
            file.display()
        )));
    }
    std::path::absolute(file).map_err(missing)
}

fn schema(file: &Path) -> Result<Value, Failure> {
    let unread = |e: &dyn std::fmt::Display| {
        Failure::usage(format!("could not read the schema {}: {e}", file.display()))
    };
    let mut text = String::new();
    let opened = std::fs::File::open(file).map_err(|e| unread(&e))?;
    opened.take(MOST_SCHEMA).read_to_string(&mut text).map_err(|e| unread(&e))?;
    let schema: Value = serde_json::from_str(&text).map_err(|e| unread(&e))?;
    if !schema.is_object() {
        return Err(unread(&"a JSON Schema is an object"));
    }
    match Shape::flaw(&schema) {
        Some(flaw) => Err(Failure::usage(format!("the schema {} cannot be held to: {flaw}", file.display()))),
        None => Ok(schema),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_what_they_were() {
        let given = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        for (list, are_arguments, expected) in [
            (&["fix the bug"][..], false, "fix the bug"),
            (&["fix", "the", "bug"], false, "fix the bug"),
            (&["say", "a \"b\" c"], false, "say \"a \\\"b\\\" c\""),
            (&["one argument"], true, "\"one argument\""),
            (&[], false, ""),
        ] {
            assert_eq!(words(&given(list), are_arguments), expected);
        }
    }

    #[test]
    fn what_is_piped_in_comes_behind_the_words() {
        let text = |words: &str, piped: &str| joined(words.to_owned(), piped.to_owned());
        assert_eq!(text("why?", "log\n"), "why?\nlog\n");
        assert_eq!(text("why?", " \n"), "why?");
        assert_eq!(text("", "do it"), "do it");
        assert_eq!(text(" ", "\n"), "");
    }
}
