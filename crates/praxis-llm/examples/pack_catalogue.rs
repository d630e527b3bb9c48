//! Writes the embedded catalogue anew from a file in the shape of models.dev:
//!
//! ```sh
//! cargo run -p praxis-llm --example pack_catalogue -- models.json crates/praxis-llm/data/catalogue.bin
//! ```

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack_catalogue MODELS_JSON CATALOGUE_BIN".into());
    };
    let packed = praxis_llm::catalogue::pack(&std::fs::read_to_string(from)?)?;
    std::fs::write(to, packed)?;
    Ok(())
}
