//! What one call costs around the tool itself. Budget: under 20 µs through registry, validation and bounding.

use std::sync::Arc;

use divan::Bencher;
use praxis_proto::{Action, CallId, Mint, Report, Rule, SessionId};
use praxis_text::Limits;
use praxis_tools::registry::{Fixed, Scene, SourceKind};
use praxis_tools::{
    Attendance, Authority, Bus, Cx, CxParts, Instance, NoGrants, Offer, OutputStore, Permissions,
    PermissionsParts, Registry, Tool, ToolError, system_clock,
};
use serde_json::json;

fn main() {
    divan::main();
}

/// Does nothing.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only decoding is measured")]
struct Input {
    /// A file.
    file: String,
    /// Some lines.
    lines: Option<u32>,
}

struct Nothing;

impl Tool for Nothing {
    type Input = Input;

    const NAME: &'static str = "nothing";

    async fn run(&self, _: Input, _: &Cx) -> Result<Report, ToolError> {
        Ok(Report::new("nothing", "done"))
    }
}

fn setting(runtime: &tokio::runtime::Runtime) -> (Offer, Cx) {
    let clock = system_clock();
    let mint = Arc::new(Mint::new({
        let clock = Arc::clone(&clock);
        move || clock()
    }));
    let bus = Bus::default();
    let permissions = Permissions::open(PermissionsParts {
        mint: Arc::clone(&mint),
        bus: bus.clone(),
        store: Arc::new(NoGrants),
        clock,
        attendance: Attendance::Unattended,
        observers: vec![],
        hooks: vec![],
    });
    let authority = Authority::new(vec![Rule::built_in("bench", "*", "*", Action::Allow)]);
    let outputs = OutputStore::new(std::env::temp_dir(), Arc::clone(&mint), Limits::default());
    let registry = Registry::new(outputs).with(Fixed::new("bench", SourceKind::Custom).tool(Nothing));
    let offer = runtime.block_on(registry.resolve(&Scene::for_agent(authority.clone())));
    let cx = Cx::new(CxParts {
        session: SessionId::from_raw("ses_bench"),
        message: mint.message(),
        call: CallId::from_raw("call"),
        agent: "build".into(),
        authority,
        instance: Arc::new(Instance::open(&std::env::temp_dir(), None).unwrap_or_else(|e| panic!("{e}"))),
        permissions: Arc::new(permissions.unwrap_or_else(|e| panic!("{e}"))),
        bus,
        cancel: Default::default(),
    });
    (offer, cx)
}

#[divan::bench(sample_count = 200, sample_size = 50)]
fn no_op_call(bencher: Bencher) {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|e| panic!("{e}"));
    let (offer, cx) = setting(&runtime);
    bencher.bench_local(|| {
        let done = runtime.block_on(offer.call("nothing", json!({ "file": "a.rs", "lines": 3 }), &cx));
        assert!(done.outcome.is_ok());
    });
}
