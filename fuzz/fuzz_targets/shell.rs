//! Reading and judging a script.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| praxis_policy::shell::fuzz(data));
