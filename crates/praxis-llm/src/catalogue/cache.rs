//! The refreshed catalogue: fetched when somebody says so, kept in the cache directory, used until it is refreshed
//! again or removed.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use praxis_config::Surroundings;
use praxis_os::{Existing, Http, HttpRequest, RealPath};

use super::{Catalogue, CatalogueError, Origin};

/// Where a catalogue is fetched from unless the environment says otherwise.
pub const DEFAULT_URL: &str = "https://models.opencode.ai/api.json";
/// For the whole exchange.
const DEADLINE: Duration = Duration::from_secs(10);
/// The most that is read; today's is about 3 MB.
const MOST_BYTES: usize = 32 << 20;

/// What a refresh brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    /// How many providers.
    pub providers: usize,
    /// How many models.
    pub models: usize,
    /// Where it is kept.
    pub path: PathBuf,
}

/// Where a refreshed catalogue is kept.
pub fn cache_path(surroundings: &Surroundings) -> PathBuf {
    surroundings.dirs.cache().join("models.json")
}

impl Catalogue {
    /// The catalogue to use: the file that `PRAXIS_MODELS_PATH` names, else the refreshed one, else the embedded one.
    ///
    /// A file that somebody named has to be there and whole. A refreshed one that is damaged is moved aside.
    pub fn open(surroundings: &Surroundings) -> Result<Self, CatalogueError> {
        if let Some(named) = surroundings.flag("MODELS_PATH") {
            let path = PathBuf::from(named);
            let text = read(&path).map_err(|e| unreadable(&path, &e))?;
            return Self::from_json(&text, Origin::File(path));
        }
        let path = cache_path(surroundings);
        let problem = match read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Self::embedded(),
            Err(e) => unreadable(&path, &e).to_string(),
            Ok(text) => match Self::from_json(&text, Origin::File(path.clone())) {
                Ok(catalogue) => return Ok(catalogue),
                Err(e) => e.to_string(),
            },
        };
        let aside = path.with_extension("json.damaged");
        let moved = match std::fs::rename(&path, &aside) {
            Ok(()) => format!("moved to {}", aside.display()),
            Err(e) => format!("and could not be moved aside: {e}"),
        };
        let mut catalogue = Self::embedded()?;
        catalogue.warnings.push(format!(
            "the refreshed catalogue {} is not used ({problem}); it was {moved}; `praxis models --refresh` gets a new one",
            path.display()
        ));
        Ok(catalogue)
    }
}

/// Fetches a catalogue and keeps it, if it is one.
pub async fn refresh(http: &Http, surroundings: &Surroundings) -> Result<Refreshed, CatalogueError> {
    let request = HttpRequest {
        url: address(surroundings.flag("MODELS_URL")),
        headers: vec![("accept", "application/json".to_owned())],
        body: Vec::new(),
        deadline: DEADLINE,
        most_bytes: MOST_BYTES,
    };
    let reply = http.get(request).await.map_err(|e| CatalogueError::Fetch(e.to_string()))?;
    if reply.status != 200 {
        return Err(CatalogueError::Fetch(format!("the server answered with status {}", reply.status)));
    }
    let path = cache_path(surroundings);
    let text = std::str::from_utf8(&reply.body).map_err(|e| CatalogueError::Fetch(e.to_string()))?;
    let (providers, models) = count(text).map_err(|e| CatalogueError::Fetch(e.to_string()))?;
    let failed = |problem: String| CatalogueError::File { action: "write", path: path.clone(), problem };
    let real = RealPath::resolve(Path::new("/"), &path).map_err(|e| failed(e.to_string()))?;
    praxis_os::write(&real, text.as_bytes(), Existing::Replace).map_err(|e| failed(e.to_string()))?;
    Ok(Refreshed { providers, models, path })
}

/// The variables that each provider of a fetched catalogue names, found without reading the rest of it; nothing where
/// there is none. Changes nothing, whatever state the file is in.
pub fn cached_variables(surroundings: &Surroundings) -> Vec<Vec<String>> {
    read(&cache_path(surroundings)).map(|text| variables_in(&text)).unwrap_or_default()
}

fn variables_in(text: &str) -> Vec<Vec<String>> {
    let lists = text.split("\"env\"").skip(1).filter_map(|behind| {
        let list = behind.trim_start().strip_prefix(':')?.trim_start();
        let end = list.find(']')?;
        serde_json::from_str::<Vec<String>>(&list[..=end]).ok()
    });
    lists.collect()
}

/// How much there is in it; a catalogue without a model is none.
fn count(text: &str) -> Result<(usize, usize), CatalogueError> {
    let catalogue = Catalogue::from_json(text, Origin::Embedded)?;
    let mut counts = (0, 0);
    for info in catalogue.providers() {
        counts = (counts.0 + 1, counts.1 + catalogue.models(&info.id)?.len());
    }
    if counts.1 == 0 {
        return Err(CatalogueError::Shape("it holds no model".to_owned()));
    }
    Ok(counts)
}

/// OpenCode's variable names the server, ours may name the file itself.
fn address(given: Option<&str>) -> String {
    match given {
        None => DEFAULT_URL.to_owned(),
        Some(url) if url.ends_with(".json") => url.to_owned(),
        Some(url) => format!("{}/api.json", url.trim_end_matches('/')),
    }
}

fn read(path: &Path) -> io::Result<String> {
    if path.metadata()?.len() > MOST_BYTES as u64 {
        return Err(io::Error::other("it is too large for a catalogue"));
    }
    std::fs::read_to_string(path)
}

fn unreadable(path: &Path, error: &io::Error) -> CatalogueError {
    CatalogueError::File { action: "read", path: path.to_owned(), problem: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_without_reading_a_catalogue() {
        let text = r#"{"a": {"env": ["A_KEY", "A_REGION"], "models": {}}, "b":{"env":["B"]}, "c": {"env": 3}, "env": ["#;
        assert_eq!(variables_in(text), [vec!["A_KEY", "A_REGION"], vec!["B"]]);
    }

    fn lab() -> (tempfile::TempDir, Surroundings) {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().display().to_string();
        let surroundings = Surroundings::from_env([("HOME".to_owned(), home)]);
        (temp, surroundings)
    }

    #[test]
    fn a_refreshed_catalogue_is_used_and_a_damaged_one_moved_aside() {
        let (_temp, surroundings) = lab();
        assert_eq!(Catalogue::open(&surroundings).unwrap().origin(), &Origin::Embedded);

        let path = cache_path(&surroundings);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, r#"{"p": {"models": {}}}"#).unwrap();
        assert_eq!(Catalogue::open(&surroundings).unwrap().origin(), &Origin::File(path.clone()));

        std::fs::write(&path, r#"{"p": {"models": {}"#).unwrap();
        let catalogue = Catalogue::open(&surroundings).unwrap();
        assert_eq!(catalogue.origin(), &Origin::Embedded);
        assert!(catalogue.warnings()[0].contains("models.json.damaged"), "{:?}", catalogue.warnings());
        assert!(!path.exists() && path.with_extension("json.damaged").exists());
        assert_eq!(Catalogue::open(&surroundings).unwrap().warnings(), [] as [String; 0]);
    }

    #[test]
    fn a_named_file_has_to_be_there() {
        let (temp, mut surroundings) = lab();
        let path = temp.path().join("mine.json");
        surroundings.variables.insert("PRAXIS_MODELS_PATH".into(), path.display().to_string());
        let told = Catalogue::open(&surroundings).unwrap_err().to_string();
        assert!(told.contains("could not read") && told.contains("mine.json"), "{told}");
        std::fs::write(&path, r#"{"p": {"models": {}}}"#).unwrap();
        assert_eq!(Catalogue::open(&surroundings).unwrap().origin(), &Origin::File(path));
    }

    #[test]
    fn the_address_may_be_a_server_or_a_file() {
        assert_eq!(address(None), DEFAULT_URL);
        assert_eq!(address(Some("http://h/")), "http://h/api.json");
        assert_eq!(address(Some("http://h/x.json")), "http://h/x.json");
    }
}
