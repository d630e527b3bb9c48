//! Messages between processes: a length, a body, and the descriptors that go with it.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// Descriptors that travel with one message at most.
const MOST_DESCRIPTORS: usize = 4;
/// The longest body: a command line and an environment as large as the system takes.
const LONGEST: usize = 16 << 20;

/// A pair of ends that no program we start inherits.
pub(super) fn pair() -> io::Result<(UnixStream, UnixStream)> {
    UnixStream::pair()
}

/// Sends a body with descriptors.
pub(super) fn send(mut to: &UnixStream, body: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let length = u32::try_from(body.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let length = length.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let sent = sendmsg(to.as_fd(), &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?;
    to.write_all(&length[sent..])?;
    to.write_all(body)
}

/// Receives a body with its descriptors; nothing if the other end is closed.
pub(super) fn receive(mut from: &UnixStream) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = loop {
        let mut slices = [IoSliceMut::new(&mut length)];
        match recvmsg(from.as_fd(), &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(got) => break got.bytes,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    if got == 0 {
        return Ok(None);
    }
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    from.read_exact(&mut length[got..])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some((body, descriptors)))
}
