//! Every mistake is answered with its place and with what would be right.

use praxis_llm::script::Script;

fn mistake(text: &str) -> String {
    Script::parse("s.yaml", text).unwrap_err().to_string()
}

/// The mistakes of turns, one a line.
fn mistakes(turns: &[&str]) -> String {
    turns.iter().map(|turn| mistake(&format!("turns:\n  - {turn}\n"))).collect::<Vec<_>>().join("\n")
}

#[test]
fn unknown_keys_name_the_known_ones() {
    insta::assert_snapshot!(mistake("turn: []"), @"s.yaml:1:1: a script has no key `turn`; its keys are `name`, `turns`, `after`; did you mean `turns`?");
    insta::assert_snapshot!(mistakes(&[
        "sya: Hello",
        "{say: Hello, retries: 3}",
        "expect: { last_user: hi }",
        "expect: { user: { contain: hi } }",
        "expect: { result: { tool: read } }",
        "fail: { stall_after: 3 }",
        "usage: { tokens: 3 }",
        "parts: [{ fail: cut }]",
        "calls: [{ name: read }]",
    ]), @"
    s.yaml:2:5: a turn has no key `sya`; its keys are `expect`, `when`, `times`, `think`, `say`, `call`, `calls`, `hold`, `parts`, `chunks`, `interleave`, `usage`, `finish`, `delay_ms`, `gap_ms`, `drip_bytes`, `fail`; did you mean `say`?
    s.yaml:2:18: a turn has no key `retries`; its keys are `expect`, `when`, `times`, `think`, `say`, `call`, `calls`, `hold`, `parts`, `chunks`, `interleave`, `usage`, `finish`, `delay_ms`, `gap_ms`, `drip_bytes`, `fail`
    s.yaml:2:15: `expect` has no key `last_user`; its keys are `user`, `system`, `anywhere`, `model`, `agent`, `tools`, `without`, `result`, `result_of`, `messages`; did you mean `user`?
    s.yaml:2:23: a condition on a text has no key `contain`; its keys are `contains`, `lacks`, `equals`, `regex`; did you mean `contains`?
    s.yaml:2:25: a condition on a result has no key `tool`; its keys are `of`, `id`, `text`, `error`
    s.yaml:2:13: `fail` has no key `stall_after`; its keys are `status`, `message`, `headers`, `body`, `retry_after_seconds`, `retry_after_date`, `retry_after_ms`, `error`, `code`, `cut_after_bytes`, `stall_after_bytes`, `garbage_after_bytes`, `content_type`; did you mean `stall_after_bytes`?
    s.yaml:2:14: `usage` has no key `tokens`; its keys are `input`, `output`, `total`, `reasoning`, `cached`, `cache_write`
    s.yaml:2:15: a part has no key `fail`; its keys are `think`, `say`, `call`, `calls`, `hold`
    s.yaml:2:15: a call has no key `name`; its keys are `tool`, `args`, `raw`, `id`, `signature`
    ");
}

#[test]
fn values_of_the_wrong_kind_are_told() {
    insta::assert_snapshot!(mistakes(&[
        "say: 42",
        "say: true",
        "call: read",
        "call: { read: a.md }",
        "calls: [{ args: {} }]",
        "chunks: many",
        "chunks: -1",
        "delay_ms: 1.5",
        "interleave: maybe",
        "finish: done",
        "finish: lenght",
        "expect: hello",
        "expect: { messages: two }",
        "expect: { user: { regex: '(' } }",
        "fail: crash",
        "fail: { status: 200 }",
        "fail: { status: 429, headers: [a] }",
        "fail: { status: 429, headers: { a: \"b\\nc\" } }",
        "12",
    ]), @"
    s.yaml:2:10: this should be a text (in quotes if it looks like something else), a list of texts or a map with `text` and is a number
    s.yaml:2:10: this should be a text (in quotes if it looks like something else), a list of texts or a map with `text` and is a boolean
    s.yaml:2:11: this should be a map of tools to arguments and is a text
    s.yaml:2:19: this should be a map of arguments (other JSON can be sent with `raw`) and is a text
    s.yaml:2:13: a call needs the key `tool`
    s.yaml:2:13: `many` is not known here; it can be `words`
    s.yaml:2:13: this should be a whole number from 0 to 1000000 and is -1
    s.yaml:2:15: this should be a whole number from 0 to 86400000 and is 1.5
    s.yaml:2:17: this should be `true` or `false` and is a text
    s.yaml:2:13: `done` is not known here; it can be `stop`, `length`, `tool-calls`, `content-filter`, `error`, `other`, `unknown`
    s.yaml:2:13: `lenght` is not known here; it can be `stop`, `length`, `tool-calls`, `content-filter`, `error`, `other`, `unknown`; did you mean `length`?
    s.yaml:2:13: `expect` is a map with the keys `user`, `system`, `anywhere`, `model`, `agent`, `tools`, `without`, `result`, `result_of`, `messages`; this is a text
    s.yaml:2:25: this should be a whole number from 0 to 4294967296 and is a text
    s.yaml:2:30: `(` is not a regular expression: unclosed group
    s.yaml:2:11: `crash` is not known here; it can be `cut`, `stall`, `garbage`, `html`, `close`, `tls`
    s.yaml:2:21: 200 is not a status of a failure; those are 400 to 599
    s.yaml:2:35: this should be a map of headers and is a list
    s.yaml:2:37: a header cannot have control characters or line breaks
    s.yaml:2:5: a turn is a map with the keys `expect`, `when`, `times`, `think`, `say`, `call`, `calls`, `hold`, `parts`, `chunks`, `interleave`, `usage`, `finish`, `delay_ms`, `gap_ms`, `drip_bytes`, `fail`; this is a number
    ");
}

#[test]
fn things_that_exclude_each_other_are_told() {
    insta::assert_snapshot!(mistakes(&[
        "{say: a, parts: [{say: b}]}",
        "calls: [{ tool: read, args: {}, raw: x }]",
        "{say: a, times: 3}",
        "fail: { cut_after_bytes: 1, stall_after_bytes: 1 }",
        "fail: { message: hm }",
        "fail: { error: a, message: b }",
        "fail: { cut_after_bytes: 1, code: b }",
        "fail: { status: 429, retry_after_ms: 1, retry_after_seconds: 1 }",
        "usage: { input: 1, cached: 2 }",
        "usage: { output: 1, reasoning: 2 }",
        "say: { text: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, times: 1000000 }",
    ]), @"
    s.yaml:2:21: what the turn says stands either in `parts` or beside it, not both
    s.yaml:2:33: a call has either `args` or `raw`, not both
    s.yaml:2:21: `times` goes with `when`; a turn without it is played once, in order
    s.yaml:2:11: `fail` needs exactly one of `status`, `error`, `cut_after_bytes`, `stall_after_bytes`, `garbage_after_bytes`, `content_type`
    s.yaml:2:11: `fail` needs exactly one of `status`, `error`, `cut_after_bytes`, `stall_after_bytes`, `garbage_after_bytes`, `content_type`
    s.yaml:2:11: `message` goes with `status` and not with `error`
    s.yaml:2:11: `code` goes with `error` and not with `cut_after_bytes`
    s.yaml:2:11: only one of `retry_after_seconds`, `retry_after_date`, `retry_after_ms` can be sent
    s.yaml:2:12: `input` counts cached tokens too, so it cannot be less than they are
    s.yaml:2:12: `output` counts reasoning too, so it cannot be less than that
    s.yaml:2:10: this is more than 64 MiB of text; say it fewer times
    ");
}

#[test]
fn a_file_that_is_no_script_is_told() {
    insta::assert_snapshot!(["", "hello", "turns: hello", "turns:\n  - say: [a\nx: {", "after: stop", "{\"turns\": [}"].map(mistake).join("\n"), @"
    s.yaml:1:1: a script is a map with the keys `name`, `turns`, `after`; this is nothing
    s.yaml:1:1: a script is a map with the keys `name`, `turns`, `after`; this is a text
    s.yaml:1:8: this should be a list of turns and is a text
    s.yaml:3:2: this is not valid YAML or JSON: illegal placement of ':' indicator
    s.yaml:1:1: a script needs the key `turns`
    s.yaml:1:11: this is not valid YAML or JSON: mismatched bracket '[' closed by '}'
    ");
    insta::assert_snapshot!(mistake("turns: [{ when: {}, say: a }]\nafter: repeat"), @"s.yaml:1:8: `after: repeat` needs a turn without `when`: there is nothing to repeat");
}

#[test]
fn deep_nesting_and_repeated_aliases_are_an_error_and_not_a_crash() {
    let deep = format!("turns: {}", "[".repeat(100_000));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    for text in [deep, bomb] {
        assert!(Script::parse("s.yaml", &text).is_err());
    }
}
