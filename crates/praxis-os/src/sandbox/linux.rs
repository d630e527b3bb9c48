//! Linux: namespaces for the tree of files and the processes, Landlock beside them or in their place, seccomp for system
//! calls, fewer capabilities for root.

mod beside;
mod build;
mod calls;
mod capabilities;
mod files;
mod network;
mod plan;
mod probe;
mod space;

use std::io;
use std::os::fd::OwnedFd;

use landlock::{ABI, RulesetCreated};
use seccompiler::BpfProgram;

use super::mechanisms::{ABI_SCOPES, ABI_SOCKETS};
use super::{Mechanisms, Network, Report, SandboxError, View};
use beside::Beside;
use calls::HeldElsewhere;
use plan::Plan;
pub(super) use probe::probe;
use space::Space;
pub(crate) use space::{INIT_NAME, end};

/// Everything a child needs, made beforehand.
#[derive(Debug)]
pub(super) struct Containment {
    files: Files,
    calls: Vec<BpfProgram>,
}

/// What holds the files.
#[derive(Debug)]
enum Files {
    /// A tree of the command's own, and Landlock beside it.
    Tree(Box<Space>, Option<Beside>),
    /// Landlock alone.
    Rules(RulesetCreated),
    /// Nothing.
    Open,
}

impl Containment {
    pub(super) fn prepare(
        view: &View,
        mechanisms: &Mechanisms,
        report: &mut Report,
    ) -> Result<Self, SandboxError> {
        let files = match (mechanisms.namespaces, mechanisms.landlock) {
            (Some(by), abi) => {
                let plan = Plan::of(view, mechanisms.root, &mut report.notes)?;
                let own_network = view.network == Network::Loopback;
                let space = Space { plan, by, own_network, keeper: None };
                Files::Tree(Box::new(space), Beside::of(abi, view.unix_sockets))
            }
            (None, 0) => Files::Open,
            (None, abi) => Files::Rules(files::prepare(ABI::from(abi.cast_signed()), report)?),
        };
        let tree = matches!(files, Files::Tree(..));
        let calls = match mechanisms.seccomp {
            true => {
                // With sockets of the file system out of sight, only abstract names are left to hold.
                let sockets = match (tree, view.network) {
                    // Somebody may listen in the very folder that is shown.
                    (_, Network::Deny) => false,
                    (true, Network::Loopback) => true,
                    (true, Network::Allow) => mechanisms.landlock >= ABI_SCOPES,
                    (false, Network::Allow | Network::Loopback) => mechanisms.landlock >= ABI_SOCKETS,
                };
                calls::prepare(&report.view, HeldElsewhere { sockets, files: tree })?
            }
            false => Vec::new(),
        };
        Ok(Self { files, calls })
    }

    /// Divides this process, if the command has namespaces; see [`Space::divide`].
    pub(super) fn divide(&mut self) -> io::Result<Option<OwnedFd>> {
        match &mut self.files {
            Files::Tree(space, _) => space.divide().map(Some),
            Files::Rules(_) | Files::Open => Ok(None),
        }
    }

    /// The order matters: each step takes away what an earlier one needs.
    pub(super) fn enforce(&self) -> io::Result<()> {
        if let Files::Tree(space, _) = &self.files {
            space.enter()?;
        }
        if !matches!(self.files, Files::Open) || !self.calls.is_empty() {
            capabilities::give_up()?;
            rustix::thread::set_no_new_privs(true)?;
        }
        match &self.files {
            Files::Tree(space, Some(beside)) => beside.enforce(&space.plan)?,
            // The clone is another descriptor of the same rules; only a whole value can restrict.
            Files::Rules(rules) => {
                rules.try_clone()?.restrict_self().map_err(|_| io::Error::last_os_error())?;
            }
            Files::Tree(_, None) | Files::Open => {}
        }
        for program in &self.calls {
            seccompiler::apply_filter(program).map_err(|_| io::Error::last_os_error())?;
        }
        Ok(())
    }
}
