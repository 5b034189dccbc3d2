//! The compile cache: machine code of components, sealed with a key that only this user has.
//!
//! Loading machine code is as dangerous as running it, so an entry is used only if its seal verifies for exactly the
//! bytes that are loaded. They are hashed while they are copied to a memory file, which is then sealed against changes.
//! If the seal does not verify, the entry is moved aside and the component is compiled again. Losing the whole cache
//! only costs time: no error here stops a run.
//!
//! The seal is BLAKE3's keyed hash of the entry's name and bytes. A hit hashes the component for the name, and the
//! whole entry, so the hash must be fast. The SHA-256 of the component, which recordings and people use, is stored
//! under the seal, because computing it takes longer than everything else.
//!
//! | file | what |
//! |---|---|
//! | `entries` | loading and storing an entry |
//! | `private` | the directory and the key: this user's, or refused |
//! | `upkeep` | `cache verify`, `cache prune`, and what was moved aside |

mod entries;
mod private;
mod upkeep;

pub use entries::{CacheOutcome, CompileCache};
pub use upkeep::{EntryReport, EntryState, Keep};
