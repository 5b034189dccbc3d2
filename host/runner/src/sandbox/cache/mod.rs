//! The compile cache: components' machine code, sealed with a key that only this user holds.
//!
//! Loading machine code is as good as running it, so an entry is used only if its seal verifies over the very bytes that
//! are loaded: they are hashed on their way into a memory file that is then closed to every change. An entry that does not
//! verify is moved aside and the component compiled again. Losing the whole cache costs time and nothing else: no error
//! here stops a run.
//!
//! The seal is BLAKE3's keyed hash over the entry's name and its bytes: a hit hashes the component, for the name, and the
//! whole entry, so the hash should be a fast one. The component's SHA-256, which recordings and people know it by, is kept
//! under the seal, since making it takes longer than all the rest.
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
