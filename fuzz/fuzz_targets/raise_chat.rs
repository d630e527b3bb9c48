//! Reading an answer of Chat Completions.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::wire::fuzz_chat(data));
