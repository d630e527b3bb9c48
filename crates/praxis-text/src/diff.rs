//! Diffs between two texts, as people and clients read them.
