//! Where gephost keeps what it knows of a project (docs/src/reference/files.md).
//!
//! What gephost trusts, resumes or removes lies in the user's own folders: state, one folder a clone, and work copies in
//! the cache. In the project there are only the assets, which other GEP tools read and write too and which are foreign
//! until they verify, and the kill switch.

mod earlier;
mod folder;
mod identity;
mod project_file;
mod projects;
mod remembered;
mod trusted;
mod user;

pub use earlier::{Earlier, EarlierError, Moved};
pub use folder::{PROJECT_FOLDER, StateFolder};
pub use identity::Identity;
pub use projects::{Known, Projects, ProjectsError};
pub use remembered::Remembered;
pub use trusted::TrustedTexts;
pub use user::UserFolders;

#[cfg(test)]
mod tests;
