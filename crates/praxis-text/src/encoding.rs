//! Text in other encodings than UTF-8.
