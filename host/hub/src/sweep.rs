//! Removes components and recordings that nobody needs: uploads that did not end, and bytes that no asset names and nobody
//! asked for in a long time.
//!
//! What must stay true: only files that this hub marked are removed.

use gephost_core::a2a::Problem;

use crate::app::Shared;

/// Sweeps a bounded number of files. What fails is tried again in the next round.
pub(crate) async fn sweep(shared: &Shared) -> Result<(), Problem> {
    let age = i64::try_from(shared.settings.limits.unused_age.as_millis()).unwrap_or(i64::MAX);
    let now = shared.now();
    let before = now.saturating_sub(age);
    if !shared.store.needs_sweep(before).await? {
        return Ok(());
    }
    // Now no upload is between its mark and its row.
    let _alone = shared.blobs.alone().await;
    let marked = shared.store.forget_unused(before, now).await?;
    shared.blobs.remove(marked.clone()).await?;
    shared.store.unmark(marked).await
}
