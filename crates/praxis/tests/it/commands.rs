//! `praxis command`.

use serde_json::{Value, json};

use crate::project;

#[test]
fn commands_come_from_us_from_json_and_from_markdown() {
    let project = project()
        .file(
            "praxis.json",
            r#"{"command":{"fix":{"template":"Fix $1 in $2","description":"Mend it","agent":"build"}}}"#,
        )
        .file(
            ".opencode/command/team/ship.md",
            "---\ndescription: Ship it\nsubtask: true\n---\n\nShip $ARGUMENTS now.\n",
        );
    let shown = project.run(&["command", "list"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert_eq!(
        shown.stdout,
        "/fix $1 $2             project   Mend it\n\
         /init $ARGUMENTS       built-in  Write or improve this project's AGENTS.md\n\
         /review $ARGUMENTS     built-in  Review a change: what is not committed, or a commit, branch or pull request\n\
         /team/ship $ARGUMENTS  project   Ship it\n"
    );
    let listed = project.run(&["command", "list", "--json"]).json();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|command| &command["name"]).collect();
    assert_eq!(names, ["fix", "init", "review", "team/ship"]);
    assert_eq!(
        listed[3],
        json!({
            "name": "team/ship", "description": "Ship it", "agent": null, "model": null, "variant": null,
            "subtask": true, "template": "Ship $ARGUMENTS now.", "hints": ["$ARGUMENTS"], "source": "project",
            "file": project.directory().join(".opencode/command/team/ship.md"),
        })
    );
}
