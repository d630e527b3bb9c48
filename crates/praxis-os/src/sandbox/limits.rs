//! Resource limits of one command.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// Seconds between the signal that tells a command its time is up and the one that cannot be caught.
const CPU_GRACE: u64 = 1;

/// How much a command may use; what is absent is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Seconds of processor time, for each process.
    pub cpu_seconds: Option<u64>,
    /// Bytes of memory a process may allocate, for each process.
    pub memory_bytes: Option<u64>,
    /// Bytes of the largest file it may write.
    pub file_bytes: Option<u64>,
    /// How many processes and threads the user may have while it starts more.
    pub processes: Option<u64>,
}

impl Limits {
    /// Lowers the limits of this process for good and turns core dumps off; allocates nothing and takes no lock.
    pub fn enforce(&self) -> io::Result<()> {
        lower(Resource::Core, 0, 0)?;
        if let Some(seconds) = self.cpu_seconds {
            lower(Resource::Cpu, seconds, seconds.saturating_add(CPU_GRACE))?;
        }
        if let Some(bytes) = self.memory_bytes {
            // Not the address space: node, Go, Java and sanitizers reserve tens of gigabytes that they never touch,
            // and would not start. The data segment counts private writable memory, which is what a leak grows.
            lower(Resource::Data, bytes, bytes)?;
        }
        if let Some(bytes) = self.file_bytes {
            lower(Resource::Fsize, bytes, bytes)?;
        }
        if let Some(count) = self.processes {
            lower(Resource::Nproc, count, count)?;
        }
        Ok(())
    }
}

/// Sets a limit, never above the one that holds already: raising it would need privileges.
fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let held = getrlimit(resource);
    let maximum = held.maximum.map_or(hard, |most| most.min(hard));
    let current = held.current.map_or(soft, |most| most.min(soft)).min(maximum);
    Ok(setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}
