//! Containment of commands, as it is written.

use praxis_config::{Sandbox, SandboxLimits, SandboxMode, SandboxNetwork};

use crate::lab::Lab;

fn settings(lab: &Lab) -> Sandbox {
    lab.load().config.sandbox.map(|sandbox| sandbox.settings()).unwrap_or_default()
}

#[test]
fn commands_are_contained_by_default() {
    assert_eq!(Lab::new().load().config.sandbox, None);
    assert_eq!((Sandbox::default().mode(), SandboxMode::default()), (SandboxMode::Auto, SandboxMode::Auto));
}

#[test]
fn a_word_is_enough_and_leaves_the_network() {
    for (word, mode) in
        [("off", SandboxMode::Off), ("auto", SandboxMode::Auto), ("required", SandboxMode::Required)]
    {
        let lab = Lab::new().file("project/praxis.json", format!(r#"{{"sandbox": "{word}"}}"#));
        let settings = settings(&lab);
        assert_eq!(settings, Sandbox { mode: Some(mode), ..Sandbox::default() });
        assert_eq!((settings.mode(), settings.network()), (mode, SandboxNetwork::Allow));
    }
}

#[test]
fn settings_are_read_and_paths_resolved() {
    let lab = Lab::new().file(
        "project/praxis.json",
        r#"{"sandbox": {
            "writable": ["~/cache", "build", "/srv/data"], "readable": ["../lib"], "unreadable": ["~/.ssh"], "network": "loopback",
            "unix_sockets": true, "auto_allow": true,
            "limits": {"cpu_seconds": 60, "memory_mb": 2048, "file_size_mb": 100, "processes": 200}
        }}"#,
    );
    let settings = settings(&lab);
    let project = lab.path("project");
    let [writable, unreadable] = [
        settings.writable_paths(&project, &lab.surroundings()),
        settings.unreadable_paths(&project, &lab.surroundings()),
    ];
    assert_eq!(writable, [lab.path("home/cache"), lab.path("project/build"), "/srv/data".into()]);
    assert_eq!(unreadable, [lab.path("home/.ssh")]);
    assert_eq!(settings.limits.memory_bytes(), Some(2 << 30));
    assert_eq!(settings.limits.file_bytes(), Some(100 << 20));
    assert_eq!(
        settings,
        Sandbox {
            mode: None,
            writable: ["~/cache", "build", "/srv/data"].map(str::to_owned).into(),
            readable: vec!["../lib".to_owned()],
            unreadable: vec!["~/.ssh".to_owned()],
            network: Some(SandboxNetwork::Loopback),
            unix_sockets: Some(true),
            limits: SandboxLimits {
                cpu_seconds: Some(60),
                memory_mb: Some(2048),
                file_size_mb: Some(100),
                processes: Some(200),
            },
            auto_allow: Some(true),
        }
    );
    assert_eq!(settings.mode(), SandboxMode::Auto);
}

#[test]
fn a_nearer_file_adds_to_the_settings_of_a_farther_one() {
    let lab = Lab::new()
        .file(
            "home/.config/praxis/praxis.json",
            r#"{"sandbox": {"mode": "required", "unreadable": ["~/.ssh"]}}"#,
        )
        .file("project/praxis.json", r#"{"sandbox": {"unreadable": ["secrets"], "writable": ["out"]}}"#)
        .file("project/app/praxis.json", r#"{"sandbox": {"network": "allow"}}"#);
    let settings = settings(&lab);
    assert_eq!(settings.mode(), SandboxMode::Required);
    assert_eq!(settings.unreadable, ["~/.ssh", "secrets"]);
    assert_eq!(settings.writable, ["out"]);
    assert_eq!(settings.network(), SandboxNetwork::Allow);
}

#[test]
fn a_word_in_one_file_and_settings_in_another_make_one_whole() {
    let word = r#"{"sandbox": "required"}"#;
    let rest = r#"{"sandbox": {"writable": ["out"]}}"#;
    for (far, near) in [(word, rest), (rest, word)] {
        let lab = Lab::new().file("home/.config/praxis/praxis.json", far).file("project/praxis.json", near);
        let settings = settings(&lab);
        assert_eq!(settings.mode(), SandboxMode::Required);
        assert_eq!(settings.writable, ["out"]);
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let lab = Lab::new().file(
        "project/praxis.json",
        "{\n\"sandbox\": {\"writeable\": [\"x\"], \"limits\": {\"memory_m\": 1}}\n}",
    );
    assert_eq!(
        lab.warnings(),
        [
            "project/praxis.json:2: unknown key `sandbox.writeable` is ignored; did you mean `writable`?",
            "project/praxis.json:2: unknown key `sandbox.limits.memory_m` is ignored; did you mean `memory_mb`?",
        ]
    );
    let failure = |text: &str| Lab::new().file("project/praxis.json", text).failure();
    insta::assert_snapshot!(failure(r#"{"sandbox": "on"}"#), @"project/praxis.json:1:13: `sandbox`: expected off, auto or required, found `on`");
    insta::assert_snapshot!(failure(r#"{"sandbox": true}"#), @"project/praxis.json:1:13: `sandbox`: expected off, auto or required or an object, found true or false");
    insta::assert_snapshot!(failure(r#"{"sandbox": {"network": "none"}}"#), @"project/praxis.json:1:25: `sandbox.network`: expected allow, deny or loopback, found `none`");
    insta::assert_snapshot!(failure(r#"{"sandbox": {"limits": {"cpu_seconds": 0}}}"#), @"project/praxis.json:1:40: `sandbox.limits.cpu_seconds`: expected 1 or more, found 0");
}
