//! What containment adds to a command: `/bin/true` as it is and in views, with the preparation.

fn main() {
    divan::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use divan::Bencher;
    use praxis_os::sandbox::{Mechanisms, Network, Place, View};

    fn view(network: Network) -> View {
        let system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt"].into_iter().map(Place::read);
        View { places: system.chain([Place::write("/var/cache")]).collect(), network, ..View::default() }
    }

    /// As the views of real commands are: a home folder of which most is hidden, and a table that names much of it.
    fn home() -> (tempfile::TempDir, View) {
        let home = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        let mut places = view(Network::Allow).places;
        places.push(Place::masked(home.path()));
        for number in 0..280 {
            let folder = home.path().join(format!(".config/tool-{}/part-{number}", number % 40));
            if number < 40 {
                std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{e}"));
            }
            places.push(if number % 2 == 0 { Place::read(folder) } else { Place::masked(folder) });
        }
        let view = View { places, network: Network::Allow, ..View::default() };
        (home, view)
    }

    #[divan::bench(sample_count = 200)]
    fn with_a_home(bencher: Bencher<'_, '_>) {
        let (mechanisms, (_home, view)) = (Mechanisms::probe(), home());
        bencher.bench_local(|| {
            let prepared = view.prepare(&mechanisms).unwrap_or_else(|e| panic!("{e}"));
            run(move || prepared.enforce());
        });
    }

    #[divan::bench]
    fn preparation_with_a_home(bencher: Bencher<'_, '_>) {
        let (mechanisms, (_home, view)) = (Mechanisms::probe(), home());
        bencher.bench_local(|| view.prepare(&mechanisms).is_ok());
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

    fn contained(bencher: Bencher<'_, '_>, mechanisms: &Mechanisms, network: Network) {
        let view = view(network);
        bencher.bench_local(|| {
            let prepared = view.prepare(mechanisms).unwrap_or_else(|e| panic!("{e}"));
            run(move || prepared.enforce());
        });
    }

    #[divan::bench(sample_count = 200)]
    fn plain() {
        run(|| Ok(()));
    }

    #[divan::bench(args = [Network::Deny, Network::Allow, Network::Loopback], sample_count = 200)]
    fn with_all_means(bencher: Bencher<'_, '_>, network: Network) {
        contained(bencher, &Mechanisms::probe(), network);
    }

    #[divan::bench(args = [Network::Deny, Network::Allow], sample_count = 200)]
    fn with_landlock_alone(bencher: Bencher<'_, '_>, network: Network) {
        contained(bencher, &Mechanisms { namespaces: None, ..Mechanisms::probe() }, network);
    }

    #[divan::bench]
    fn preparation(bencher: Bencher<'_, '_>) {
        let mechanisms = Mechanisms::probe();
        let view = view(Network::Deny);
        bencher.bench_local(|| view.prepare(&mechanisms).is_ok());
    }

    #[divan::bench]
    fn probe() -> Mechanisms {
        Mechanisms::probe()
    }
}
