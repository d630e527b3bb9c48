//! Replacing one piece of text by another, exactly where it can be and tolerantly where that is safe.
