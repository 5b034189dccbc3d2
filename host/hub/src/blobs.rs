//! Components and recordings, in a directory, named by their digest.
//!
//! What must stay true: a file has its final name only if its bytes have the digest of that name, are on disk, and were
//! checked. Nothing is read whole into memory but by the check of a component and by a replay, one at a time.

#![expect(
    clippy::disallowed_methods,
    reason = "syncs what the object store wrote, and makes the folder of the operator"
)]

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, TryStreamExt as _};
use gephost_core::a2a::{Code, Problem};
use gephost_core::digest::hex;
use http_body_util::BodyExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt as _, PutPayload};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use crate::body::too_large;
use crate::error::HubError;
use crate::faults::{Faults, Part};
use crate::random;

/// Bytes that are written at a time.
const PART: usize = 1 << 20;

/// The folder.
#[derive(Debug, Clone)]
pub(crate) struct Blobs {
    root: PathBuf,
    store: Arc<LocalFileSystem>,
    /// One whole component in memory at a time.
    whole: Arc<Semaphore>,
    faults: Faults,
}

/// What arrived, not yet under its name.
#[derive(Debug)]
pub(crate) struct Staged {
    path: Path,
    pub(crate) size: u64,
}

impl Blobs {
    pub(crate) fn open(root: PathBuf, faults: Faults) -> Result<Self, HubError> {
        let failed = |reason: String| HubError::Blobs { path: root.clone(), reason };
        std::fs::create_dir_all(root.join("staging")).map_err(|error| failed(error.to_string()))?;
        // What an earlier run did not finish is of no use.
        for left in std::fs::read_dir(root.join("staging")).map_err(|error| failed(error.to_string()))?.flatten() {
            let _ = std::fs::remove_file(left.path());
        }
        let store = LocalFileSystem::new_with_prefix(&root).map_err(|error| failed(error.to_string()))?;
        Ok(Self { root, store: Arc::new(store), whole: Arc::new(Semaphore::new(1)), faults })
    }

    /// Receives bytes that must have this digest. `pause` is the longest wait for the next piece.
    pub(crate) async fn stage(
        &self,
        digest: &[u8; 32],
        body: Body,
        limit: u64,
        pause: Duration,
    ) -> Result<Staged, Problem> {
        let name = random::bytes::<16>().ok_or_else(|| self.failed(&"the system gives no randomness"))?;
        let path = Path::from(format!("staging/{}", hex(&name)));
        let mut upload = self.store.put_multipart(&path).await.map_err(|error| self.failed(&error))?;
        let received = receive(upload.as_mut(), &self.faults, digest, body, limit, pause).await;
        match received {
            Ok(size) => {
                upload.complete().await.map_err(|error| self.failed(&error))?;
                Ok(Staged { path, size })
            }
            Err(problem) => {
                let _ = upload.abort().await;
                Err(problem)
            }
        }
    }

    /// Reads what arrived whole, to check it.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        staged: &Staged,
        check: impl FnOnce(&[u8]) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let _one = self.whole.acquire().await.map_err(|error| self.failed(&error))?;
        let bytes = self
            .store
            .get(&staged.path)
            .await
            .map_err(|error| self.failed(&error))?
            .bytes()
            .await
            .map_err(|error| self.failed(&error))?;
        tokio::task::spawn_blocking(move || check(&bytes)).await.map_err(|error| self.failed(&error))?
    }

    /// Gives what arrived its name, on disk.
    pub(crate) async fn keep(&self, staged: Staged, digest: &[u8; 32]) -> Result<(), Problem> {
        let from = self.root.join(staged.path.as_ref());
        let to = self.root.join(path(digest).as_ref());
        let moved = tokio::task::spawn_blocking(move || -> std::io::Result<()> {
            let folder = to.parent().unwrap_or(&to);
            std::fs::create_dir_all(folder)?;
            std::fs::File::open(&from)?.sync_all()?;
            std::fs::rename(&from, &to)?;
            std::fs::File::open(folder)?.sync_all()?;
            folder.parent().map_or(Ok(()), |parent| std::fs::File::open(parent)?.sync_all())
        });
        moved.await.map_err(|error| self.failed(&error))?.map_err(|error| self.failed(&error))
    }

    /// Throws away what arrived.
    pub(crate) async fn discard(&self, staged: Staged) {
        let _ = self.store.delete(&staged.path).await;
    }

    /// The bytes with a digest, piece by piece.
    pub(crate) async fn stream(
        &self,
        digest: &[u8; 32],
    ) -> Result<impl Stream<Item = Result<Bytes, object_store::Error>> + Send + 'static, Problem> {
        Ok(self.store.get(&path(digest)).await.map_err(|error| self.failed(&error))?.into_stream())
    }

    fn failed(&self, error: &dyn fmt::Display) -> Problem {
        failed(&self.faults, error)
    }

    /// The bytes with a digest. They are checked again, since a disk may fail.
    pub(crate) async fn bytes(&self, digest: &[u8; 32]) -> Result<Vec<u8>, Problem> {
        let pieces = self.stream(digest).await?;
        let bytes = pieces
            .try_fold(Vec::new(), |mut all, piece| async move {
                all.extend_from_slice(&piece);
                Ok(all)
            })
            .await
            .map_err(|error| self.failed(&error))?;
        if Sha256::digest(&bytes)[..] == digest[..] {
            return Ok(bytes);
        }
        Err(self.failed(&format!("the bytes of sha256:{} have changed", hex(digest))))
    }
}

async fn receive(
    upload: &mut dyn MultipartUpload,
    faults: &Faults,
    digest: &[u8; 32],
    mut body: Body,
    limit: u64,
    pause: Duration,
) -> Result<u64, Problem> {
    let mut hash = Sha256::new();
    let mut part = Vec::new();
    let mut size = 0;
    loop {
        let frame = tokio::time::timeout(pause, body.frame()).await.map_err(|_| slow())?;
        let Some(frame) = frame else { break };
        let Ok(piece) = frame.map_err(|_| torn())?.into_data() else { continue };
        size += piece.len() as u64;
        if size > limit {
            return Err(too_large(limit));
        }
        hash.update(&piece);
        part.extend_from_slice(&piece);
        if part.len() >= PART {
            upload
                .put_part(PutPayload::from(std::mem::take(&mut part)))
                .await
                .map_err(|error| failed(faults, &error))?;
        }
    }
    upload.put_part(PutPayload::from(part)).await.map_err(|error| failed(faults, &error))?;
    let computed = hash.finalize();
    if computed[..] == digest[..] {
        return Ok(size);
    }
    let message = format!("the bytes have the digest sha256:{}", hex(&computed));
    Err(Problem::new(Code::AssetIdMismatch, message, "put them to the path of their own digest"))
}

fn path(digest: &[u8; 32]) -> Path {
    let name = hex(digest);
    Path::from(format!("sha256/{}/{name}", name.get(..2).unwrap_or_default()))
}

/// The operator learns what the folder said, and nobody outside does.
fn failed(faults: &Faults, error: &dyn fmt::Display) -> Problem {
    faults.of(Part::Folder, error);
    Problem::new(Code::Internal, "the folder of components failed", "send the same request again later")
}

fn slow() -> Problem {
    Problem::new(Code::RequestTimeout, "the next bytes did not arrive in time", "send them faster")
}

fn torn() -> Problem {
    Problem::new(Code::InvalidProtocolMessage, "the body did not arrive whole", "send it again")
}
