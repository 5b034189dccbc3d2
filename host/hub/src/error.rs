//! Why a hub cannot run.

use std::io;
use std::path::PathBuf;

/// Why a hub cannot be opened, or stopped on its own.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The database cannot be opened or brought up to date.
    #[error("the database {path} cannot be opened: {source}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: sqlx::Error,
    },
    /// The database was made by a newer gephost, or changed by hand.
    #[error("the database {path} cannot be migrated: {source}")]
    Migration {
        /// The file.
        path: PathBuf,
        /// Why.
        source: sqlx::migrate::MigrateError,
    },
    /// The folder of components cannot be used.
    #[error("the folder {path} cannot be used: {reason}")]
    Blobs {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The address cannot be listened at.
    #[error("failed to listen at {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A setting is wrong.
    #[error("the setting `{name}` is wrong: {reason}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The system gives no threads, timers or randomness.
    #[error("the hub cannot start: {0}")]
    System(#[from] io::Error),
}
