//! Reading an answer of OpenAI Responses.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::wire::fuzz_responses(data));
