//! A command that runs, from our side.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Interest, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf, pipe};

use super::StartError;
use super::launcher::Opened;
use super::order::{Ended, Process, Told, Word};

/// What a keeper tells of a command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The command itself has ended.
    Ended {
        /// How.
        how: Ended,
        /// Does something that it started run on?
        left: bool,
    },
    /// Nothing of it runs any more.
    Gone,
    /// What runs, as [`Running::list`] asked.
    Processes(Vec<Process>),
}

/// A command that runs. Dropping it ends the command and everything it started, unless it was to outlive us.
#[derive(Debug)]
pub struct Running {
    pid: i32,
    notices: Lines<BufReader<OwnedReadHalf>>,
    words: OwnedWriteHalf,
    output: Option<Output>,
    input: Option<pipe::Sender>,
}

impl Running {
    pub(super) async fn open(opened: Opened, program: &str, cwd: PathBuf) -> Result<Self, StartError> {
        let Opened { line, output, input } = opened;
        line.set_nonblocking(true)?;
        let (read, words) = tokio::net::UnixStream::from_std(line)?.into_split();
        let mut notices = BufReader::new(read).lines();
        match told(&mut notices).await? {
            Some(Told::Started(pid)) => {
                let output = output.map(Output::open).transpose()?;
                let input = input.map(pipe::Sender::from_owned_fd).transpose()?;
                Ok(Self { pid, notices, words, output, input })
            }
            Some(Told::Failed { text, .. }) => {
                Err(StartError::Refused { program: program.to_owned(), cwd, text })
            }
            Some(Told::Ended { .. } | Told::Gone | Told::Processes(_)) | None => Err(StartError::Keeper),
        }
    }

    /// The command's process number, which is also its session's.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// The command's output, errors included in the order in which they were written. Given once.
    pub fn take_output(&mut self) -> Option<Output> {
        self.output.take()
    }

    /// The command's input, if it has one. Given once.
    pub fn take_input(&mut self) -> Option<pipe::Sender> {
        self.input.take()
    }

    /// What the keeper tells next; [`Notice::Gone`] when it has gone itself. Can be dropped and called again.
    pub async fn notice(&mut self) -> Notice {
        loop {
            match told(&mut self.notices).await {
                Ok(Some(Told::Ended { how, left })) => return Notice::Ended { how, left },
                Ok(Some(Told::Processes(processes))) => return Notice::Processes(processes),
                Ok(Some(Told::Started(_) | Told::Failed { .. })) => {}
                Ok(Some(Told::Gone) | None) | Err(_) => return Notice::Gone,
            }
        }
    }

    /// Asks the command and everything it started to end.
    pub async fn terminate(&mut self) {
        self.say(Word::Terminate).await;
    }

    /// Ends the command and everything it started.
    pub async fn kill(&mut self) {
        self.say(Word::Kill).await;
    }

    /// Asks for a [`Notice::Processes`].
    pub async fn list(&mut self) {
        self.say(Word::List).await;
    }

    async fn say(&mut self, word: Word) {
        // A keeper that has gone has nothing left to do.
        let _ = self.words.write_all(&[word.byte()]).await;
    }
}

/// What a command writes.
#[derive(Debug)]
pub struct Output(AsyncFd<OwnedFd>);

impl Output {
    #[expect(unsafe_code, reason = "tokio wants a promise about the descriptor")]
    fn open(pipe: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        // SAFETY: an `OwnedFd` stays the same descriptor and stays open until it is dropped, with its registration.
        let registered = unsafe { AsyncFd::register_with_interest(pipe, Interest::READABLE) };
        Ok(Self(registered?))
    }

    /// Waits until there is something to read, or the end.
    pub async fn readable(&self) {
        // An error shows again at the read that follows.
        let _ = self.0.readable().await;
    }

    /// Reads what is there; an error of the kind `WouldBlock` if that is nothing, zero at the end.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_io(Interest::READABLE, |pipe| Ok(rustix::io::read(pipe, &mut *buffer)?))
    }

    /// The same for the last words of a command that has ended: asks the system itself, since the news that there is
    /// something to read may come after the news of the end.
    pub fn read_last(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, buffer)?)
    }
}

async fn told(notices: &mut Lines<BufReader<OwnedReadHalf>>) -> io::Result<Option<Told>> {
    let Some(line) = notices.next_line().await? else { return Ok(None) };
    Ok(serde_json::from_str(&line).map(Some)?)
}
