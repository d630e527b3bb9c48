//! What a tool is: to its author a typed function, to everybody else a name, a text, a schema and a body.

use std::any::type_name;
use std::pin::Pin;
use std::time::Duration;

use praxis_proto::Report;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::registry::Scene;
use crate::schema::{Shape, wire};
use crate::{Cx, ToolError};

/// A boxed future, where a trait must be usable behind a pointer.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long a call may take unless its tool says otherwise. Time spent waiting for the user does not count.
pub const DEFAULT_DEADLINE: Duration = Duration::from_mins(10);

/// A capability the model may call.
///
/// The doc comment of `Input` is the description the model reads, those of its fields are the parameter help, and
/// the schema is derived. Decoding, validating, cancelling, timing, bounding and tracing happen around `run`.
pub trait Tool: Send + Sync + 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// The name on the wire and, unless the tool asks for another, its permission.
    const NAME: &'static str;

    /// Does the work. Dropping the future must be safe at any point: that is how a call is cancelled.
    fn run(&self, input: Self::Input, cx: &Cx) -> impl Future<Output = Result<Report, ToolError>> + Send;

    /// The description, when it depends on the moment; `text` is the doc comment.
    fn describe(&self, text: &str, scene: &Scene) -> String {
        let _ = scene;
        text.to_owned()
    }

    /// The longest a call may take; `None` for tools that wait for people or bring their own clock.
    fn deadline(&self) -> Option<Duration> {
        Some(DEFAULT_DEADLINE)
    }
}

/// What the registry holds. Implement [`Tool`] instead, unless the schema is only known at run time.
pub trait AnyTool: Send + Sync {
    /// The name on the wire.
    fn name(&self) -> &str;

    /// The description for this moment.
    fn description(&self, scene: &Scene) -> String;

    /// The schema on the wire.
    fn schema(&self) -> &Value;

    /// The same schema, ready to check arguments.
    fn shape(&self) -> &Shape;

    /// The longest a call may take.
    fn deadline(&self) -> Option<Duration>;

    /// Runs with arguments that fit the shape.
    fn run<'a>(&'a self, arguments: Value, cx: &'a Cx) -> Boxed<'a, Result<Report, ToolError>>;
}

/// A typed tool with its schema derived, once.
pub struct Typed<T> {
    tool: T,
    text: String,
    schema: Value,
    shape: Shape,
}

impl<T: Tool> Typed<T> {
    /// Derives text and schema from the input type.
    pub fn new(tool: T) -> Self {
        let (text, schema) = wire::derive::<T::Input>();
        let shape = Shape::compile(&schema);
        Self { tool, text, schema, shape }
    }
}

impl<T: Tool> AnyTool for Typed<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn description(&self, scene: &Scene) -> String {
        self.tool.describe(&self.text, scene)
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn deadline(&self) -> Option<Duration> {
        self.tool.deadline()
    }

    fn run<'a>(&'a self, arguments: Value, cx: &'a Cx) -> Boxed<'a, Result<Report, ToolError>> {
        Box::pin(async move {
            let input = serde_path_to_error::deserialize(arguments).map_err(|e| ToolError::Arguments {
                tool: T::NAME.to_owned(),
                detail: crate::schema::serde_detail(&e),
            })?;
            self.tool.run(input, cx).await
        })
    }
}

impl<T> std::fmt::Debug for Typed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Typed").field("tool", &type_name::<T>()).finish_non_exhaustive()
    }
}
