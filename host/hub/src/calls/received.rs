//! A message on its way to the function of its type.

use gephost_core::a2a::{Envelope, MAX_BUNDLE_BYTES};

use crate::app::Caller;
use crate::store::Message;

/// Most bytes of a message: a bundle and what is around it.
pub(super) const MAX_MESSAGE_BYTES: usize = MAX_BUNDLE_BYTES + 16 * 1024;

/// A message that was read, and who sent it.
pub(super) struct Received {
    pub(super) envelope: Envelope,
    pub(super) caller: Caller,
    pub(super) message: Message,
}
