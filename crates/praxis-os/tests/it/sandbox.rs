//! Escapes that must not work, and work that must: as the superuser and as an ordinary user, with namespaces and with
//! Landlock alone.
//!
//! Where it can be, an escape is first seen to work without the sandbox, so that a test that proves nothing fails.

mod files;
mod limits;
mod network;
mod processes;
mod tree;
mod work;

use praxis_os::sandbox::{Mechanisms, Network, Report, SandboxError, View};

use crate::lab::Lab;

#[test]
fn views_and_reports_travel_as_json() {
    for lab in &Lab::all() {
        let view = View { network: Network::Loopback, ..lab.view() };
        let json = serde_json::to_string(&view).unwrap();
        assert_eq!(serde_json::from_str::<View>(&json).unwrap(), view);
        assert_eq!(serde_json::from_str::<View>("{}").unwrap(), View::default());
        assert!(serde_json::from_str::<View>(r#"{"writeable": []}"#).is_err());

        let report = lab.report(&view);
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }
}

#[test]
fn a_required_sandbox_refuses_a_kernel_without_the_means() {
    for lab in &Lab::all() {
        let none = Mechanisms { limits: true, ..Mechanisms::default() };
        let refused = View { required: true, ..lab.view() }.prepare(&none).unwrap_err();
        assert!(matches!(refused, SandboxError::Missing(_)));
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused, @r#"the sandbox is required, but neither namespaces nor Landlock can be had: reading and writing files is not limited; system calls cannot be filtered here: dangerous ones are not refused; the network cannot be refused; sockets of other programs (Docker, D-Bus, an SSH agent) can be reached; set `sandbox` to "auto" to run with what there is"#);
        }
        let report = lab.view().prepare(&none).unwrap().report().clone();
        assert_eq!(
            report.summary(),
            "sandbox: resource limits only; files are not limited; network not limited"
        );
        assert!(!report.held.files());
    }
}

#[test]
fn what_holds_is_said_in_a_line() {
    for lab in &Lab::all() {
        let report = lab.report(&lab.view());
        let (means, inside) = (lab.mechanisms().describe(), lab.inside.display());
        assert_eq!(report.summary(), format!("sandbox: {means}; writing below `{inside}`; no network"));
        assert_eq!(report.held.files(), lab.has_tree());
        assert_eq!(report.gaps.is_empty(), lab.has_tree(), "{:?}", report.gaps);
    }
}
