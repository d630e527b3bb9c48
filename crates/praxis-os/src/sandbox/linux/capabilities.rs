//! What the superuser loses: with these it could walk around files, memory and network of others.

use std::io;

use rustix::io::Errno;
use rustix::thread::{self, CapabilitySet};

/// What root keeps: the rights about files and users that package managers and builds need.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SETFCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::AUDIT_WRITE)
    .union(CapabilitySet::IPC_LOCK)
    .union(CapabilitySet::SYS_NICE);

/// Capabilities there could ever be; the kernel refuses to know the ones it does not have.
const MOST: u32 = 64;

/// Takes all others out of reach of whatever this process executes. Ordinary users have none to lose.
pub(super) fn give_up() -> io::Result<()> {
    let mut held = thread::capabilities(None)?;
    // Those two sets pass through an execution without asking the bounding set.
    if !held.inheritable.difference(KEPT).is_empty() {
        held.inheritable = held.inheritable.intersection(KEPT);
        thread::set_capabilities(None, held)?;
    }
    thread::clear_ambient_capability_set()?;
    if !held.effective.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    for bit in 0..MOST {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        if KEPT.contains(one) {
            continue;
        }
        match thread::remove_capability_from_bounding_set(one) {
            Ok(()) => {}
            Err(Errno::INVAL) => break,
            Err(refused) => return Err(refused.into()),
        }
    }
    Ok(())
}
