//! What containment adds to a command: `/bin/true` as it is and under each kind of network, with the preparation.

fn main() {
    divan::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use divan::Bencher;
    use praxis_os::sandbox::{Mechanisms, Network, Policy};

    fn policy(network: Network) -> Policy {
        Policy { writable: vec![std::env::temp_dir()], network, ..Policy::default() }
    }

    /// Ordinary commands go through `fork` too: a hook that does nothing keeps the comparison fair.
    fn run(hook: impl FnMut() -> std::io::Result<()> + Send + Sync + 'static) {
        let mut command = Command::new("/bin/true");
        #[expect(unsafe_code, reason = "there is no other way between fork and exec")]
        // SAFETY: `enforce` promises to take no lock and to allocate nothing.
        unsafe {
            command.pre_exec(hook);
        }
        let status = command.status().unwrap_or_else(|e| panic!("{e}"));
        assert!(status.success());
    }

    #[divan::bench(sample_count = 200)]
    fn plain() {
        run(|| Ok(()));
    }

    #[divan::bench(args = [Network::Deny, Network::Allow, Network::Loopback], sample_count = 200)]
    fn contained(bencher: Bencher<'_, '_>, network: Network) {
        let mechanisms = Mechanisms::probe();
        let policy = policy(network);
        bencher.bench_local(|| {
            let prepared = policy.prepare(&mechanisms).unwrap_or_else(|e| panic!("{e}"));
            run(move || prepared.enforce());
        });
    }

    #[divan::bench]
    fn preparation(bencher: Bencher<'_, '_>) {
        let mechanisms = Mechanisms::probe();
        let policy = policy(Network::Deny);
        bencher.bench_local(|| policy.prepare(&mechanisms).is_ok());
    }

    #[divan::bench]
    fn probe() -> Mechanisms {
        Mechanisms::probe()
    }
}
