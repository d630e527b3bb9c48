//! Reading a file piece by piece.

use super::Encoding;

/// Reads a file in pieces, cut anywhere. It keeps no more than an unfinished character between them.
pub struct StreamDecoder {
    encoding: Encoding,
    decoder: encoding_rs::Decoder,
    /// Bytes of the byte order mark that have not come yet.
    mark: usize,
}

impl StreamDecoder {
    /// A reader for a file of which [`sniff`](super::sniff) has told the encoding and whether it has a mark.
    pub fn new(encoding: Encoding, bom: bool) -> Self {
        let decoder = encoding.0.new_decoder_without_bom_handling();
        Self { encoding, decoder, mark: encoding.mark_if(bom).len() }
    }

    /// Reads the next piece; U+FFFD stands where bytes make no sense. After the `last` one a new file may begin.
    pub fn push(&mut self, bytes: &[u8], last: bool, out: &mut String) {
        let skipped = self.mark.min(bytes.len());
        self.mark -= skipped;
        let mut rest = &bytes[skipped..];
        loop {
            out.reserve(self.decoder.max_utf8_buffer_length(rest.len()).unwrap_or(rest.len()).max(16));
            let (result, read, _) = self.decoder.decode_to_string(rest, out, last);
            rest = &rest[read..];
            if result == encoding_rs::CoderResult::InputEmpty {
                break;
            }
        }
        if last {
            self.decoder = self.encoding.0.new_decoder_without_bom_handling();
        }
    }
}
