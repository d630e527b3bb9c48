//! Which tools are offered, and what one bad source cannot do.

use praxis_policy::Authority;
use praxis_proto::{Action, Rule};
use praxis_tools::registry::{
    Client, Definition, Fixed, Loaded, Reach, Scene, Source, SourceFailure, SourceKind, Switches, Withheld,
};
use praxis_tools::{Boxed, Cx, Extension, Hooked, Hooks, Report, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::lab::Lab;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A tool whose name and voice are given.
struct Voice<const N: usize>(&'static str);

macro_rules! voice {
    ($n:literal, $name:literal) => {
        impl Tool for Voice<$n> {
            type Input = Nothing;
            const NAME: &'static str = $name;

            async fn run(&self, _: Nothing, _: &Cx) -> Result<Report, ToolError> {
                Ok(Report::new("", self.0))
            }
        }
    };
}

voice!(0, "edit");
voice!(1, "read");
voice!(2, "apply_patch");
voice!(3, "websearch");
voice!(4, "bad name");

struct Broken;

impl Source for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Custom
    }

    fn tools(&self) -> Boxed<'_, Loaded> {
        Box::pin(async { Err(SourceFailure("syntax error in tool/x.ts:3".into())) })
    }
}

struct Explodes;

impl Source for Explodes {
    fn name(&self) -> &str {
        "explodes"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Plugin
    }

    fn tools(&self) -> Boxed<'_, Loaded> {
        Box::pin(async { panic!("while loading") })
    }
}

/// Which of some tools are offered.
async fn offered<'a>(lab: &Lab, scene: &Scene, of: &[&'a str]) -> Vec<&'a str> {
    let offer = lab.registry.resolve(scene).await;
    of.iter().copied().filter(|name| offer.names().any(|offered| offered == *name)).collect()
}

#[tokio::test]
async fn tools_are_sorted_and_invalid_is_not_shown() {
    let lab = Lab::open().start();
    let offer = lab.registry.resolve(&lab.scene).await;
    assert!(offer.names().is_sorted() && offer.names().all(|name| name != "invalid"));
    let order = ["invalid", "question", "read", "glob", "grep", "edit", "write", "todowrite", "apply_patch"];
    let ids = lab.registry.ids().await;
    let found: Vec<&String> = ids.iter().filter(|id| order.contains(&id.as_str())).collect();
    assert_eq!(found, order);
}

#[tokio::test]
async fn tools_of_the_seeds_are_switched_on_and_questions_need_a_client() {
    let switches = Switches { batch: true, todoread: true, ..Switches::default() };
    let lab = Lab::open().switches(switches).start();
    let of = ["batch", "codesearch", "question", "todoread"];
    assert_eq!(offered(&lab, &lab.scene, &of).await, ["batch", "question", "todoread"]);
    let headless = Scene { client: Client::Headless, ..lab.scene.clone() };
    assert_eq!(offered(&lab, &headless, &of).await, ["batch", "todoread"]);
    assert_eq!(lab.registry.resolve(&headless).await.withheld("question"), Some(Withheld::Client));
    let asked = Switches { question: true, ..switches };
    let headless = Scene { switches: asked, ..headless };
    assert_eq!(offered(&lab, &headless, &of).await, ["batch", "question", "todoread"]);
}

#[tokio::test]
async fn who_names_a_tool_reaches_all_of_them_but_not_past_the_rules() {
    let lab = Lab::open().rule("read", "*", Action::Deny).start();
    let turn = lab.registry.resolve(&lab.scene).await;
    assert_eq!(turn.withheld("read"), Some(Withheld::Denied));
    assert_eq!(turn.withheld("batch"), Some(Withheld::SwitchedOff("batch_tool")));
    let all = lab.registry.resolve(&Scene { reach: Reach::Everything, ..lab.scene.clone() }).await;
    assert!(
        ["batch", "codesearch", "read", "apply_patch", "edit"].iter().all(|name| all.get(name).is_some())
    );
    lab.file("a.txt", "secret");
    let done = all.call("read", json!({ "filePath": "a.txt" }), &lab.cx("ses_test")).await;
    assert!(done.outcome.unwrap_err().to_string().contains("read is denied by built-in test `read *`"));
}

#[tokio::test]
async fn one_broken_source_never_hides_the_others() {
    let custom = Fixed::new("good", SourceKind::Custom).tool(Voice::<0>("custom"));
    let lab = Lab::open().source(Broken).source(Explodes).source(custom).start();
    let offer = lab.registry.resolve(&lab.scene).await;
    assert!(offer.names().any(|name| name == "edit") && offer.names().any(|name| name == "read"));
    let told: Vec<_> = offer.problems().iter().map(|p| format!("{}: {}", p.source, p.failure)).collect();
    assert_eq!(told, ["broken: syntax error in tool/x.ts:3", "explodes: crashed while loading"]);
}

#[tokio::test]
async fn the_last_tool_of_a_name_wins_in_the_order_of_kinds() {
    let plugin = Fixed::new("plugin", SourceKind::Plugin).tool(Voice::<1>("from a plugin"));
    let custom = Fixed::new("custom", SourceKind::Custom).tool(Voice::<1>("from a file"));
    let lab = Lab::open().source(plugin).source(custom).start();
    assert_eq!(lab.output("read", json!({})).await, "from a plugin");
    assert_eq!(lab.registry.ids().await.iter().filter(|id| *id == "read").count(), 3);
}

#[tokio::test]
async fn model_filters_reach_overriding_tools_too() {
    let custom = Fixed::new("custom", SourceKind::Custom)
        .tool(Voice::<0>("edit"))
        .tool(Voice::<2>("patch"))
        .tool(Voice::<3>("web"));
    let lab = Lab::open().source(custom).start();
    let with = |model: &str| {
        let model = praxis_tools::registry::ModelRef::parse(model);
        Scene { model, ..lab.scene.clone() }
    };
    let of = ["apply_patch", "edit", "websearch"];
    assert_eq!(offered(&lab, &with("openai/gpt-5"), &of).await, ["apply_patch"]);
    assert_eq!(offered(&lab, &with("anthropic/claude"), &of).await, ["edit"]);
    assert_eq!(offered(&lab, &with("opencode/grok-code"), &of).await, ["edit", "websearch"]);
}

#[tokio::test]
async fn rules_and_the_users_message_hide_tools() {
    let lab = Lab::open().start();
    let denied = Authority::new(vec![
        Rule::built_in("t", "*", "*", Action::Allow),
        Rule::built_in("t", "read", "*", Action::Deny),
    ]);
    let scene = Scene { authority: denied, ..lab.scene.clone() };
    let of = ["question", "read", "todowrite"];
    assert_eq!(offered(&lab, &scene, &of).await, ["question", "todowrite"]);
    let scene = Scene { off: ["todowrite".to_owned()].into(), ..lab.scene.clone() };
    assert_eq!(offered(&lab, &scene, &of).await, ["question", "read"]);
}

#[tokio::test]
async fn a_hidden_tool_cannot_be_called() {
    let lab = Lab::open().rule("read", "*", Action::Deny).start();
    lab.file("a.txt", "secret");
    let done = lab.call("read", json!({ "filePath": "a.txt" })).await;
    assert_eq!(done.tool, "invalid");
    assert!(!done.outcome.unwrap().output.contains("secret"));
}

#[tokio::test]
async fn a_name_no_provider_takes_is_a_problem_and_not_a_tool() {
    let lab = Lab::open().source(Fixed::new("x", SourceKind::Custom).tool(Voice::<4>(""))).start();
    let offer = lab.registry.resolve(&lab.scene).await;
    assert_eq!(offer.problems()[0].source, "bad name");
    assert!(offer.names().all(|name| name != "bad name"));
}

/// Rewrites what the model is told.
struct Retells;

impl Extension for Retells {
    fn name(&self) -> &str {
        "retells"
    }
}

impl Hooks for Retells {
    fn definition<'a>(&'a self, definition: &'a mut Definition) -> Hooked<'a> {
        Box::pin(async move {
            if definition.name == "read" {
                definition.description = "Look.".into();
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_hook_may_retell_a_definition() {
    let lab = Lab::open().hook(Retells).start();
    let offer = lab.registry.resolve(&lab.scene).await;
    let read = offer.definitions().find(|definition| definition.name == "read").unwrap();
    assert_eq!(read.description, "Look.");
}

#[tokio::test]
async fn definitions_are_the_same_bytes_every_time() {
    let switches = Switches { batch: true, todoread: true, ..Switches::default() };
    let lab = Lab::open().switches(switches).start();
    let mut seen: Vec<Vec<Value>> = Vec::new();
    for _ in 0..3 {
        let offer = lab.registry.resolve(&lab.scene).await;
        seen.push(offer.definitions().map(|definition| serde_json::to_value(definition).unwrap()).collect());
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}
