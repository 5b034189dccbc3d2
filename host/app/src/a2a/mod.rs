//! Sharing over GEP-A2A (seed 002): the node of this user at one hub, and the use cases over it.
//!
//! What must stay true: no hub is reached that the user did not name; what is sent is redacted and meets the rules of seed
//! 001; what comes back verifies before it is kept, as a candidate with lowered confidence; and a message is on disk before
//! it is sent, so that a lost answer is asked for again and never makes a second publication.

mod answers;
mod fetch;
mod hello;
mod material;
mod messages;
mod node;
mod publish;
mod replayed;
mod status;
mod sync;
mod validate;

pub(crate) use answers::failed as failed_call;
pub use fetch::{FetchAsk, Fetched, FoundAsset};
pub use hello::Hello;
pub use material::{Chosen, NotShared};
pub use messages::{Decided, Verdict};
pub use node::Node;
pub(crate) use node::hub_client;
pub use publish::{Publishing, Shared};
pub use replayed::{Replay, replay};
pub use status::{AssetAtHub, NodeStatus, PublicationStatus};
pub use sync::{SyncAsk, Synced};
pub use validate::Validated;
