//! A view made ready for a process that is about to become a command.

use std::io;

use super::{Held, Limits, Mechanisms, Network, Report, SandboxError, View};

/// A view made ready: only what a forked child has to do itself is left. It knows the places as they were when it was
/// made.
#[derive(Debug)]
pub struct Prepared {
    limits: Limits,
    #[cfg(target_os = "linux")]
    containment: super::linux::Containment,
    report: Report,
}

impl View {
    /// What would hold, without making anything ready.
    pub fn report(&self, mechanisms: &Mechanisms) -> Report {
        let tree = mechanisms.namespaces.is_some();
        let mut view = self.clone();
        if view.network == Network::Loopback && !tree {
            view.network = Network::Deny;
        }
        let held = Held {
            outside: tree || mechanisms.landlock > 0,
            inside: tree,
            processes: tree,
            calls: mechanisms.seccomp,
        };
        let gaps = mechanisms.gaps(self);
        Report { view, mechanism: mechanisms.describe(), held, gaps, notes: Vec::new() }
    }

    /// Resolves paths, opens them and compiles the filters; `required` refuses when an essential part is missing.
    pub fn prepare(&self, mechanisms: &Mechanisms) -> Result<Prepared, SandboxError> {
        #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "only Linux has something to add"))]
        let mut report = self.report(mechanisms);
        let missing = report.missing();
        if self.required && !missing.is_empty() {
            return Err(SandboxError::Missing(missing));
        }
        #[cfg(target_os = "linux")]
        let containment = super::linux::Containment::prepare(self, mechanisms, &mut report)?;
        Ok(Prepared {
            limits: self.limits,
            #[cfg(target_os = "linux")]
            containment,
            report,
        })
    }
}

impl Prepared {
    /// What holds and what does not.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Makes room for the command in the process that keeps it, which must have but one thread and start nothing else:
    /// its next child is to be restricted. Gives where the command's end is told, if it is; see [`super::end`].
    #[cfg(target_os = "linux")]
    pub(crate) fn divide(&mut self) -> io::Result<Option<std::os::fd::OwnedFd>> {
        self.containment.divide()
    }

    /// Restricts this process and all it will start, for good.
    ///
    /// For the forked child, before it becomes the command: takes no lock and allocates nothing. When it fails, part
    /// of the restrictions may hold already and the command must not be started.
    pub fn enforce(&self) -> io::Result<()> {
        self.limits.enforce()?;
        #[cfg(target_os = "linux")]
        self.containment.enforce()?;
        Ok(())
    }
}
