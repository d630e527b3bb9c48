//! Patches as models write them.
