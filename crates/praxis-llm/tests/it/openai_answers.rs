//! Answers of Chat Completions and Responses, one for each dialect and each odd habit.

use praxis_llm::wire::{Chat, Responses};

use crate::lab::{body, lines};

fn chat(name: &str) -> String {
    lines(&Chat::with_prefix("t"), &body(&format!("chat_{name}.sse")))
}

fn responses(name: &str) -> String {
    lines(&Responses::with_prefix("t"), &body(&format!("responses_{name}.sse")))
}

#[test]
fn openai_text_and_usage_in_a_chunk_of_its_own() {
    insta::assert_snapshot!(chat("openai_text"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Hello"}
    {"type":"text-delta","id":"txt-0","delta":", wörld \"quoted\"\n😀"}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":2006,"outputTokens":300,"totalTokens":2306,"reasoningTokens":0,"cachedInputTokens":1920,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn openai_calls_in_pieces() {
    insta::assert_snapshot!(chat("openai_tools"), @r##"
    {"type":"tool-input-start","id":"call_A1","toolName":"read"}
    {"type":"tool-input-delta","id":"call_A1","delta":"{\"filePath\":\"src/"}
    {"type":"tool-input-delta","id":"call_A1","delta":"main.rs\"}"}
    {"type":"tool-input-start","id":"call_A2","toolName":"todoread"}
    {"type":"tool-input-delta","id":"call_A2","delta":"{}"}
    {"type":"tool-input-end","id":"call_A1"}
    {"type":"tool-call","toolCallId":"call_A1","toolName":"read","input":{"filePath":"src/main.rs"}}
    {"type":"tool-input-end","id":"call_A2"}
    {"type":"tool-call","toolCallId":"call_A2","toolName":"todoread","input":{}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":80,"outputTokens":40,"totalTokens":120,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn openrouter_thoughts_keep_their_signature() {
    insta::assert_snapshot!(chat("openrouter_claude"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"I should "}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"look."}
    {"type":"reasoning-end","id":"reasoning-0","metadata":{"openrouter":{"reasoning_details":[{"type":"reasoning.text","text":"I should look.","format":"anthropic-claude-v1","index":0,"signature":"EuYBCkYICxgC"}]}}}
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Let me look."}
    {"type":"text-end","id":"txt-0"}
    {"type":"tool-input-start","id":"toolu_vrtx_01","toolName":"read"}
    {"type":"tool-input-delta","id":"toolu_vrtx_01","delta":"{\"filePath\": \"a.rs\"}"}
    {"type":"tool-input-end","id":"toolu_vrtx_01"}
    {"type":"tool-call","toolCallId":"toolu_vrtx_01","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":900,"outputTokens":60,"totalTokens":960,"reasoningTokens":12,"cachedInputTokens":700,"cacheWriteTokens":100}}
    "##);
}

#[test]
fn openrouter_encrypted_thoughts_that_come_with_a_call_are_kept() {
    insta::assert_snapshot!(chat("openrouter_gemini"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Looking."}
    {"type":"text-end","id":"txt-0"}
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-end","id":"reasoning-0","metadata":{"openrouter":{"reasoning_details":[{"type":"reasoning.encrypted","data":"CiQB0e2Kb4","format":"google-gemini-v1","id":"tool_read_1","index":0}]}}}
    {"type":"tool-input-start","id":"tool_read_1","toolName":"read"}
    {"type":"tool-input-delta","id":"tool_read_1","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-end","id":"tool_read_1"}
    {"type":"tool-call","toolCallId":"tool_read_1","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn deepseek_thoughts_and_cache_hits() {
    insta::assert_snapshot!(chat("deepseek"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Two and "}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"two."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Four."}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":20,"outputTokens":30,"totalTokens":50,"reasoningTokens":25,"cachedInputTokens":16,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn moonshot_usage_within_the_choice() {
    insta::assert_snapshot!(chat("moonshot"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Read it."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"tool-input-start","id":"functions.read:0","toolName":"read"}
    {"type":"tool-input-delta","id":"functions.read:0","delta":"{\"filePath\":\"b.rs\"}"}
    {"type":"tool-input-end","id":"functions.read:0"}
    {"type":"tool-call","toolCallId":"functions.read:0","toolName":"read","input":{"filePath":"b.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":50,"outputTokens":20,"totalTokens":70,"reasoningTokens":null,"cachedInputTokens":32,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn mistral_content_in_pieces_of_two_kinds() {
    insta::assert_snapshot!(chat("mistral"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Hm, "}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"the file."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Reading "}
    {"type":"text-delta","id":"txt-0","delta":"both."}
    {"type":"text-end","id":"txt-0"}
    {"type":"tool-input-start","id":"D681PevKs","toolName":"read"}
    {"type":"tool-input-delta","id":"D681PevKs","delta":"{\"filePath\": \"a.rs\"}"}
    {"type":"tool-input-start","id":"bR3xQ0zTu","toolName":"read"}
    {"type":"tool-input-delta","id":"bR3xQ0zTu","delta":"{\"filePath\": \"b.rs\"}"}
    {"type":"tool-input-end","id":"D681PevKs"}
    {"type":"tool-call","toolCallId":"D681PevKs","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"tool-input-end","id":"bR3xQ0zTu"}
    {"type":"tool-call","toolCallId":"bR3xQ0zTu","toolName":"read","input":{"filePath":"b.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":120,"outputTokens":40,"totalTokens":160,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn groq_usage_in_its_own_place() {
    insta::assert_snapshot!(chat("groq"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Easy."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Yes."}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":10,"outputTokens":9,"totalTokens":19,"reasoningTokens":4,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn xai_counts_reasoning_beside_the_completion() {
    insta::assert_snapshot!(chat("xai"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Thinking."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Done."}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":32,"outputTokens":103,"totalTokens":135,"reasoningTokens":94,"cachedInputTokens":6,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn together_ends_with_eos() {
    insta::assert_snapshot!(chat("together"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Hi"}
    {"type":"text-delta","id":"txt-0","delta":" there"}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":5,"outputTokens":3,"totalTokens":8,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn ollama_arguments_as_objects_and_one_index_for_all_calls() {
    insta::assert_snapshot!(chat("ollama"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Need both."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"tool-input-start","id":"call_o1","toolName":"read"}
    {"type":"tool-input-delta","id":"call_o1","delta":"{\"filePath\":\"a.rs\",\"limit\":5}"}
    {"type":"tool-input-start","id":"call_o2","toolName":"read"}
    {"type":"tool-input-delta","id":"call_o2","delta":"{\"filePath\":\"b.rs\"}"}
    {"type":"tool-input-end","id":"call_o1"}
    {"type":"tool-call","toolCallId":"call_o1","toolName":"read","input":{"filePath":"a.rs","limit":5}}
    {"type":"tool-input-end","id":"call_o2"}
    {"type":"tool-call","toolCallId":"call_o2","toolName":"read","input":{"filePath":"b.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn lmstudio_calls_without_index_and_id_and_a_name_in_pieces() {
    insta::assert_snapshot!(chat("lmstudio"), @r##"
    {"type":"tool-input-start","id":"call_t_0","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"{\"filePath\":"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"\"a.rs\"}"}
    {"type":"tool-input-start","id":"call_t_1","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_1","delta":"{\"filePath\":\"b.rs\"}"}
    {"type":"tool-input-end","id":"call_t_0"}
    {"type":"tool-call","toolCallId":"call_t_0","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"tool-input-end","id":"call_t_1"}
    {"type":"tool-call","toolCallId":"call_t_1","toolName":"read","input":{"filePath":"b.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn llamacpp_neither_usage_nor_done() {
    insta::assert_snapshot!(chat("llamacpp"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"So."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"It is "}
    {"type":"text-delta","id":"txt-0","delta":"fine."}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn vllm_an_id_that_changes_with_each_piece() {
    insta::assert_snapshot!(chat("vllm"), @r##"
    {"type":"reasoning-start","id":"reasoning-0"}
    {"type":"reasoning-delta","id":"reasoning-0","delta":"Call it."}
    {"type":"reasoning-end","id":"reasoning-0"}
    {"type":"tool-input-start","id":"chatcmpl-tool-1","toolName":"read"}
    {"type":"tool-input-delta","id":"chatcmpl-tool-1","delta":"{\"file"}
    {"type":"tool-input-delta","id":"chatcmpl-tool-1","delta":"Path\":\"a.rs\""}
    {"type":"tool-input-delta","id":"chatcmpl-tool-1","delta":"}"}
    {"type":"tool-input-end","id":"chatcmpl-tool-1"}
    {"type":"tool-call","toolCallId":"chatcmpl-tool-1","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":9,"outputTokens":5,"totalTokens":14,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn two_calls_never_share_an_id_and_an_empty_object_makes_way_for_the_real_one() {
    insta::assert_snapshot!(chat("repeated_ids"), @r##"
    {"type":"tool-input-start","id":"call_0","toolName":"read"}
    {"type":"tool-input-delta","id":"call_0","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-start","id":"call_t_0","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"{\"filePath\":\"b.rs\"}"}
    {"type":"tool-input-start","id":"call_2","toolName":"list"}
    {"type":"tool-input-delta","id":"call_2","delta":"{}"}
    {"type":"tool-input-end","id":"call_0"}
    {"type":"tool-call","toolCallId":"call_0","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"tool-input-end","id":"call_t_0"}
    {"type":"tool-call","toolCallId":"call_t_0","toolName":"read","input":{"filePath":"b.rs"}}
    {"type":"tool-input-end","id":"call_2"}
    {"type":"tool-call","toolCallId":"call_2","toolName":"list","input":{"path":"src"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn a_stream_that_is_done_without_a_reason_counts() {
    insta::assert_snapshot!(chat("done_without_reason"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Hi"}
    {"type":"text-end","id":"txt-0"}
    {"type":"tool-input-start","id":"c1","toolName":"read"}
    {"type":"tool-input-delta","id":"c1","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-end","id":"c1"}
    {"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn a_stream_that_is_done_within_arguments_does_not_count() {
    insta::assert_snapshot!(chat("done_in_arguments"), @r##"
    {"type":"tool-input-start","id":"c1","toolName":"bash"}
    {"type":"tool-input-delta","id":"c1","delta":"{\"command\":\"rm -rf /tmp/x"}
    {"type":"tool-input-end","id":"c1"}
    {"type":"error","message":"the provider's answer stopped before its end; try again"}
    "##);
}

#[test]
fn calls_cut_by_the_limit_are_not_raised() {
    insta::assert_snapshot!(chat("length_in_arguments"), @r##"
    {"type":"tool-input-start","id":"c1","toolName":"read"}
    {"type":"tool-input-delta","id":"c1","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-start","id":"c2","toolName":"write"}
    {"type":"tool-input-delta","id":"c2","delta":"{\"filePath\":\"a.rs\",\"content\":\"half"}
    {"type":"tool-input-end","id":"c1"}
    {"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"tool-input-end","id":"c2"}
    {"type":"finish-step","finishReason":"length","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn arguments_are_mended_or_left_to_the_tool_to_refuse() {
    insta::assert_snapshot!(chat("broken_arguments"), @r##"
    {"type":"tool-input-start","id":"c1","toolName":"bash"}
    {"type":"tool-input-delta","id":"c1","delta":"{'command': 'ls',}"}
    {"type":"tool-input-start","id":"c2","toolName":"bash"}
    {"type":"tool-input-delta","id":"c2","delta":"{\"command\":\"rm -rf build"}
    {"type":"tool-input-end","id":"c1"}
    {"type":"tool-call","toolCallId":"c1","toolName":"bash","input":{"command":"ls"}}
    {"type":"tool-input-end","id":"c2"}
    {"type":"tool-call","toolCallId":"c2","toolName":"bash","input":"{\"command\":\"rm -rf build"}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn nothing_runs_and_nothing_follows_when_an_answer_fails() {
    insta::assert_snapshot!(chat("error_midway"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Let me"}
    {"type":"text-end","id":"txt-0"}
    {"type":"tool-input-start","id":"c1","toolName":"read"}
    {"type":"tool-input-delta","id":"c1","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"error","message":"Provider returned error: upstream overloaded","code":"502"}
    "##);
}

#[test]
fn a_failure_can_be_all_there_is() {
    insta::assert_snapshot!(chat("error_only"), @r##"
    {"type":"error","message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}
    "##);
}

#[test]
fn a_reason_can_be_a_failure() {
    insta::assert_snapshot!(chat("no_resources"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Let"}
    {"type":"text-end","id":"txt-0"}
    {"type":"error","message":"the provider gave up on the answer (`insufficient_system_resource`); try again","code":"insufficient_system_resource"}
    "##);
}

#[test]
fn a_refusal_is_text_that_was_withheld() {
    insta::assert_snapshot!(chat("refusal"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"I cannot help"}
    {"type":"text-delta","id":"txt-0","delta":" with that."}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"content-filter","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn the_old_way_to_call_a_function() {
    insta::assert_snapshot!(chat("legacy_function"), @r##"
    {"type":"tool-input-start","id":"call_t_0","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"{\"filePath\":"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"\"a.rs\"}"}
    {"type":"tool-input-end","id":"call_t_0"}
    {"type":"tool-call","toolCallId":"call_t_0","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn fields_of_the_wrong_type_are_passed_over() {
    insta::assert_snapshot!(chat("odd_fields"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Fine."}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":null,"outputTokens":2,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn an_answer_that_was_not_streamed() {
    insta::assert_snapshot!(chat("whole"), @r##"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"All at once."}
    {"type":"text-end","id":"txt-0"}
    {"type":"tool-input-start","id":"c9","toolName":"read"}
    {"type":"tool-input-delta","id":"c9","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-end","id":"c9"}
    {"type":"tool-call","toolCallId":"c9","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_text_and_usage() {
    insta::assert_snapshot!(responses("text"), @r##"
    {"type":"text-start","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"text-delta","id":"msg_1","delta":"Hello"}
    {"type":"text-delta","id":"msg_1","delta":", wörld 😀\n"}
    {"type":"text-end","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":328,"outputTokens":152,"totalTokens":480,"reasoningTokens":64,"cachedInputTokens":256,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_thoughts_carry_their_encrypted_form_and_calls_their_last_arguments() {
    insta::assert_snapshot!(responses("reasoning_tools"), @r##"
    {"type":"reasoning-start","id":"rs_1:0","metadata":{"openai":{"itemId":"rs_1"}}}
    {"type":"reasoning-delta","id":"rs_1:0","delta":"**Plan**"}
    {"type":"reasoning-end","id":"rs_1:0","metadata":{"openai":{"itemId":"rs_1"}}}
    {"type":"reasoning-start","id":"rs_1:1","metadata":{"openai":{"itemId":"rs_1"}}}
    {"type":"reasoning-delta","id":"rs_1:1","delta":"Read both."}
    {"type":"reasoning-end","id":"rs_1:1","metadata":{"openai":{"itemId":"rs_1","encryptedContent":"gAAAAABfinal"}}}
    {"type":"reasoning-start","id":"rs_2:0","metadata":{"openai":{"itemId":"rs_2"}}}
    {"type":"reasoning-end","id":"rs_2:0","metadata":{"openai":{"itemId":"rs_2","encryptedContent":"gAAAAABquiet"}}}
    {"type":"tool-input-start","id":"call_1","toolName":"read"}
    {"type":"tool-input-start","id":"call_2","toolName":"list"}
    {"type":"tool-input-delta","id":"call_1","delta":"{\"filePath\":"}
    {"type":"tool-input-delta","id":"call_2","delta":"{}"}
    {"type":"tool-input-delta","id":"call_1","delta":"\"a.rs\"}"}
    {"type":"tool-input-end","id":"call_1"}
    {"type":"tool-call","toolCallId":"call_1","toolName":"read","input":{"filePath":"a.rs"},"metadata":{"openai":{"itemId":"fc_1"}}}
    {"type":"tool-input-end","id":"call_2"}
    {"type":"tool-call","toolCallId":"call_2","toolName":"list","input":{"path":"src"},"metadata":{"openai":{"itemId":"fc_2"}}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":328,"outputTokens":152,"totalTokens":480,"reasoningTokens":64,"cachedInputTokens":256,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_tools_of_the_server_are_passed_over() {
    insta::assert_snapshot!(responses("server_tools"), @r##"
    {"type":"text-start","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"text-delta","id":"msg_1","delta":"Found."}
    {"type":"text-end","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":328,"outputTokens":152,"totalTokens":480,"reasoningTokens":64,"cachedInputTokens":256,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_a_call_cut_by_the_limit_is_not_raised() {
    insta::assert_snapshot!(responses("incomplete"), @r##"
    {"type":"tool-input-start","id":"call_1","toolName":"write"}
    {"type":"tool-input-delta","id":"call_1","delta":"{\"filePath\":\"a.rs\",\"content\":\"ha"}
    {"type":"finish-step","finishReason":"length","usage":{"inputTokens":328,"outputTokens":152,"totalTokens":480,"reasoningTokens":64,"cachedInputTokens":256,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_failed() {
    insta::assert_snapshot!(responses("failed"), @r##"
    {"type":"text-start","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"text-delta","id":"msg_1","delta":"Well"}
    {"type":"text-end","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"error","message":"Rate limit reached for gpt-5.","code":"rate_limit_exceeded"}
    "##);
}

#[test]
fn responses_error_event() {
    insta::assert_snapshot!(responses("error"), @r##"
    {"type":"error","message":"The server had an error.","code":"server_error"}
    "##);
}

#[test]
fn responses_error_with_its_fields_inside() {
    insta::assert_snapshot!(responses("error_nested"), @r##"
    {"type":"error","message":"Your input exceeds the context window.","code":"context_length_exceeded"}
    "##);
}

#[test]
fn responses_refusal() {
    insta::assert_snapshot!(responses("refusal"), @r##"
    {"type":"text-start","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"text-delta","id":"msg_1","delta":"I can't "}
    {"type":"text-delta","id":"msg_1","delta":"do that."}
    {"type":"text-end","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"finish-step","finishReason":"content-filter","usage":{"inputTokens":328,"outputTokens":152,"totalTokens":480,"reasoningTokens":64,"cachedInputTokens":256,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_item_ids_that_change_with_each_event() {
    insta::assert_snapshot!(responses("changing_ids"), @r##"
    {"type":"text-start","id":"BBB2","metadata":{"openai":{"itemId":"BBB2"}}}
    {"type":"text-delta","id":"BBB2","delta":"One "}
    {"type":"text-delta","id":"BBB2","delta":"text."}
    {"type":"text-end","id":"BBB2","metadata":{"openai":{"itemId":"BBB2"}}}
    {"type":"tool-input-start","id":"call_1","toolName":"read"}
    {"type":"tool-input-delta","id":"call_1","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-end","id":"call_1"}
    {"type":"tool-call","toolCallId":"call_1","toolName":"read","input":{"filePath":"a.rs"},"metadata":{"openai":{"itemId":"EEE5"}}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":328,"outputTokens":152,"totalTokens":480,"reasoningTokens":64,"cachedInputTokens":256,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn responses_what_comes_only_with_the_whole_item() {
    insta::assert_snapshot!(responses("raw_reasoning"), @r##"
    {"type":"reasoning-start","id":"rs_1:text","metadata":{"openai":{"itemId":"rs_1"}}}
    {"type":"reasoning-delta","id":"rs_1:text","delta":"Raw "}
    {"type":"reasoning-delta","id":"rs_1:text","delta":"thought."}
    {"type":"reasoning-end","id":"rs_1:text","metadata":{"openai":{"itemId":"rs_1"}}}
    {"type":"text-start","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"text-delta","id":"msg_1","delta":"Said at once."}
    {"type":"text-end","id":"msg_1","metadata":{"openai":{"itemId":"msg_1"}}}
    {"type":"tool-input-start","id":"call_t_0","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"{\"filePath\":\"a.rs\"}"}
    {"type":"tool-input-end","id":"call_t_0"}
    {"type":"tool-call","toolCallId":"call_t_0","toolName":"read","input":{"filePath":"a.rs"}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}
