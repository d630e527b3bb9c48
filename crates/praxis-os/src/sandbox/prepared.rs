//! A policy made ready for a process that is about to become a command.

use std::io;

use super::{Gap, GapKind, Limits, Mechanisms, Policy, Report, SandboxError};

/// A policy made ready: only what a forked child has to do itself is left. It may be used for many commands, but
/// knows only the files there were when it was made: where something is unreadable, those that came later beside it
/// or beside the folders above it cannot be read either.
#[derive(Debug)]
pub struct Prepared {
    limits: Limits,
    #[cfg(target_os = "linux")]
    containment: super::linux::Containment,
    report: Report,
}

impl Policy {
    /// Resolves paths, opens them and compiles the filters; `required` refuses when an essential part is missing.
    pub fn prepare(&self, mechanisms: &Mechanisms) -> Result<Prepared, SandboxError> {
        if self.required {
            let missing = essential(&mechanisms.gaps(self));
            if !missing.is_empty() {
                return Err(SandboxError::Missing(missing));
            }
        }
        #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "only Linux has something to add"))]
        let mut report = Report {
            policy: self.clone(),
            mechanism: mechanisms.used_by(self).describe(),
            files: false,
            calls: false,
            gaps: mechanisms.gaps(self),
            notes: Vec::new(),
        };
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

fn essential(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().filter(|gap| gap.kind == GapKind::Essential).map(|gap| gap.text.clone()).collect()
}

impl Prepared {
    /// What holds and what does not.
    pub fn report(&self) -> &Report {
        &self.report
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
