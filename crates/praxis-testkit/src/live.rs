//! A program that is still running, and what it has said so far.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::Run;

/// How long to wait for the program before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// One line the program said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// On standard output.
    Out(String),
    /// On standard error.
    Err(String),
}

/// What is left of a program that was killed.
#[derive(Debug)]
pub struct Killed {
    /// The moment before the signal.
    pub at: Instant,
    /// Everything it said; the last line may be half of one.
    pub heard: Vec<Said>,
}

/// A running program; killed when this is dropped, so that a test that fails leaves nothing behind.
pub struct Live {
    child: Child,
    lines: Receiver<Said>,
    heard: Vec<Said>,
}

impl Live {
    /// Starts a command without input, and listens to it.
    pub fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        listen(child.stdout.take().unwrap(), sender.clone(), Said::Out);
        listen(child.stderr.take().unwrap(), sender, Said::Err);
        Self { child, lines, heard: Vec::new() }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the program says such a line.
    pub fn until(&mut self, what: &str, mut is_so: impl FnMut(&Said) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("waited {PATIENCE:?} in vain for {what}: {:#?}", self.heard)
                }
                Err(RecvTimeoutError::Disconnected) => panic!("it ended before {what}: {:#?}", self.heard),
            };
            let found = is_so(&line);
            self.heard.push(line);
            if found {
                return;
            }
        }
    }

    /// Lets it run for a time, or until its end; whether it still runs.
    pub fn runs_for(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.heard.push(line),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Kills it as the system does when memory is short; gives what was there before.
    pub fn kill(mut self) -> Killed {
        let at = Instant::now();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // What it has written is in the pipe, whatever has become of it.
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.heard.push(line);
        }
        Killed { at, heard: std::mem::take(&mut self.heard) }
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Run {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.heard.push(line),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it did not end within {PATIENCE:?}: {:#?}", self.heard)
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let (mut stdout, mut stderr) = (String::new(), String::new());
        for line in &self.heard {
            let (to, text) = match line {
                Said::Out(text) => (&mut stdout, text),
                Said::Err(text) => (&mut stderr, text),
            };
            to.push_str(text);
            to.push('\n');
        }
        Run { code, stdout, stderr }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // Where it has ended there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(pipe: impl Read + Send + 'static, sender: mpsc::Sender<Said>, said: fn(String) -> Said) {
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(said(line)).is_err() {
                return;
            }
        }
    });
}
