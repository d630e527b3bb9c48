//! Escapes that must not work, and work that must.
//!
//! Every escape is first seen to work without the sandbox, so that a test that proves nothing fails.

mod files;
mod limits;
mod network;
mod processes;
mod work;

use praxis_os::sandbox::{Mechanisms, Network, Policy, Report, SandboxError};

use crate::lab::Lab;

#[test]
fn policies_and_reports_travel_as_json() {
    let lab = Lab::new();
    let policy = Policy { network: Network::Loopback, ..lab.policy() };
    let json = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::default());
    assert!(serde_json::from_str::<Policy>(r#"{"writeable": []}"#).is_err());

    let report = lab.report(&policy);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
}

#[test]
fn a_required_sandbox_refuses_a_kernel_without_the_means() {
    let lab = Lab::new();
    let none = Mechanisms { limits: true, ..Mechanisms::default() };
    let refused = Policy { required: true, ..lab.policy() }.prepare(&none).unwrap_err();
    assert!(matches!(refused, SandboxError::Missing(_)));
    insta::assert_snapshot!(refused, @r#"the sandbox is required, but this kernel has no Landlock: reading and writing files is not limited; system calls cannot be filtered here: dangerous ones are not refused; the network cannot be refused; sockets of other programs (Docker, D-Bus, an SSH agent) can be reached; set `sandbox` to "auto" to run with what there is"#);

    let report = lab.policy().prepare(&none).unwrap().report().clone();
    assert_eq!(report.summary(), "sandbox: resource limits only; files are not limited; network not limited");
}

#[test]
fn what_holds_is_said_in_a_line() {
    let lab = Lab::new();
    let Mechanisms { landlock, .. } = Mechanisms::probe();
    let report = lab.report(&lab.policy());
    let inside = lab.inside.display();
    assert_eq!(
        report.summary(),
        format!("sandbox: Landlock ABI {landlock}, seccomp; writing below `{inside}`; no network")
    );
}

#[test]
fn paths_that_are_missing_are_left_out_and_said() {
    let lab = Lab::new();
    let missing = lab.inside.join("missing");
    let mut policy = lab.policy();
    policy.writable.push(missing.clone());
    let report = lab.report(&policy);
    assert_eq!(report.policy.writable, std::slice::from_ref(&lab.inside));
    let note = format!("`{}` of `writable` does not exist and is left out", missing.display());
    assert_eq!(report.notes, [note]);
}
