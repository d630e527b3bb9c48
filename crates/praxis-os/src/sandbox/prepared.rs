//! A view made ready for a process that is about to become a command.

use std::io;

use super::{Gap, GapKind, Held, Limits, Mechanisms, Report, SandboxError, View};

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
            view: self.clone(),
            mechanism: mechanisms.describe(),
            held: Held::default(),
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
