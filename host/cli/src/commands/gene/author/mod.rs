//! What a gene's author does: `gephost gene new`, `wit`, `build`, `pack`, `check` and `test`.

mod build;
mod check;
mod junit;
mod manifest;
mod new;
mod pack;
mod run;
mod test;
mod wit;

pub(crate) use build::GeneBuildPage;
pub(crate) use check::GeneCheckPage;
pub(crate) use manifest::GeneManifest;
pub(crate) use new::GeneNewPage;
pub(crate) use pack::GenePackPage;
pub(crate) use run::GeneRunPage;
pub(crate) use test::GeneTestPage;
pub(crate) use wit::GeneWitPage;

pub(super) use build::run as build;
pub(super) use check::run as check;
pub(super) use new::run as new;
pub(super) use pack::run as pack;
pub(super) use run::run as run_alone;
pub(super) use test::run as test;
pub(super) use wit::run as wit;
