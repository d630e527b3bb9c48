//! Effects on the machine: paths resolved once, files opened as what was decided on and replaced whole, HTTP with
//! limits, commands contained by the kernel.
//!
//! ```
//! use praxis_os::RealPath;
//!
//! let root = RealPath::resolve("/".as_ref(), "/usr/../usr/./bin").unwrap();
//! assert!(root.as_path().is_absolute() && !root.as_path().to_string_lossy().contains(".."));
//! ```

mod atomic;
mod held;
mod http;
mod open;
mod path;
mod private;
pub mod process;
pub mod sandbox;
pub mod search;

pub use atomic::{Existing, WriteError, remove, write};
pub use held::{Entry, HeldFolder};
pub use http::{
    Http, HttpError, HttpFault, HttpReply, HttpRequest, HttpStream, HttpStreams, StreamError, StreamRequest,
    StreamWaits, Wait,
};
pub use open::{FileError, open_regular};
pub use path::RealPath;
pub use private::{create_private, make_private_dir, own_private_dir, temporary_dir};
