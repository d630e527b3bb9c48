//! Finds code and documentation on the web through Exa's code context service.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use praxis_os::{Http, HttpRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Ask, Cx, Report, Tool, ToolError};

const EXA: &str = "https://mcp.exa.ai/mcp";
const DEADLINE: Duration = Duration::from_secs(30);
/// The longest answer asked for is 50,000 tokens; this is room enough for it.
const MOST_BYTES: usize = 1 << 20;

/// Find current examples and documentation for a library, an interface or a programming question on the web.
///
/// Use it when you need to know how something outside this project is used today. For code of this project use the
/// search tools instead.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// What to look for, for example `axum 0.8 middleware from_fn example`.
    query: String,
    /// How much to return, in tokens: few for a narrow question, more for a broad one.
    #[serde(default = "usual_tokens")]
    #[schemars(range(min = 1_000, max = 50_000))]
    tokens_num: u32,
}

fn usual_tokens() -> u32 {
    5_000
}

/// Where searches go, and with which key.
#[derive(Clone, Default)]
pub struct SearchService {
    url: Option<String>,
    key: Option<Arc<str>>,
    http: Http,
}

impl SearchService {
    /// Another address than the usual one, and a key, if there are any.
    pub fn new(url: Option<String>, key: Option<String>) -> Self {
        Self { url, key: key.map(Arc::from), http: Http::default() }
    }
}

/// The key stays out of it.
impl fmt::Debug for SearchService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchService").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The `codesearch` tool.
pub struct CodeSearch {
    service: SearchService,
}

impl CodeSearch {
    /// Searches through `service`.
    pub fn new(service: SearchService) -> Self {
        Self { service }
    }
}

impl Tool for CodeSearch {
    type Input = Input;

    const NAME: &'static str = "codesearch";

    async fn run(&self, Input { query, tokens_num }: Input, cx: &Cx) -> Result<Report, ToolError> {
        let SearchService { url, key, http } = &self.service;
        let url = url.as_deref().unwrap_or(EXA);
        let ask =
            Ask::fetch(Self::NAME, &query, url).with("query", query.as_str()).with("tokensNum", tokens_num);
        let grant = cx.ask(ask).await?;

        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "get_code_context_exa", "arguments": { "query": query, "tokensNum": tokens_num } },
        });
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        // In a header and not in the address: addresses end up in logs.
        headers.extend(key.as_ref().map(|key| ("x-api-key", key.to_string())));
        let request = HttpRequest {
            url: url.to_owned(),
            headers,
            body: call.to_string().into_bytes(),
            deadline: DEADLINE,
            most_bytes: MOST_BYTES,
        };
        let reply = cx.post(&grant, http, request).await?;
        if reply.status != 200 {
            return Err(ToolError::Outside(format!("The code search answered with status {}", reply.status)));
        }
        let found = answer(&String::from_utf8_lossy(&reply.body))?;
        let output = found.unwrap_or_else(|| {
            "No code or documentation was found. Try other words: the name and version of the library, \
             the function, or what it should do."
                .to_owned()
        });
        Ok(Report::new(format!("Code search: {query}"), output))
    }

    fn deadline(&self) -> Option<Duration> {
        Some(DEADLINE * 2)
    }
}

/// The first text in a JSON-RPC answer, plain or as an event stream. Frames that are no objects say nothing.
fn answer(body: &str) -> Result<Option<String>, ToolError> {
    let body = body.trim();
    let frames: Vec<&str> = if body.starts_with('{') {
        vec![body]
    } else {
        body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect()
    };
    for frame in frames.into_iter().filter(|frame| frame.starts_with('{')) {
        let message: Value = serde_json::from_str(frame).map_err(|e| {
            ToolError::Outside(format!("The code search gave an answer that is not JSON: {e}"))
        })?;
        if let Some(problem) = message["error"]["message"].as_str() {
            return Err(ToolError::Outside(format!("The code search failed: {problem}")));
        }
        let texts = message["result"]["content"].as_array().into_iter().flatten();
        if let Some(text) = texts.filter_map(|item| item["text"].as_str()).find(|text| !text.is_empty()) {
            return Ok(Some(text.to_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_plain_or_as_events() {
        let plain = r#"{"result":{"content":[{"type":"text","text":""},{"type":"text","text":"found"}]}}"#;
        assert_eq!(answer(plain).unwrap().as_deref(), Some("found"));
        let events = format!("event: message\ndata: [DONE]\ndata: {plain}\n\n");
        assert_eq!(answer(&events).unwrap().as_deref(), Some("found"));
        assert_eq!(answer("data: {\"result\":{\"content\":[]}}").unwrap(), None);
        assert_eq!(answer("").unwrap(), None);
    }

    #[test]
    fn failures_are_told() {
        assert!(answer("{ broken").unwrap_err().to_string().contains("not JSON"));
        let refused = answer(r#"{"error":{"code":-1,"message":"quota"}}"#).unwrap_err().to_string();
        assert_eq!(refused, "The code search failed: quota");
    }
}
