//! What this kernel has for containment, and what it lacks for a policy.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Network, Policy};

/// The first Landlock ABI that can hold each thing.
const ABI_MOVE: u32 = 2;
const ABI_TRUNCATE: u32 = 3;
const ABI_DEVICES: u32 = 5;
const ABI_SIGNALS: u32 = 6;

/// The Landlock ABI from which sockets in the file system can be limited without refusing all Unix sockets.
pub(super) const ABI_SOCKETS: u32 = 9;

/// What the running kernel offers to this user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanisms {
    /// The Landlock ABI; 0 without Landlock.
    pub landlock: u32,
    /// Whether system calls can be filtered, on this processor.
    pub seccomp: bool,
    /// By what right a network namespace can probably be had.
    pub network_namespace: Option<NamespaceBy>,
    /// Whether resource limits can be set.
    pub limits: bool,
    /// Whether control groups can be made, which count the processes of a command.
    pub cgroup: bool,
    /// Whether commands run as the superuser.
    pub root: bool,
}

/// By what right a namespace is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamespaceBy {
    /// We have the privilege.
    Privilege,
    /// Inside a user namespace of its own.
    UserNamespace,
}

/// Something a policy does not get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// How much it matters.
    pub kind: GapKind,
    /// A clause for people, without a capital letter or a full stop.
    pub text: String,
}

/// How much a gap matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GapKind {
    /// Without it the policy is not worth its name: `required` refuses.
    Essential,
    /// A newer kernel would do better.
    Weaker,
    /// No kernel does it for us.
    Inherent,
}

impl Gap {
    /// Whether it can be had is only sure once it has been tried.
    pub(super) fn no_own_network() -> Self {
        essential("no network namespace can be had, so that `loopback` means `deny`")
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Mechanisms {
    /// Asks the kernel; well under a millisecond, starts nothing and changes nothing.
    pub fn probe() -> Self {
        #[cfg(target_os = "linux")]
        {
            super::linux::probe()
        }
        #[cfg(not(target_os = "linux"))]
        {
            Self { limits: true, root: rustix::process::geteuid().is_root(), ..Self::default() }
        }
    }

    /// The means in one line, such as `Landlock ABI 7, seccomp`.
    pub fn describe(&self) -> String {
        let mut means = Vec::new();
        if self.landlock > 0 {
            means.push(format!("Landlock ABI {}", self.landlock));
        }
        if self.seccomp {
            means.push("seccomp".to_owned());
        }
        match self.network_namespace {
            Some(NamespaceBy::Privilege) => means.push("network namespace".to_owned()),
            Some(NamespaceBy::UserNamespace) => means.push("network namespace by user namespace".to_owned()),
            None => {}
        }
        match (means.is_empty(), self.limits) {
            (true, true) => "resource limits only".to_owned(),
            (true, false) => "nothing".to_owned(),
            (false, _) => means.join(", "),
        }
    }

    /// Those of the means that the policy calls for.
    pub(super) fn used_by(&self, policy: &Policy) -> Self {
        let network_namespace = self.network_namespace.filter(|_| policy.network == Network::Loopback);
        Self { network_namespace, ..self.clone() }
    }

    /// What the policy would not get here, the worst first.
    pub fn gaps(&self, policy: &Policy) -> Vec<Gap> {
        let mut gaps = Vec::new();
        self.gaps_of_files(&mut gaps);
        self.gaps_of_calls(policy, &mut gaps);
        self.gaps_of_limits(policy, &mut gaps);
        gaps.sort_by_key(|gap| gap.kind as u8);
        gaps
    }

    fn gaps_of_files(&self, gaps: &mut Vec<Gap>) {
        let abi = self.landlock;
        if abi == 0 {
            gaps.push(essential("this kernel has no Landlock: reading and writing files is not limited"));
            return;
        }
        if abi < ABI_TRUNCATE {
            gaps.push(essential(format!(
                "Landlock ABI {abi}: files outside can be emptied, though not written"
            )));
        }
        if abi < ABI_MOVE {
            gaps.push(weaker(format!(
                "Landlock ABI {abi}: files cannot be moved from one folder to another"
            )));
        }
        if abi < ABI_DEVICES {
            gaps.push(weaker(format!(
                "Landlock ABI {abi}: control calls to readable devices are not limited"
            )));
        }
        if abi < ABI_SIGNALS {
            gaps.push(weaker(format!("Landlock ABI {abi}: signals reach the user's other processes")));
        }
        gaps.push(inherent(
            "the mode, owner and times of the user's files outside can be changed, and files can be seen to exist",
        ));
    }

    fn gaps_of_calls(&self, policy: &Policy, gaps: &mut Vec<Gap>) {
        if !self.seccomp {
            gaps.push(essential("system calls cannot be filtered here: dangerous ones are not refused"));
            let alone = policy.network == Network::Loopback && self.network_namespace.is_some();
            if policy.network != Network::Allow && !alone {
                gaps.push(essential(match self.landlock {
                    4.. => "only TCP is refused, other network protocols are not",
                    _ => "the network cannot be refused",
                }));
            }
            if !policy.unix_sockets && self.landlock < ABI_SOCKETS {
                gaps.push(essential(
                    "sockets of other programs (Docker, D-Bus, an SSH agent) can be reached",
                ));
            }
        } else if !policy.unix_sockets && self.landlock < ABI_SOCKETS {
            gaps.push(weaker(format!(
                "Landlock ABI {}: Unix sockets are refused altogether, even between the command's own processes (pairs \
                 of sockets work)",
                self.landlock
            )));
        }
        if policy.unix_sockets {
            gaps.push(inherent(
                "`unix_sockets` is on: what listens on a Unix socket (Docker, D-Bus) acts outside the sandbox",
            ));
        }
        if policy.network == Network::Loopback && self.network_namespace.is_none() {
            gaps.push(Gap::no_own_network());
        }
    }

    fn gaps_of_limits(&self, policy: &Policy, gaps: &mut Vec<Gap>) {
        let limits = &policy.limits;
        if *limits != super::Limits::default() && !self.limits {
            gaps.push(essential("resource limits cannot be set here"));
            return;
        }
        if limits.memory_bytes.is_some() || limits.cpu_seconds.is_some() {
            gaps.push(inherent(
                "the limits of memory and processor time hold for each process, not for all together",
            ));
        }
        if limits.processes.is_some() && !self.cgroup {
            gaps.push(match self.root {
                true => weaker("the limit of processes does not hold for the superuser"),
                false => inherent("the limit of processes counts all processes of the user"),
            });
        }
    }
}

fn gap(kind: GapKind, text: impl Into<String>) -> Gap {
    Gap { kind, text: text.into() }
}

fn essential(text: impl Into<String>) -> Gap {
    gap(GapKind::Essential, text)
}

fn weaker(text: impl Into<String>) -> Gap {
    gap(GapKind::Weaker, text)
}

fn inherent(text: impl Into<String>) -> Gap {
    gap(GapKind::Inherent, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(mechanisms: &Mechanisms, policy: &Policy) -> String {
        let gaps = mechanisms.gaps(policy);
        gaps.iter().map(|gap| format!("{:?}: {gap}\n", gap.kind)).collect()
    }

    #[test]
    fn a_new_kernel_leaves_only_what_no_kernel_does() {
        let new = Mechanisms {
            landlock: 9,
            seccomp: true,
            network_namespace: Some(NamespaceBy::Privilege),
            limits: true,
            ..Mechanisms::default()
        };
        assert_eq!(new.describe(), "Landlock ABI 9, seccomp, network namespace");
        let policy = Policy { network: Network::Loopback, ..Policy::default() };
        insta::assert_snapshot!(texts(&new, &policy), @"Inherent: the mode, owner and times of the user's files outside can be changed, and files can be seen to exist");
    }

    #[test]
    fn an_old_kernel_is_told_line_by_line() {
        let old = Mechanisms { landlock: 1, limits: true, root: true, ..Mechanisms::default() };
        let policy = Policy {
            network: Network::Loopback,
            limits: super::super::Limits { processes: Some(9), ..Default::default() },
            ..Policy::default()
        };
        insta::assert_snapshot!(texts(&old, &policy), @"
        Essential: Landlock ABI 1: files outside can be emptied, though not written
        Essential: system calls cannot be filtered here: dangerous ones are not refused
        Essential: the network cannot be refused
        Essential: sockets of other programs (Docker, D-Bus, an SSH agent) can be reached
        Essential: no network namespace can be had, so that `loopback` means `deny`
        Weaker: Landlock ABI 1: files cannot be moved from one folder to another
        Weaker: Landlock ABI 1: control calls to readable devices are not limited
        Weaker: Landlock ABI 1: signals reach the user's other processes
        Weaker: the limit of processes does not hold for the superuser
        Inherent: the mode, owner and times of the user's files outside can be changed, and files can be seen to exist
        ");
    }

    #[test]
    fn without_anything_everything_is_missing() {
        let none = Mechanisms::default();
        assert_eq!(none.describe(), "nothing");
        insta::assert_snapshot!(texts(&none, &Policy::default()), @"
        Essential: this kernel has no Landlock: reading and writing files is not limited
        Essential: system calls cannot be filtered here: dangerous ones are not refused
        Essential: the network cannot be refused
        Essential: sockets of other programs (Docker, D-Bus, an SSH agent) can be reached
        ");
    }
}
