//! Model servers on this machine: looked for only when somebody asks.

use std::time::Duration;

use praxis_config::Surroundings;
use praxis_os::{Http, HttpRequest};
use serde_json::{Value, json};

/// How long a server may take to say what it has.
const DEADLINE: Duration = Duration::from_millis(800);
/// The most that is read of its answer.
const MOST_BYTES: usize = 1 << 20;
/// The most models that are taken from one server.
const MOST_MODELS: usize = 200;

/// A server to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The provider's id in the configuration.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Where it is, without a path.
    pub address: String,
    list: &'static str,
}

/// A server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The server.
    pub server: LocalServer,
    /// Its models.
    pub models: Vec<String>,
}

impl Found {
    /// The address to configure.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.server.address)
    }

    /// The piece of configuration that makes it usable.
    pub fn config(&self) -> Value {
        let models: serde_json::Map<String, Value> =
            self.models.iter().map(|id| (id.clone(), json!({}))).collect();
        json!({ "provider": { self.server.id: {
            "name": self.server.name,
            "npm": super::COMPATIBLE,
            "options": { "baseURL": self.base_url() },
            "models": models,
        } } })
    }
}

/// Id, name, port, where its models are listed, and the variable that names another host.
const KNOWN: &[(&str, &str, u16, &str, &str)] = &[
    ("ollama", "Ollama", 11_434, "/api/tags", "OLLAMA_HOST"),
    ("lmstudio", "LM Studio", 1_234, "/v1/models", "LMSTUDIO_HOST"),
    ("llamacpp", "llama.cpp", 8_080, "/v1/models", "LLAMACPP_HOST"),
    ("vllm", "vLLM", 8_000, "/v1/models", "VLLM_HOST"),
];

/// The servers to look for: the usual ports on loopback, or where a variable says.
pub fn local_servers(surroundings: &Surroundings) -> Vec<LocalServer> {
    let server =
        |(id, name, port, list, variable): &(&'static str, &'static str, u16, &'static str, &str)| {
            let given = surroundings.variables.get(*variable).map(String::as_str).unwrap_or_default();
            LocalServer { id, name, list, address: address(given, *port) }
        };
    KNOWN.iter().map(server).collect()
}

/// A host as these programs take it: `host`, `host:port`, `:port`, `http://host:port/`. All addresses of the machine
/// mean this one.
fn address(given: &str, port: u16) -> String {
    let given = given.trim().trim_end_matches('/');
    let (scheme, rest) = given.split_once("://").unwrap_or(("http", given));
    let (host, own_port) = match rest.rsplit_once(':') {
        Some((host, digits)) if digits.parse::<u16>().is_ok() => (host, digits),
        _ => (rest, ""),
    };
    let host = if host.is_empty() || host == "0.0.0.0" || host == "[::]" { "127.0.0.1" } else { host };
    if own_port.is_empty() {
        format!("{scheme}://{host}:{port}")
    } else {
        format!("{scheme}://{host}:{own_port}")
    }
}

/// Asks all of them at once; those that do not answer in time are not there.
pub async fn find_local(http: &Http, servers: Vec<LocalServer>) -> Vec<Found> {
    let tasks: Vec<_> = servers
        .into_iter()
        .map(|server| {
            let http = http.clone();
            tokio::spawn(async move { ask(&http, server).await })
        })
        .collect();
    let mut found = Vec::new();
    for task in tasks {
        found.extend(task.await.ok().flatten());
    }
    found
}

async fn ask(http: &Http, server: LocalServer) -> Option<Found> {
    let request = HttpRequest {
        url: format!("{}{}", server.address, server.list),
        headers: Vec::new(),
        body: Vec::new(),
        deadline: DEADLINE,
        most_bytes: MOST_BYTES,
    };
    let reply = http.get(request).await.ok().filter(|reply| reply.status == 200)?;
    Some(Found { models: models(&reply.body)?, server })
}

/// Ollama lists `models` by name, the others `data` by id, llama.cpp both; whatever else answers on that port is not
/// one of them.
fn models(body: &[u8]) -> Option<Vec<String>> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let list = answer.get("data").or_else(|| answer.get("models"))?.as_array()?;
    let id = |entry: &Value| Some(entry.get("id").or_else(|| entry.get("name"))?.as_str()?.to_owned());
    list.iter().take(MOST_MODELS).map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_be_written_in_many_ways() {
        for (given, expected) in [
            ("", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":99", "http://127.0.0.1:99"),
            ("box:99", "http://box:99"),
            ("http://box:99/", "http://box:99"),
            ("https://box", "https://box:11434"),
            ("[::1]:99", "http://[::1]:99"),
            ("[::1]", "http://[::1]:11434"),
        ] {
            assert_eq!(address(given, 11_434), expected, "{given}");
        }
    }

    #[test]
    fn each_server_lists_its_models_in_its_own_way() {
        let read = |text: &str| models(text.as_bytes());
        assert_eq!(read(r#"{"models":[{"name":"qwen3:8b","size":1}]}"#), Some(vec!["qwen3:8b".into()]));
        assert_eq!(
            read(r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#),
            Some(vec!["a".into(), "b".into()])
        );
        assert_eq!(read(r#"{"models":[{"name":"x"}],"data":[{"id":"y"}]}"#), Some(vec!["y".into()]));
        for other in ["<html>", "{}", r#"{"data":1}"#, "[]", ""] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
