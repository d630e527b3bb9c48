//! Where calls to tools that do not exist end up, so that the model reads why.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Cx, Report, Tool, ToolError};

/// Not for use.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The tool that was called.
    tool: String,
    /// What is wrong with the call.
    error: String,
}

/// Explains a call that could not be made.
#[derive(Debug, Clone, Copy)]
pub struct Invalid;

impl Tool for Invalid {
    type Input = Input;

    const NAME: &'static str = "invalid";

    async fn run(&self, input: Input, _: &Cx) -> Result<Report, ToolError> {
        let Input { tool, error } = input;
        Ok(Report::new("Invalid Tool", format!("The call to the tool `{tool}` is invalid: {error}")))
    }
}
