//! The database: `SQLite` with a write-ahead log, one writer, and a few readers.

mod assets;
mod blobs;
mod cache;
mod codes;
mod evidence;
mod id;
mod messages;
mod nodes;
mod publish;
mod score;
mod search;
mod state;
mod terms;
mod totals;
mod upkeep;
mod writer;

use std::borrow::Cow;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqlSafeStr as _, SqlitePool};

pub(crate) use assets::{AssetRow, Listing, Order, Page};
pub(crate) use blobs::BlobRow;
pub(crate) use cache::{Cache, Rendered};
pub(crate) use codes::{Kind, state_code, state_of};
pub(crate) use evidence::{Opinion, Statement};
pub(crate) use id::{digest_bytes, digest_text};
pub(crate) use messages::Message;
pub(crate) use nodes::{Greeting, Hello, NodeRow};
pub(crate) use publish::{NewAsset, NewBundle};
pub(crate) use score::{Explained, Scorer, claims};
pub(crate) use terms::of_asset as terms_of;
pub(crate) use upkeep::Fetches;
pub(crate) use writer::Writer;

use gephost_core::a2a::{Code, Problem};

use crate::error::HubError;
use crate::faults::{Faults, Part};
use crate::settings::Settings;

/// Connections that read.
const READERS: u32 = 4;
/// Memory for pages of each connection, in KiB.
const PAGE_CACHE: &str = "-8192";

/// The steps from an empty database to the present one. A step is never changed once it was released.
const MIGRATIONS: [(i64, &str, &str); 3] = [
    (1, "first tables", include_str!("schema.sql")),
    (2, "who had a gene's id first", include_str!("schema_2.sql")),
    (3, "who proved to be a node", include_str!("schema_3.sql")),
];

/// The database.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub(crate) readers: SqlitePool,
    pub(crate) writer: Writer,
    pub(crate) cache: Arc<Cache>,
    faults: Faults,
}

impl Store {
    /// Opens the database and brings it up to date.
    pub(crate) async fn open(settings: &Settings, faults: Faults) -> Result<Self, HubError> {
        let failed = |source| HubError::Database { path: settings.db.clone(), source };
        // The file name is not part of a URL, so that any character is allowed in it.
        let options = SqliteConnectOptions::from_str("sqlite:")
            .map_err(failed)?
            .filename(&settings.db)
            .busy_timeout(Duration::from_secs(10))
            .pragma("cache_size", PAGE_CACHE)
            .pragma("temp_store", "memory")
            .foreign_keys(false)
            .statement_cache_capacity(128);
        let writing = options
            .clone()
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("wal_autocheckpoint", "2000")
            .pragma("journal_size_limit", "67108864");
        let mut connection = writing.connect().await.map_err(failed)?;
        let steps = MIGRATIONS.map(|(version, name, sql)| {
            Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, sql.into_sql_str(), false)
        });
        Migrator::with_migrations(steps.into())
            .run(&mut connection)
            .await
            .map_err(|source| HubError::Migration { path: settings.db.clone(), source })?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(Duration::from_secs(5))
            .test_before_acquire(false)
            .connect_with(options.read_only(true))
            .await
            .map_err(failed)?;
        let cache = Arc::new(Cache::new(settings.limits.cache_bytes));
        let writer = Writer::start(connection, settings.limits.queued_writes, Arc::clone(&cache), faults.clone());
        Ok(Self { readers, writer, cache, faults })
    }

    /// A value that the hub keeps for itself; `make` gives it the first time.
    pub(crate) async fn own_value(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>, Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    sqlx::query("INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)")
                        .bind(name)
                        .bind(value)
                        .execute(&mut *c)
                        .await?;
                    let value =
                        sqlx::query_scalar("SELECT value FROM meta WHERE name = ?").bind(name).fetch_one(c).await?;
                    Ok((value, Vec::new()))
                })
            })
            .await
    }

    /// A read that failed. The operator learns what the database said, and nobody outside does.
    fn failed(&self, error: &sqlx::Error) -> Problem {
        self.faults.of(Part::Database, error);
        Problem::new(Code::Internal, "the database failed", "send the same request again later")
    }
}
