//! Linux: Landlock for files, seccomp for system calls, a namespace for the network, fewer capabilities for root.

mod calls;
mod capabilities;
mod files;
mod network;
mod probe;

use std::io;

use landlock::{ABI, RulesetCreated};
use seccompiler::BpfProgram;

use super::mechanisms::ABI_SOCKETS;
use super::{Gap, Mechanisms, Network, Policy, Report, SandboxError};
use network::NetworkSpace;
pub(super) use probe::probe;

/// Everything a child needs, made beforehand.
#[derive(Debug)]
pub(super) struct Containment {
    network: Option<NetworkSpace>,
    files: Option<RulesetCreated>,
    calls: Vec<BpfProgram>,
}

impl Containment {
    pub(super) fn prepare(
        policy: &Policy,
        mechanisms: &Mechanisms,
        report: &mut Report,
    ) -> Result<Self, SandboxError> {
        let network = own_network(policy, mechanisms, report)?;
        let files = match mechanisms.landlock {
            0 => None,
            abi => Some(files::prepare(ABI::from(abi.cast_signed()), report)?),
        };
        let calls = match mechanisms.seccomp {
            true => calls::prepare(&report.policy, mechanisms.landlock >= ABI_SOCKETS)?,
            false => Vec::new(),
        };
        report.files = files.is_some();
        report.calls = !calls.is_empty();
        Ok(Self { network, files, calls })
    }

    /// The order matters: each step takes away what an earlier one needs.
    pub(super) fn enforce(&self) -> io::Result<()> {
        if let Some(network) = &self.network {
            network.enter()?;
        }
        if self.files.is_some() || !self.calls.is_empty() {
            capabilities::give_up()?;
            rustix::thread::set_no_new_privs(true)?;
        }
        if let Some(files) = &self.files {
            // The clone is another descriptor of the same rules; only a whole value can restrict.
            files.try_clone()?.restrict_self().map_err(|_| io::Error::last_os_error())?;
        }
        for program in &self.calls {
            seccompiler::apply_filter(program).map_err(|_| io::Error::last_os_error())?;
        }
        Ok(())
    }
}

/// A network namespace where the policy wants one; where it cannot be had, the network is denied and that is said.
fn own_network(
    policy: &Policy,
    mechanisms: &Mechanisms,
    report: &mut Report,
) -> Result<Option<NetworkSpace>, SandboxError> {
    if policy.network != Network::Loopback {
        return Ok(None);
    }
    let space = mechanisms.network_namespace.and_then(|_| NetworkSpace::try_out());
    if space.is_some() {
        return Ok(space);
    }
    let missing = Gap::no_own_network();
    if policy.required {
        return Err(SandboxError::Missing(vec![missing.text]));
    }
    report.policy.network = Network::Deny;
    report.mechanism = Mechanisms { network_namespace: None, ..mechanisms.clone() }.describe();
    if !report.gaps.contains(&missing) {
        report.gaps.insert(0, missing);
    }
    Ok(None)
}
