//! The models used last, in the state directory, as OpenCode keeps them.

use std::io;
use std::path::{Path, PathBuf};

use praxis_config::Surroundings;
use praxis_os::{Existing, RealPath};
use serde_json::{Map, Value, json};

use super::Choice;

/// How many are remembered.
const MOST: usize = 10;
/// The most that is read of the file.
const MOST_BYTES: u64 = 1 << 20;

fn path(surroundings: &Surroundings) -> PathBuf {
    surroundings.dirs.state().join("model.json")
}

/// The models used last, the newest first; of a damaged file none, for nothing hangs on it.
pub fn recent(surroundings: &Surroundings) -> Vec<Choice> {
    read(&path(surroundings))
        .get("recent")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(choice)
        .collect()
}

/// Puts a model in front of those used last.
pub fn remember(surroundings: &Surroundings, used: &Choice) -> io::Result<()> {
    let path = path(surroundings);
    let mut content = read(&path);
    let older = recent(surroundings).into_iter().filter(|choice| choice != used);
    let list: Vec<Value> = std::iter::once(used.clone())
        .chain(older)
        .take(MOST)
        .map(|choice| json!({ "providerID": choice.provider, "modelID": choice.model }))
        .collect();
    content.insert("recent".to_owned(), list.into());
    let text = serde_json::to_vec(&content)?;
    let real = RealPath::resolve(Path::new("/"), &path)?;
    praxis_os::write(&real, &text, Existing::Replace).map_err(io::Error::other)
}

fn choice(value: &Value) -> Option<Choice> {
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(Choice { provider: text("providerID")?, model: text("modelID")? })
}

fn read(path: &Path) -> Map<String, Value> {
    let small = path.metadata().is_ok_and(|found| found.len() <= MOST_BYTES);
    let bytes = if small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    serde_json::from_slice(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(model: &str) -> Choice {
        Choice { provider: "p".into(), model: model.into() }
    }

    #[test]
    fn the_last_comes_first_and_once_and_the_rest_of_the_file_stays() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap().display().to_string();
        let surroundings = Surroundings::from_env([("HOME".to_owned(), home)]);
        assert_eq!(recent(&surroundings), []);
        for model in ["a", "b/c", "a"] {
            remember(&surroundings, &used(model)).unwrap();
        }
        assert_eq!(recent(&surroundings), [used("a"), used("b/c")]);

        std::fs::write(
            path(&surroundings),
            r#"{"favorite":[1],"recent":[{"providerID":"p","modelID":"x"},7]}"#,
        )
        .unwrap();
        for n in 0..20 {
            remember(&surroundings, &used(&n.to_string())).unwrap();
        }
        assert_eq!(recent(&surroundings).len(), MOST);
        assert!(std::fs::read_to_string(path(&surroundings)).unwrap().contains(r#""favorite":[1]"#));
        std::fs::write(path(&surroundings), "{").unwrap();
        assert_eq!(recent(&surroundings), []);
    }
}
