//! Reading an answer of Anthropic Messages.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::wire::fuzz_anthropic(data));
