//! GEP-A2A, the protocol between nodes and a hub (seed 002): one reader and one writer for both sides.
//!
//! What must stay true: a message is read strictly and as a whole before anything of it is believed; the id of an asset is
//! recomputed, never taken over; and every [`Problem`] names the field and says how to correct it.

mod bundle;
mod component;
mod envelope;
pub mod gdi;
mod message_type;
mod node_id;
mod problem;
pub mod promotion;
mod publication;
pub mod quality;
pub mod reputation;
mod signature;
mod state;

pub use bundle::{Bundle, BundleAsset, MAX_BUNDLE_BYTES, bundle_id, wire_document};
pub use component::{BlobRef, COMPONENT_MEDIA_TYPE, ComponentRef, RECORDING_MEDIA_TYPE, is_digest};
pub use envelope::{Draft, Envelope, MAX_SKEW, PROTOCOL, PROTOCOL_VERSION, message_id};
pub use message_type::MessageType;
pub use node_id::NodeId;
pub use problem::{Code, Problem};
pub use publication::Publication;
pub use signature::{NodeKey, PublicKey, Signed};
pub use state::AssetState;
