//! The HTTP server.

use schemars::JsonSchema;
use serde::Deserialize;

/// The HTTP server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ServerConfig {
    /// The port to listen on.
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
    /// The address to listen on.
    pub hostname: Option<String>,
    /// Announce the server on the local network.
    pub mdns: Option<bool>,
    /// The domain it is announced under.
    #[serde(rename = "mdnsDomain")]
    pub mdns_domain: Option<String>,
    /// Further origins that browsers may call from.
    pub cors: Vec<String>,
}
