//! Sessions, messages and parts on disk: written in order, read in pages, alive after a crash.
//!
//! ```
//! use std::sync::Arc;
//!
//! use praxis_store::{Draft, Filter, SqliteStore, Store};
//!
//! # let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
//! # runtime.block_on(async {
//! # let folder = tempfile::tempdir().unwrap();
//! let store = SqliteStore::open(&folder.path().join("praxis.db"), Arc::new(|| 1_790_000_000_000)).unwrap();
//! let made = store.create(Draft { directory: "/work".into(), ..Draft::default() }).await.unwrap();
//! assert_eq!(made.title, "New session - 2026-09-21T14:13:20.000Z");
//! assert_eq!(store.list(Filter::default()).await.unwrap(), [made]);
//! # });
//! ```

mod error;
mod slug;
mod sqlite;
mod store;

pub use error::StoreError;
pub use slug::slug;
pub use sqlite::{Finding, Repair, SqliteStore};
pub use store::{
    Boxed, Change, Clock, Cut, Detail, Draft, Existing, Field, Filter, Hit, Lease, LeftOut, Opened, Page,
    Recovered, Store, Transfer,
};
