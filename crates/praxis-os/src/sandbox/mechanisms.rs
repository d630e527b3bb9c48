//! What this kernel has for containment, and what it lacks for a view.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Access, Network, View};

/// The first Landlock ABI that can hold each thing.
const ABI_MOVE: u32 = 2;
const ABI_TRUNCATE: u32 = 3;
const ABI_DEVICES: u32 = 5;
const ABI_SIGNALS: u32 = 6;

/// The Landlock ABI from which sockets by abstract names can be limited.
pub(super) const ABI_SCOPES: u32 = 6;

/// The Landlock ABI from which sockets in the file system can be limited without refusing all Unix sockets.
pub(super) const ABI_SOCKETS: u32 = 9;

/// What the running kernel offers to this user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanisms {
    /// The Landlock ABI; 0 without Landlock.
    pub landlock: u32,
    /// Whether system calls can be filtered, on this processor.
    pub seccomp: bool,
    /// By what right a command can have namespaces of its own: a tree of files, processes, a network.
    pub namespaces: Option<NamespaceBy>,
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

/// Something a view does not get.
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
    /// Without it the view is not worth its name: `required` refuses.
    Essential,
    /// A newer kernel would do better.
    Weaker,
    /// No kernel does it for us.
    Inherent,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Mechanisms {
    /// Asks the kernel and tries what only trying tells: a few milliseconds and a process of ours, once.
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

    /// The means in one line, such as `namespaces, Landlock ABI 7, seccomp`.
    pub fn describe(&self) -> String {
        let mut means = Vec::new();
        match self.namespaces {
            Some(NamespaceBy::Privilege) => means.push("namespaces".to_owned()),
            Some(NamespaceBy::UserNamespace) => means.push("user namespaces".to_owned()),
            None => {}
        }
        if self.landlock > 0 {
            means.push(format!("Landlock ABI {}", self.landlock));
        }
        if self.seccomp {
            means.push("seccomp".to_owned());
        }
        match (means.is_empty(), self.limits) {
            (true, true) => "resource limits only".to_owned(),
            (true, false) => "nothing".to_owned(),
            (false, _) => means.join(", "),
        }
    }

    /// What the view would not get here, the worst first.
    pub fn gaps(&self, view: &View) -> Vec<Gap> {
        let mut gaps = Vec::new();
        if self.namespaces.is_none() {
            self.gaps_of_files(view, &mut gaps);
        }
        self.gaps_of_calls(view, &mut gaps);
        self.gaps_of_limits(view, &mut gaps);
        gaps.sort_by_key(|gap| gap.kind as u8);
        gaps
    }

    /// Without namespaces.
    fn gaps_of_files(&self, view: &View, gaps: &mut Vec<Gap>) {
        let abi = self.landlock;
        if abi == 0 {
            gaps.push(essential(
                "neither namespaces nor Landlock can be had: reading and writing files is not limited",
            ));
            return;
        }
        if abi < ABI_TRUNCATE {
            gaps.push(essential(format!(
                "Landlock ABI {abi}: files outside can be emptied, though not written"
            )));
        }
        if view.writable().next().is_some() {
            gaps.push(weaker(
                "no namespaces can be had: what lies inside the project (git's configuration and hooks, ours, `.env`) is not protected by the kernel, so that doubt about files is asked about",
            ));
        }
        if view.with(Access::Masked).next().is_some() {
            gaps.push(weaker("without namespaces a masked file is refused instead of looking empty"));
        }
        gaps.push(weaker("without namespaces other processes of the user can be seen"));
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

    fn gaps_of_calls(&self, view: &View, gaps: &mut Vec<Gap>) {
        let tree = self.namespaces.is_some();
        let own_network = tree && view.network == Network::Loopback;
        if !self.seccomp {
            gaps.push(essential("system calls cannot be filtered here: dangerous ones are not refused"));
            if view.network != Network::Allow && !own_network {
                gaps.push(essential("the network cannot be refused"));
            }
        }
        let enough = if tree { ABI_SCOPES } else { ABI_SOCKETS };
        if view.unix_sockets {
            gaps.push(inherent(
                "`unix_sockets` is on: what listens on a Unix socket (Docker, D-Bus) acts outside the sandbox",
            ));
        } else if self.landlock < enough && !own_network {
            gaps.push(match self.seccomp {
                true => weaker(format!(
                    "Landlock ABI {}: Unix sockets are refused altogether, even between the command's own processes \
                     (pairs of sockets work)",
                    self.landlock
                )),
                false => essential("sockets of other programs (Docker, D-Bus, an SSH agent) can be reached"),
            });
        }
        if view.network == Network::Loopback && !tree {
            gaps.push(essential("no network namespace can be had, so that `loopback` means `deny`"));
        }
    }

    fn gaps_of_limits(&self, view: &View, gaps: &mut Vec<Gap>) {
        let limits = &view.limits;
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
    use super::super::Place;
    use super::*;

    fn texts(mechanisms: &Mechanisms, view: &View) -> String {
        let gaps = mechanisms.gaps(view);
        gaps.iter().map(|gap| format!("{:?}: {gap}\n", gap.kind)).collect()
    }

    fn work() -> View {
        View { places: vec![Place::write("/work"), Place::masked("/work/.env")], ..View::default() }
    }

    #[test]
    fn a_new_kernel_leaves_nothing_open() {
        let new = Mechanisms {
            landlock: 7,
            seccomp: true,
            namespaces: Some(NamespaceBy::UserNamespace),
            limits: true,
            ..Mechanisms::default()
        };
        assert_eq!(new.describe(), "user namespaces, Landlock ABI 7, seccomp");
        let view = View { network: Network::Loopback, ..work() };
        assert_eq!(texts(&new, &view), "");
    }

    #[test]
    fn an_old_kernel_is_told_line_by_line() {
        let old = Mechanisms { landlock: 1, limits: true, root: true, ..Mechanisms::default() };
        let view = View {
            network: Network::Loopback,
            limits: super::super::Limits { processes: Some(9), ..Default::default() },
            ..work()
        };
        insta::assert_snapshot!(texts(&old, &view), @"
        Essential: Landlock ABI 1: files outside can be emptied, though not written
        Essential: system calls cannot be filtered here: dangerous ones are not refused
        Essential: the network cannot be refused
        Essential: sockets of other programs (Docker, D-Bus, an SSH agent) can be reached
        Essential: no network namespace can be had, so that `loopback` means `deny`
        Weaker: no namespaces can be had: what lies inside the project (git's configuration and hooks, ours, `.env`) is not protected by the kernel, so that doubt about files is asked about
        Weaker: without namespaces a masked file is refused instead of looking empty
        Weaker: without namespaces other processes of the user can be seen
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
        insta::assert_snapshot!(texts(&none, &View::default()), @"
        Essential: neither namespaces nor Landlock can be had: reading and writing files is not limited
        Essential: system calls cannot be filtered here: dangerous ones are not refused
        Essential: the network cannot be refused
        Essential: sockets of other programs (Docker, D-Bus, an SSH agent) can be reached
        ");
    }
}
