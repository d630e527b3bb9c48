//! The house stands: a crate uses lower floors only.

use std::process::Command;

use serde_json::Value;

/// These stand beside the house and are for tests alone.
const BESIDE: &[&str] = &["praxis-testkit", "praxis-differential"];

/// The floor of each crate.
const FLOORS: &[(&str, u32)] = &[
    ("praxis-proto", 0),
    ("praxis-policy", 1),
    ("praxis-os", 1),
    ("praxis-text", 1),
    ("praxis-config", 1),
    ("praxis-tools", 2),
    ("praxis-ext", 3),
    ("praxis-llm", 3),
    ("praxis-store", 3),
    ("praxis-engine", 4),
    ("praxis-serve", 5),
    ("praxis", 6),
];

/// Floors that do no I/O, and what they therefore must not know.
const PURE: &[&str] = &["praxis-proto", "praxis-policy", "praxis-text"];
const IMPURE: &[&str] = &["tokio", "rustix", "reqwest", "rusqlite", "tempfile"];

fn floor(name: &str) -> Option<u32> {
    FLOORS.iter().find(|(known, _)| *known == name).map(|(_, floor)| *floor)
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn wrong_edges(packages: &[Value]) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        if BESIDE.contains(&name) {
            continue;
        }
        let Some(own) = floor(name) else {
            wrong.push(format!("`{name}` has no floor: draw it in ARCHITECTURE.md and name it in this test"));
            continue;
        };
        for dependency in package["dependencies"].as_array().unwrap() {
            let (used, kind) = (dependency["name"].as_str().unwrap(), dependency["kind"].as_str());
            let for_tests = kind == Some("dev");
            match floor(used) {
                Some(below) if below >= own => wrong.push(format!("{name} → {used} points up or sideways")),
                None if BESIDE.contains(&used) && !for_tests => {
                    wrong.push(format!("{name} → {used} is for tests alone"));
                }
                None if !for_tests && PURE.contains(&name) && IMPURE.contains(&used) => {
                    wrong.push(format!("{name} → {used}: this floor is pure"));
                }
                _ => {}
            }
        }
    }
    wrong
}

#[test]
fn every_arrow_points_down() {
    assert_eq!(wrong_edges(&packages()), Vec::<String>::new());
}

#[test]
fn an_arrow_up_sideways_or_into_the_testkit_is_seen() {
    let edge = |from: &str, to: &str, kind: Value| serde_json::json!({ "name": from, "dependencies": [{ "name": to, "kind": kind }] });
    let seen = |package: Value| wrong_edges(&[package]).len();
    assert_eq!(seen(edge("praxis-policy", "praxis-tools", Value::Null)), 1);
    assert_eq!(seen(edge("praxis-policy", "praxis-os", Value::Null)), 1);
    assert_eq!(seen(edge("praxis-os", "praxis-tools", "dev".into())), 1);
    assert_eq!(seen(edge("praxis-tools", "praxis-testkit", Value::Null)), 1);
    assert_eq!(seen(edge("praxis-tools", "praxis-differential", Value::Null)), 1);
    assert_eq!(seen(edge("praxis-text", "tokio", Value::Null)), 1);
    assert_eq!(seen(edge("praxis-new", "serde", Value::Null)), 1);
    assert_eq!(seen(edge("praxis-tools", "praxis-testkit", "dev".into())), 0);
    assert_eq!(seen(edge("praxis-tools", "praxis-os", Value::Null)), 0);
}
