//! Lands a published commit: the checked-out branch moves forward to it, with the files of the checkout and the index.
//!
//! It is done only where it touches nothing that a person has not committed; else everything stays, and the reason is
//! said. No hook, filter or line-end rule runs, so a file that git would convert is refused too.
//!
//! Order, and what is true when it stops in between: everything is looked at ([`check_landable`]), before the journal says
//! that it begins; the locks of the index and of the branch are taken and everything is looked at again under them; the
//! files are exchanged; the index takes its place; the branch moves, which is a rename. Until the index is in place
//! [`settle_landed`] undoes, from there on it finishes. git itself refuses to work while its index is locked.

mod check;
mod conversion;
mod error;
mod files;
mod index;
mod path;
mod scene;
#[cfg(test)]
mod tests;

use std::path::Path;

use git2::Index;

use super::lock_file::release_left;
use super::refs::{Held, Update, current, hold, release_locks};
use super::{Identity, Mark, Project};
use check::check;
pub use error::LandError;
use error::io;
use files::Stands;
use path::as_path;
pub use scene::Forward;
use scene::{Scene, Step, entry_at};

/// What the reflog says.
const WHY: &str = "gephost: land";

/// The branch that a landing would move: the one that is checked out.
pub fn landing_branch(project: &Project) -> Result<String, LandError> {
    project.head()?.branch.ok_or(LandError::Detached)
}

/// Whether [`land`] would touch nothing that is not committed. Changes nothing.
pub fn check_landable(project: &Project, forward: Forward<'_>, mark: &Mark) -> Result<(), LandError> {
    let repository = project.repository();
    let scene = Scene::open(&repository, forward, mark)?;
    check(&scene, &Index::open(&scene.index)?)
}

/// Moves the branch, the index and the files forward. Afterwards all of it is on disk.
pub fn land(project: &Project, forward: Forward<'_>, by: &Identity, mark: &Mark) -> Result<(), LandError> {
    let repository = project.repository();
    let scene = Scene::open(&repository, forward, mark)?;
    let name = scene.ref_name();
    let lock = scene.lock_index()?;
    check(&scene, &Index::open(&scene.index)?)?;
    let update = Update { name: &name, old: Some(scene.from), new: scene.to, by, why: WHY };
    let held = hold(&repository, update, mark).map_err(scene.ref_failed())?;
    scene.carry_out(lock, held).map_err(|error| LandError::HalfWay(Box::new(error)))
}

/// Cleans away what a killed [`land`] left, and says whether the branch has moved: finished where the index was in place,
/// else undone. May be asked any number of times. What a person changed since then stays.
pub fn settle_landed(project: &Project, forward: Forward<'_>, by: &Identity, mark: &Mark) -> Result<bool, LandError> {
    let repository = project.repository();
    let scene = Scene::open(&repository, forward, mark)?;
    let name = scene.ref_name();
    index::remove_left(repository.path(), mark).map_err(io(repository.path()))?;
    release_left(repository.path(), &scene.index, mark).map_err(io(&scene.index))?;
    release_locks(repository.commondir(), &name, mark).map_err(io(Path::new(&name)))?;
    for step in &scene.steps {
        let recovered = scene.checkout.recover(&step.path, [step.old.as_ref(), step.new.as_ref()]);
        recovered.map_err(io(as_path(&step.path)))?;
    }
    let at = current(&repository, &name)?;
    if at.is_some_and(|at| at == scene.to || repository.graph_descendant_of(at, scene.to).unwrap_or(false)) {
        return Ok(true);
    }
    let index = Index::open(&scene.index)?;
    let has = |step: &Step, leaf| entry_at(&index, &step.path) == leaf;
    if at == Some(scene.from) && scene.steps.iter().all(|step| has(step, step.after)) {
        let update = Update { name: &name, old: at, new: scene.to, by, why: WHY };
        hold(&repository, update, mark).and_then(Held::commit).map_err(scene.ref_failed())?;
        return Ok(true);
    }
    for step in scene.steps.iter().rev().filter(|step| has(step, step.before)) {
        let stands = scene.checkout.stands(&step.path, step.new.as_ref());
        if stands.map_err(io(as_path(&step.path)))? == Stands::AsExpected {
            scene.exchange(step, step.new.as_ref(), step.old.as_ref())?;
        }
    }
    Ok(false)
}
