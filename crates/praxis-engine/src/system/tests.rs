//! Whole system texts, as the models get them.

use std::path::PathBuf;

use praxis_policy::Authority;
use praxis_proto::{Action, Rule};
use serde_json::Map;

use super::*;

fn agent(name: &str, mode: AgentMode) -> Agent {
    Agent {
        name: name.to_owned(),
        description: None,
        mode,
        hidden: false,
        built_in: true,
        authority: Authority::new(vec![Rule::built_in("test", "*", "*", Action::Allow)]),
        model: None,
        variant: None,
        temperature: None,
        top_p: None,
        prompt: None,
        steps: None,
        color: None,
        options: Map::new(),
    }
}

fn setting() -> Setting {
    Setting {
        directory: PathBuf::from("/work/shop/api"),
        root: PathBuf::from("/work/shop"),
        git: true,
        platform: "linux".to_owned(),
        day: "2026-11-15".to_owned(),
        references: Vec::new(),
        instructions: Vec::new(),
    }
}

const MODEL: ModelFacts<'static> =
    ModelFacts { provider: "anthropic", id: "claude-sonnet-4-5", name: "Claude Sonnet 4.5" };

fn input<'a>(agent: &'a Agent, setting: &'a Setting) -> SystemInput<'a> {
    SystemInput { agent, model: MODEL, setting, servers: &[], skills: &[], structured: false, system: None }
}

fn texts(input: &SystemInput<'_>) -> Vec<String> {
    blocks(input).into_iter().map(|block| block.0.to_string()).collect()
}

#[test]
fn every_family_is_told_the_base_and_its_own() {
    let (build, setting) = (agent("build", AgentMode::Primary), setting());
    for (model, family) in [
        ("x/small", Family::Default),
        ("anthropic/claude", Family::Anthropic),
        ("openai/gpt-5", Family::Gpt),
        ("openai/gpt-5-codex", Family::Codex),
        ("openai/gpt-4.1", Family::Autonomous),
        ("google/gemini-3", Family::Gemini),
        ("moonshotai/k2", Family::Kimi),
        ("arcee/trinity", Family::Trinity),
        ("meta/muse", Family::Muse),
    ] {
        let (provider, id) = model.split_once('/').unwrap();
        let model = ModelFacts { provider, id, name: "A Model" };
        let [role, place] = texts(&SystemInput { model, ..input(&build, &setting) }).try_into().unwrap();
        assert!(role.starts_with("You are Praxis, a coding agent."), "{family:?}");
        assert!(place.starts_with(&format!("You run on the model A Model ({provider}/{id}).\n<env>")));
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../../snapshots" }, {
            insta::assert_snapshot!(format!("system-{family:?}").to_lowercase(), role);
        });
    }
}

#[test]
fn the_second_block_tells_everything_else_in_order() {
    let setting = Setting {
        references: vec![
            ReferenceText { name: "design".into(), path: "/work/design".into(), description: None },
            ReferenceText {
                name: "sdk".into(),
                path: "/opt/sdk".into(),
                description: Some("the vendor's library".into()),
            },
        ],
        instructions: vec![
            InstructionText { source: "/work/shop/AGENTS.md".into(), text: Ok("Use tabs.".into()) },
            InstructionText { source: "https://x.test/rules".into(), text: Err("no answer".into()) },
        ],
        ..setting()
    };
    let servers = [
        ServerText { name: "zoo".into(), text: "Ask for animals.".into(), tools: vec!["zoo_find".into()] },
        ServerText { name: "bank\">".into(), text: " Count twice.\n".into(), tools: vec![] },
        ServerText { name: "off".into(), text: "Never seen.".into(), tools: vec!["off_a".into()] },
    ];
    let skills = [
        SkillText { name: "release".into(), description: "How to\nrelease".into() },
        SkillText { name: "audit".into(), description: "How to audit".into() },
    ];
    let mut build = agent("build", AgentMode::Primary);
    build.authority = build.authority.followed_by(&[Rule::built_in("test", "off_*", "*", Action::Deny)]);
    let input = SystemInput {
        servers: &servers,
        skills: &skills,
        structured: true,
        system: Some("Answer in French."),
        ..input(&build, &setting)
    };
    insta::assert_snapshot!(texts(&input)[1], @r#"
    You run on the model Claude Sonnet 4.5 (anthropic/claude-sonnet-4-5).
    <env>
    Working directory: /work/shop/api
    Workspace root: /work/shop
    Git repository: yes
    Platform: linux
    Today's date: 2026-11-15 (UTC)
    </env>

    Further directories that you may read when the task needs it:
    <references>
    - design: /work/design
    - sdk: /opt/sdk (the vendor's library)
    </references>

    Instructions from: /work/shop/AGENTS.md
    Use tabs.

    Instructions from: https://x.test/rules
    (not available: no answer)

    <mcp_server name="bank">
    Count twice.
    </mcp_server>
    <mcp_server name="zoo">
    Ask for animals.
    </mcp_server>

    Skills are guides for particular kinds of work. Load one with the `skill` tool when the task fits:
    <available_skills>
    - audit: How to audit
    - release: How to release
    </available_skills>

    The answer to this request must be given by calling the `StructuredOutput` tool with arguments that fit its schema. Work with the other tools first as you need to; then call it, once, instead of answering in text.

    Answer in French.
    "#);

    let denied = build.authority.followed_by(&[Rule::built_in("test", "skill", "*", Action::Deny)]);
    let careful = Agent { authority: denied, ..build.clone() };
    assert!(!texts(&SystemInput { agent: &careful, ..input })[1].contains("available_skills"));
}

#[test]
fn an_agent_with_a_prompt_is_told_that_and_a_helper_who_reads_its_answer() {
    let setting = setting();
    let own = Agent { prompt: Some("Be kind.\n".into()), ..agent("build", AgentMode::Primary) };
    assert_eq!(texts(&input(&own, &setting))[0], "Be kind.");
    let blank = Agent { prompt: Some("  ".into()), ..agent("build", AgentMode::Primary) };
    assert_eq!(texts(&input(&blank, &setting))[0], Family::Anthropic.text().trim_end());
    let general = agent("general", AgentMode::Subagent);
    let whole = format!("{}{}", Family::Anthropic.text(), prompts::HELPER);
    assert_eq!(texts(&input(&general, &setting))[0], whole.trim_end());
    for (name, start) in [
        ("explore", "You are Praxis in its role as a scout"),
        ("title", "You give conversations their titles"),
        ("summary", "You sum up what was done"),
        ("compaction", "You shorten conversations"),
    ] {
        let agent = agent(name, AgentMode::Primary);
        assert!(texts(&input(&agent, &setting))[0].starts_with(start), "{name}");
        assert_eq!(bare_blocks(&agent, MODEL, None).len(), 1);
        assert_eq!(&*bare_blocks(&agent, MODEL, Some("More."))[1].0, "More.");
    }
}

#[test]
fn what_changes_between_turns_leaves_the_first_block_and_the_beginning_of_the_second() {
    let (build, setting) = (agent("build", AgentMode::Primary), setting());
    let plain = texts(&input(&build, &setting));
    let other = texts(&SystemInput { structured: true, system: Some("x"), ..input(&build, &setting) });
    assert_eq!(texts(&input(&build, &setting)), plain);
    assert_eq!(plain[0], other[0]);
    assert!(other[1].starts_with(&plain[1]));
}

#[test]
fn what_servers_and_skills_say_is_bounded() {
    let (build, setting) = (agent("build", AgentMode::Primary), setting());
    let long = "é".repeat(MOST_SERVER_BYTES);
    let servers = [ServerText { name: "s".into(), text: long, tools: vec![] }];
    let skill = |n: usize| SkillText { name: format!("s{n:03}"), description: "d".repeat(5_000) };
    let skills: Vec<SkillText> = (0..=MOST_SKILLS).map(skill).collect();
    let text = &texts(&SystemInput { servers: &servers, skills: &skills, ..input(&build, &setting) })[1];
    assert!(
        text.contains(&format!(
            "(cut here: {MOST_SERVER_BYTES} of {} bytes are shown)",
            2 * MOST_SERVER_BYTES
        ))
    );
    assert!(text.contains("- and 1 more, which the `skill` tool lists"));
    assert!(text.len() < MOST_SERVER_BYTES + MOST_SKILLS * (MOST_SKILL_CHARS + 20) + 2_000);
}
