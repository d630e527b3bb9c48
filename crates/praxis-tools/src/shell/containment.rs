//! What contains commands, and whether it holds.

use std::sync::OnceLock;

use praxis_os::process::Ended;
use praxis_os::sandbox::{Exit, Mechanisms, Policy, Report, SandboxError, explain};

/// The sandbox around commands.
#[derive(Debug, Default)]
pub struct Containment {
    policy: Option<Policy>,
    auto_allow: bool,
    /// Worked out with the first command: it asks the kernel.
    report: OnceLock<Result<Report, String>>,
}

impl Containment {
    /// No sandbox.
    pub fn off() -> Self {
        Self::default()
    }

    /// Commands are held to a policy; with `auto_allow` rules need not ask about them.
    pub fn by(policy: Policy, auto_allow: bool) -> Self {
        Self { policy: Some(policy), auto_allow, report: OnceLock::new() }
    }

    /// What is asked of the kernel.
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref()
    }

    /// What the kernel gives; nothing if there is no sandbox, an error if it must be there and cannot.
    pub fn report(&self) -> Option<Result<&Report, &str>> {
        let policy = self.policy.as_ref()?;
        let work_out = || {
            let prepared = policy.prepare(&Mechanisms::probe());
            prepared
                .map(|prepared| prepared.report().clone())
                .map_err(|error: SandboxError| error.to_string())
        };
        Some(self.report.get_or_init(work_out).as_ref().map_err(String::as_str))
    }

    /// Whether a rule's question about a command is answered by the sandbox: it must really hold.
    pub(crate) fn answers(&self) -> bool {
        self.auto_allow && matches!(self.report(), Some(Ok(report)) if report.files && report.calls)
    }

    /// What a denial looks like, in words for the model.
    pub(crate) fn explain(&self, output: &str, ended: Ended) -> Option<String> {
        let exit = match ended {
            Ended::Code(code) => Exit::Code(code),
            Ended::Signal(signal) => Exit::Signal(signal),
        };
        explain(output, exit, self.report()?.ok()?)
    }
}
