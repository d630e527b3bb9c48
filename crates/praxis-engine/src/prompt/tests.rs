//! Prompts and the messages they become.

use praxis_tools::Boxed;
use serde_json::{Value, json};

use super::*;
use crate::lab::{Lab, NOW, draft, model, session};
use crate::prompt::mention::{self, Lookup};

fn parts(value: Value) -> Vec<PromptPart> {
    serde_json::from_value(value).unwrap()
}

/// Every part on its own, without ids, media cut short.
fn told(lab: &Lab, drafted: &Drafted) -> String {
    let line = |part: &Part| match &part.body {
        PartBody::Text(text) => {
            let mark = if text.synthetic == Some(true) { "+" } else { ">" };
            format!("{mark} {}", text.text.trim_end())
        }
        PartBody::File(file) => {
            let url: String = file.url.chars().take(60).collect();
            format!("# {} {} {url}", file.mime, file.filename.as_deref().unwrap_or("-"))
        }
        other => format!("* {}", serde_json::to_string(other).unwrap()),
    };
    let lines: Vec<String> = drafted.parts.iter().map(line).collect();
    lab.plain(&lines.join("\n"))
}

fn file(lab: &Lab, name: &str) -> String {
    file_url(&lab.directory().join(name))
}

#[tokio::test]
async fn files_and_folders_are_attached_as_the_read_tool_shows_them() {
    let lab = Lab::new().file("src/a.rs", "one\ntwo\nthree\n").file("src/b.rs", "");
    let range = format!("{}?start=2&end=3", file(&lab, "src/a.rs"));
    let sent = parts(json!([
        { "type": "text", "text": "look" },
        { "type": "file", "mime": "text/plain", "filename": "a.rs", "url": range, "id": "prt_mine" },
        { "type": "file", "mime": "text/plain", "filename": "a.rs", "url": range },
        { "type": "file", "mime": "application/x-directory", "filename": "src/", "url": file(&lab, "src") },
    ]));
    let drafted = draft(&lab.open(), sent).await;
    insta::assert_snapshot!(told(&lab, &drafted), @r#"
    > look
    + The user attached this; the `read` tool was called with {"filePath":"/project/src/a.rs","offset":2,"limit":2} and gave:
    + <path>/project/src/a.rs</path>
    <type>file</type>
    <content>
    2: two
    3: three

    (End of file - total 3 lines)
    </content>
    # text/plain a.rs file:///project/src/a.rs?start=2&end=3
    + The user attached this; the `read` tool was called with {"filePath":"/project/src"} and gave:
    + <path>/project/src</path>
    <type>directory</type>
    <entries>
    a.rs
    b.rs

    (2 entries)
    </entries>
    # application/x-directory src/ file:///project/src
    "#);
    assert_eq!(drafted.parts[3].id.as_str(), "prt_mine");
    assert!(drafted.problems.is_empty());
    let first: Vec<&str> = drafted.parts.iter().map(|part| part.message.as_str()).collect();
    assert!(first.iter().all(|message| *message == drafted.message.id.as_str()));
}

#[tokio::test]
async fn what_cannot_be_read_becomes_a_note_and_an_error() {
    let lab = Lab::new().file("x.bin", [0_u8, 1, 2]);
    let workbench = lab.open();
    let mut events = workbench.bus.subscribe();
    let sent = parts(json!([
        { "type": "file", "mime": "text/plain", "url": file(&lab, "gone.rs") },
        { "type": "file", "mime": "text/plain", "filename": "x.bin", "url": file(&lab, "x.bin") },
        { "type": "file", "mime": "image/png", "url": "https://x.test/a.png?key=1" },
        { "type": "file", "mime": "image/png", "filename": "shot", "url": "data:image/png;base64,AAAA" },
    ]));
    let drafted = draft(&workbench, sent).await;
    insta::assert_snapshot!(told(&lab, &drafted), @r#"
    + The user attached `file:///project/gone.rs`, and it could not be had: File not found: /project/gone.rs
    + The user attached `x.bin`, and it could not be had: Cannot read binary file: /project/x.bin
    + The user attached `https://x.test/a.png`, and it could not be had: only files of this machine and data addresses are attached; fetch it first
    + The user attached `shot`, and it could not be had: it is neither a PNG, JPEG, GIF or WebP picture nor a PDF
    "#);
    assert_eq!(drafted.problems.len(), 4);
    assert!(matches!(events.try_recv(), Ok(praxis_proto::Event::SessionError { .. })));
}

#[tokio::test]
async fn data_is_decoded_and_pictures_are_looked_at() {
    const DOT: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let lab = Lab::new();
    let sent = parts(json!([
        { "type": "file", "mime": "text/csv", "filename": "t.csv", "url": "data:text/csv;base64,YSxiCg==" },
        { "type": "file", "mime": "image/png", "filename": "dot.png", "url": format!("data:image/png;base64,{DOT}") },
        { "type": "file", "mime": "audio/wav", "filename": "a.wav", "url": "data:audio/wav;base64,AAAA" },
    ]));
    let drafted = draft(&lab.open(), sent).await;
    insta::assert_snapshot!(told(&lab, &drafted), @r#"
    + The user attached `t.csv`, which is not a file of the project. Its text:
    + a,b
    # text/plain t.csv data:text/csv;base64,YSxiCg==
    # image/png dot.png data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAA
    # audio/wav a.wav data:audio/wav;base64,AAAA
    "#);
}

#[tokio::test]
async fn sound_is_attached_as_it_is() {
    let lab = Lab::new().file("a.wav", "RIFF");
    let sent = parts(json!([{ "type": "file", "mime": "audio/wav", "url": file(&lab, "a.wav") }]));
    let drafted = draft(&lab.open(), sent).await;
    insta::assert_snapshot!(told(&lab, &drafted), @r"
    + The user attached the file /project/a.wav:
    # audio/wav - data:audio/wav;base64,UklGRg==
    ");
}

#[tokio::test]
async fn attachments_that_leave_no_room_are_told() {
    let text = format!("data:text/plain,{}", "x".repeat(200 << 10));
    let many: Vec<Value> = (0..12)
        .map(|n| json!({ "type": "file", "mime": "text/plain", "filename": format!("{n}"), "url": format!("{text}{n}") }))
        .collect();
    let drafted = draft(&Lab::new().open(), parts(Value::from(many))).await;
    assert_eq!(
        drafted.problems,
        ["10", "11"].map(|n| format!(
            "`{n}` is not attached: the attachments before it leave no room for it in this message"
        ))
    );
}

#[tokio::test]
async fn the_user_may_attach_what_the_agent_may_not_read_and_a_template_may_not() {
    let deny = r#"{"permission":{"read":{"*.key":"deny"}}}"#;
    let lab = Lab::new().file("praxis.json", deny).file("a.key", "secret\n").home_file("b.txt", "outside\n");
    let workbench = lab.open();
    let text = "see @a.key and @~/b.txt";
    let named = mention::parts(text, &Lookup::of(&workbench));
    assert_eq!(named.len(), 2);
    let drafted = draft(&workbench, named.clone()).await;
    assert!(drafted.problems.is_empty() && told(&lab, &drafted).contains("1: secret"), "{drafted:?}");

    let by_template = |part| PromptPart { by: Attached::ByTemplate, ..part };
    let drafted = draft(&workbench, named.into_iter().map(by_template).collect()).await;
    assert_eq!(drafted.problems.len(), 2, "{drafted:?}");
    assert!(drafted.problems[0].contains("praxis.json:1 `read *.key`"), "{:?}", drafted.problems);
    assert!(!told(&lab, &drafted).contains("secret"));
}

#[tokio::test]
async fn an_agent_that_is_named_is_to_be_called() {
    let lab = Lab::new();
    let sent = parts(json!([
        { "type": "agent", "name": "explore", "source": { "value": "@explore", "start": 0, "end": 8 } },
        { "type": "agent", "name": "nobody" },
        { "type": "subtask", "prompt": "p", "description": "d", "agent": "general" },
    ]));
    let drafted = draft(&lab.open(), sent).await;
    insta::assert_snapshot!(told(&lab, &drafted), @r#"
    * {"type":"agent","name":"explore","source":{"value":"@explore","start":0,"end":8}}
    + The user named the agent `explore`: hand it what the message wants of it with the `task` tool, with `subagent_type` "explore".
    * {"type":"agent","name":"nobody"}
    + The user named an agent `nobody`, and there is none of that name.
    * {"type":"subtask","prompt":"p","description":"d","agent":"general"}
    "#);
}

#[test]
fn mentions_lead_to_files_folders_and_agents_each_once() {
    let lab = Lab::new().file("src/a b.rs", "").file("src/c.rs", "").home_file("notes.md", "");
    let workbench = lab.open();
    let text = "@src/c.rs, (@src/c.rs) @src @~/notes.md @explore: @gone.rs @plan. me@src";
    let shown = |part: &PromptPart| match &part.body {
        PromptBody::File(file) => lab.plain(&format!("{} {}", file.mime, file.url)),
        PromptBody::Agent(agent) => format!("agent {}", agent.name),
        other => format!("{other:?}"),
    };
    let named: Vec<String> = mention::parts(text, &Lookup::of(&workbench)).iter().map(shown).collect();
    assert_eq!(
        named,
        [
            "text/plain file:///project/src/c.rs",
            "application/x-directory file:///project/src",
            "text/plain file:///home/notes.md",
            "agent explore",
            "agent plan",
        ]
    );
}

struct Shelf;

impl Resources for Shelf {
    fn read<'a>(&'a self, server: &'a str, uri: &'a str) -> Boxed<'a, Result<Vec<ResourceContent>, String>> {
        Box::pin(async move {
            let blob = |mime: &str, bytes: Vec<u8>| ResourceContent::Blob { mime: mime.into(), bytes };
            Ok(vec![
                ResourceContent::Text(format!("{uri} of {server}")),
                blob("application/zip", vec![1]),
                blob("application/pdf", b"%PDF-1.7".to_vec()),
            ])
        })
    }
}

#[tokio::test]
async fn resources_of_servers_are_read_through_their_port() {
    let lab = Lab::new();
    let workbench = lab.open();
    let sent = json!([{ "type": "file", "mime": "text/plain", "filename": "page", "url": "wiki://1",
        "source": { "type": "resource", "clientName": "wiki", "uri": "wiki://1", "text": { "value": "@p", "start": 0, "end": 2 } } }]);
    let agent = workbench.agents.get(None).unwrap();
    let standing = Standing { agent, model: model(), now: NOW, cancel: CancellationToken::new() };
    let input = PromptInput::new(session(), parts(sent.clone()));
    let drafter = Drafter::new(&workbench).with_resources(&Shelf);
    let drafted = drafter.draft(input, standing).await.unwrap();
    insta::assert_snapshot!(told(&lab, &drafted), @r#"
    + The user attached `wiki://1` of the MCP server `wiki`:
    + wiki://1 of wiki
    + (application/zip of page is left out: it is neither text nor a picture nor a PDF)
    # application/pdf page data:application/pdf;base64,JVBERi0xLjc=
    # text/plain page wiki://1
    "#);
    let alone = draft(&workbench, parts(sent)).await;
    assert_eq!(alone.problems, ["`page` is not attached: no server `wiki` is connected"]);
}

#[tokio::test]
async fn the_message_says_who_answers_how_and_with_which_tools() {
    let lab = Lab::new();
    let workbench = lab.open();
    let input: PromptInput = serde_json::from_value(json!({
        "sessionID": "ses_lab", "messageID": "msg_mine", "variant": "high", "noReply": true, "system": "Be brief.",
        "format": { "type": "json_schema", "schema": {} }, "tools": { "bash": false, "read": true },
        "parts": [{ "type": "text", "text": "hi" }],
    }))
    .unwrap();
    assert!(input.no_reply);
    let agent = workbench.agents.get(Some("plan")).unwrap();
    let standing = Standing { agent, model: model(), now: NOW, cancel: CancellationToken::new() };
    let drafted = Drafter::new(&workbench).draft(input, standing).await.unwrap();
    assert_eq!(
        serde_json::to_value(praxis_proto::Message::User(drafted.message)).unwrap(),
        json!({ "role": "user", "id": "msg_mine", "sessionID": "ses_lab", "time": { "created": NOW },
            "format": { "type": "json_schema", "schema": {} }, "agent": "plan",
            "model": { "providerID": "scripted", "modelID": "lab", "variant": "high" },
            "system": "Be brief.", "tools": { "bash": false, "read": true } })
    );
    assert_eq!(
        serde_json::to_value(drafted.rules).unwrap(),
        json!([{ "permission": "bash", "pattern": "*", "action": "deny" },
            { "permission": "read", "pattern": "*", "action": "allow" }])
    );
}

#[test]
fn a_prompt_has_a_most_of_parts_and_of_text() {
    let of = |count: usize, text: &str| check(&vec![PromptPart::text(text); count]);
    assert_eq!(of(MOST_PARTS, "x"), Ok(()));
    assert_eq!(of(MOST_PARTS + 1, ""), Err(PromptError::TooManyParts(MOST_PARTS + 1)));
    assert_eq!(of(1, &"x".repeat(MOST_TEXT)), Ok(()));
    assert_eq!(of(1, &"x".repeat(MOST_TEXT + 1)), Err(PromptError::TooLong(MOST_TEXT + 1)));
}
