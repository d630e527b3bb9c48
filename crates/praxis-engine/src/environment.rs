//! What commands see of the environment: not the keys of any provider that is catalogued or configured.

use std::collections::BTreeSet;

use praxis_config::{Loaded, ShellEnvironment, Surroundings};
use praxis_llm::catalogue::cached_variables;
use praxis_llm::provider::secret_variables;
use praxis_tools::shell::Environment;

/// The environment of commands.
pub(crate) fn environment(surroundings: &Surroundings, loaded: &Loaded) -> Environment {
    let ShellEnvironment { keep, drop, set } = &loaded.config.shell_tool.environment;
    let mut keys: BTreeSet<String> = loaded.provider_variables.iter().cloned().collect();
    for provider in loaded.config.provider.values() {
        keys.extend(secret_variables(provider.env.as_deref().unwrap_or_default()).map(str::to_owned));
    }
    // The names of the embedded catalogue are known without opening it; a newer one may have more.
    for named in cached_variables(surroundings) {
        keys.extend(secret_variables(&named).map(str::to_owned));
    }
    let drop: Vec<String> =
        keys.into_iter().filter(|name| !keep.contains(name)).chain(drop.iter().cloned()).collect();
    Environment::scrubbed(&surroundings.variables, keep, &drop)
        .with(set.iter().map(|(name, value)| (name.clone(), value.clone())))
}

#[cfg(test)]
mod tests {
    use praxis_config::{Request, Trust, load};
    use praxis_llm::catalogue::Catalogue;

    use super::*;

    /// The environment of commands where the user's configuration is this.
    fn seen(config: &str, variables: &[&str], catalogue: Option<&str>) -> Vec<String> {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        for (path, text) in
            [(".config/praxis/praxis.json", Some(config)), (".cache/praxis/models.json", catalogue)]
        {
            std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            if let Some(text) = text {
                std::fs::write(at(path), text).unwrap();
            }
        }
        std::fs::create_dir(at("project")).unwrap();
        let home = ("HOME".to_owned(), temp.path().display().to_string());
        let given = variables.iter().map(|name| ((*name).to_owned(), "v".to_owned()));
        let surroundings = Surroundings::from_env(given.chain([home]));
        let request = Request {
            directory: at("project"),
            worktree: at("project"),
            extra_file: None,
            trust: Trust::Nothing,
        };
        let loaded = load(&surroundings, &request).unwrap();
        let environment = environment(&surroundings, &loaded);
        environment.iter().map(|(name, _)| name.to_owned()).filter(|name| name != "HOME").collect()
    }

    #[test]
    fn no_key_of_the_embedded_catalogue_reaches_a_command() {
        let catalogue = Catalogue::embedded().unwrap();
        let keys: Vec<&str> = catalogue.providers().flat_map(|info| secret_variables(&info.env)).collect();
        assert!(keys.contains(&"HF_TOKEN") && keys.contains(&"OPENAI_API_KEY"));
        assert_eq!(seen("{}", &keys, None), ["PRAXIS"], "add these names to secrets.txt");
    }

    #[test]
    fn keys_of_configured_and_newly_catalogued_providers_stay_here_too() {
        let names =
            ["MY_TOKEN", "MY_REGION", "HEADER_KEY", "KEPT_KEY", "NEW_API_KEY", "OTHER", "PRAXIS_TRUST"];
        let config = r#"{
            "provider": {
                "mine": {"env": ["MY_TOKEN", "MY_REGION"], "options": {"headers": {"x": "{env:HEADER_KEY}"}}},
                "kept": {"env": ["KEPT_KEY"]}
            },
            "username": "{env:OTHER}",
            "shell_tool": {"environment": {"keep": ["KEPT_KEY"]}}
        }"#;
        let catalogue = r#"{"new": {"id": "new", "name": "New", "env": ["NEW_API_KEY"], "models": {"m": {"id": "m", "name": "M"}}}}"#;
        assert_eq!(seen(config, &names, Some(catalogue)), ["KEPT_KEY", "MY_REGION", "OTHER", "PRAXIS"]);
    }
}
