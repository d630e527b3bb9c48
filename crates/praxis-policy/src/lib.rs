//! Who may do what: rules, ceilings, grants, and the desk where they meet.
//!
//! Rules are OpenCode's: both fields are wildcards and the last match wins. Ceilings are limits that no rule can
//! loosen: the strictest of rule and ceilings decides. A stored grant turns `ask` into `allow` and never beats a deny.
//! Everything here is a function of values; waiting for people and writing files happen a floor above.
//!
//! ```
//! use praxis_policy::{Authority, Ceiling};
//! use praxis_proto::{Action, Rule};
//!
//! let rules = vec![Rule::built_in("example", "edit", "*", Action::Allow)];
//! let plan = Ceiling::new("plan", vec![Rule::built_in("example", "edit", "*", Action::Deny)]);
//! let authority = Authority::new(rules).under(plan);
//!
//! assert_eq!(authority.decide("edit", "src/main.rs", &[]).action, Action::Deny);
//! ```

mod authority;
mod care;
mod defaults;
mod desk;
mod disabled;
mod grant;
mod lens;
mod lint;
mod log;
pub mod places;
pub mod shell;
mod story;
mod subagent;
pub mod wildcard;

pub use authority::{Authority, Ceiling, CeilingHit, Decision, evaluate};
pub use care::Care;
pub use defaults::{BuiltIn, Layout, finish, for_custom_agent};
pub use desk::{Asked, Desk, Query, Refusal, Replied, Settled, UnknownRequest};
pub use disabled::{disabled, permission_of};
pub use grant::{Act, Grant, StoredGrant};
pub use lens::Lens;
pub use lint::{Finding, lint};
pub use log::{DecisionLog, LogEntry};
pub use places::{Places, Protected};
pub use story::{CeilingStep, Story};
pub use subagent::{child_session_rules, narrowed};
