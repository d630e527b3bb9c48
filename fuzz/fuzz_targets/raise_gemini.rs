//! Reading an answer of Gemini.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_llm::wire::fuzz_gemini(data));
