//! Prepares a work copy for commands: shows it the dependencies of the checkout and the caches, and says with which
//! search path, folder and words each command runs.

#![expect(clippy::disallowed_methods, reason = "environments are named by path")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gephost_core::command::{RecordedRun, ValidationCommand};
use gephost_core::policy::Policy;
use gephost_core::validation::{Cache, Level};

use super::caches;
use super::dependencies::{Found, How, Mirror, Outside, find, hoisted, holders, is_venv, names_folder, recorded_place};
use super::machine::Machine;
use super::readable;
use crate::worktree::{WorkCopy, is_tracked};

/// The names of a virtual environment, the usual ones first.
const VENV_NAMES: &[&str] = &[".venv", "venv", "env"];
/// Programs of dependencies, after those of the search path.
const PROGRAMS: &[&str] = &["node_modules/.bin", "vendor/bin"];

/// What a work copy is prepared with.
pub(super) struct Sources<'a> {
    /// The operator's toolchains.
    pub(super) machine: &'a Machine,
    /// The operator's folder of the project.
    pub(super) checkout: &'a Path,
    /// The operator's policy.
    pub(super) policy: &'a Policy,
    /// The confinement level.
    pub(super) level: Level,
    /// The caches that the operator named.
    pub(super) caches: &'a [Cache],
    /// Further files and folders that may be read.
    pub(super) readable: &'a [String],
}

/// A work copy that is ready.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    mirror: Mirror<'a>,
    project: PathBuf,
    /// What commands must be able to read.
    pub(super) readable: Vec<PathBuf>,
    /// Variables that say where caches are.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// The search path, with environments of the work copy in the place of the operator's.
    path: Vec<PathBuf>,
    /// Environments: how the operator names each, and where it is now. Those at the project's root come first.
    venvs: Vec<(PathBuf, PathBuf)>,
    /// Whether the operator's search path has an environment.
    is_active: bool,
    /// What could not be shown, and what the operator can do about it.
    pub(super) notes: Vec<String>,
}

/// Prepares a work copy for these commands. An error says why no command can be run in it.
pub(super) fn prepare<'a>(
    sources: &Sources<'a>,
    commands: &[ValidationCommand],
    copy: &WorkCopy,
) -> io::Result<Prepared<'a>> {
    let found = find(copy.project(), sources.checkout, sources.policy);
    check_taken(&found, sources.checkout)?;
    let shown = shown(&found, sources, copy.project());
    let files = copy.folder().join("files");
    let hoisted = hoisted(copy.project(), &files, sources.checkout);
    let outside = outside_venvs(sources, commands);
    let mut venvs = Vec::new();
    for path in &shown {
        let from = sources.checkout.join(path);
        if is_venv(&from) {
            venvs.push((from, copy.project().join(path)));
        }
    }
    venvs.extend(hoisted.iter().filter(|(from, _)| is_venv(from)).cloned());
    venvs.sort_by_key(|(from, _)| rank(from, sources.checkout));
    let others = outside.into_iter().enumerate();
    venvs.extend(others.map(|(number, from)| (from, copy.home().join(format!(".venvs/{number}")))));
    let how = if sources.level == Level::L0 { How::Copies } else { How::Links };
    let mut moves = moves(&venvs, sources.checkout, copy.project());
    moves.extend(repository(sources.checkout, copy.project(), &files));
    let mut prepared = Prepared {
        mirror: Mirror::new(how, sources.policy, sources.checkout, moves),
        project: copy.project().to_owned(),
        readable: sources.machine.readable(),
        environment: Vec::new(),
        path: Vec::new(),
        venvs,
        is_active: false,
        notes: Vec::new(),
    };
    prepared.show(&shown, sources)?;
    prepared.show_hoisted(&hoisted);
    prepared.set_path(sources.machine);
    let home = copy.home();
    let opened = caches::open(sources.caches, sources.machine, &caches::Place { home: &home, used: &found.caches })?;
    prepared.readable.extend(opened.readable);
    prepared.readable.extend(sources.readable.iter().map(Into::into));
    prepared.environment = opened.environment;
    if sources.level > Level::L0 {
        prepared.note_outside();
    }
    prepared.note_unshown(&found, sources);
    Ok(prepared)
}

/// A change may not put files into a folder of dependencies that git does not track: they would be taken for the
/// operator's own.
fn check_taken(found: &Found, checkout: &Path) -> io::Result<()> {
    for path in &found.taken {
        if !is_tracked(checkout, "", &[path]).map_err(|error| io::Error::other(error.to_string()))? {
            let text = format!("the change puts files into {path}, where your dependencies are and git tracks nothing");
            return Err(io::Error::other(text));
        }
    }
    Ok(())
}

/// The folders that are shown: those that were found, and those that the operator named.
fn shown(found: &Found, sources: &Sources<'_>, project: &Path) -> BTreeSet<String> {
    let mut shown: BTreeSet<String> = found.shown.iter().cloned().collect();
    let named = sources.caches.iter().filter_map(|cache| match cache {
        Cache::Folder(path) => Some(path.as_str().to_owned()),
        Cache::Cargo | Cache::Npm | Cache::Pip | Cache::Go => None,
    });
    let is_folder = |path: &String| fs::symlink_metadata(sources.checkout.join(path)).is_ok_and(|found| found.is_dir());
    let is_free = |path: &String| fs::symlink_metadata(project.join(path)).is_err();
    shown.extend(named.filter(|path| is_folder(path) && is_free(path)));
    shown.extend(found.links.iter().filter(|path| granted_target(path, sources).is_some()).cloned());
    // What lies in another shown folder comes with it.
    let all = shown.clone();
    shown.retain(|path| !all.iter().any(|other| path != other && Path::new(path).starts_with(other)));
    shown
}

/// Whether the operator named a folder in `caches`.
fn is_named(path: &str, sources: &Sources<'_>) -> bool {
    sources.caches.iter().any(|cache| matches!(cache, Cache::Folder(named) if named.as_str() == path))
}

/// Where a link out of the checkout leads, if the operator lets commands read that.
fn granted_target(path: &str, sources: &Sources<'_>) -> Option<PathBuf> {
    let target = sources.checkout.join(path).canonicalize().ok()?;
    sources.readable.iter().any(|known| target.starts_with(known)).then_some(target)
}

/// Environments outside of the checkout from which the checkout's own packages would be loaded, or in which a command was
/// recorded. Commands get their own form of them.
fn outside_venvs(sources: &Sources<'_>, commands: &[ValidationCommand]) -> BTreeSet<PathBuf> {
    let recorded = commands.iter().filter_map(|command| command.recorded()?.environment.as_deref());
    let recorded = recorded.map(PathBuf::from).filter(|venv| venv.is_absolute() && is_venv(venv));
    let path = std::env::split_paths(&sources.machine.search_path()).collect::<Vec<_>>();
    let on_path = path.iter().filter_map(|folder| venv_of(folder));
    let on_path = on_path.filter(|venv| names_folder(venv, sources.checkout)).map(Path::to_owned);
    on_path.chain(recorded).filter(|venv| !venv.starts_with(sources.checkout)).collect()
}

/// The environment whose programs are in a folder.
fn venv_of(folder: &Path) -> Option<&Path> {
    folder.parent().filter(|above| folder.ends_with("bin") && is_venv(above))
}

/// Environments at the project's root come first, under their usual names.
fn rank(venv: &Path, checkout: &Path) -> (bool, usize, PathBuf) {
    let name = venv.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let usual = VENV_NAMES.iter().position(|usual| *usual == name).unwrap_or(VENV_NAMES.len());
    (venv.parent() != Some(checkout), usual, venv.to_owned())
}

/// The folders of the operator, and the replacement of each. An environment that was made under another name of the
/// checkout, or moved, is also known by that.
fn moves(venvs: &[(PathBuf, PathBuf)], checkout: &Path, project: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut moves = vec![(checkout.to_owned(), project.to_owned())];
    for (from, to) in venvs {
        moves.push((from.clone(), to.clone()));
        let Some(place) = recorded_place(from).filter(|place| place != from) else { continue };
        let within = from.strip_prefix(checkout).ok().filter(|within| place.ends_with(within));
        let root = within.and_then(|within| place.ancestors().nth(within.components().count()));
        moves.extend(root.filter(|root| root.parent().is_some()).map(|root| (root.to_owned(), project.to_owned())));
        moves.push((place, to.clone()));
    }
    moves
}

/// The root of the repository, if the project is a folder in it, and its replacement.
fn repository(checkout: &Path, project: &Path, files: &Path) -> Option<(PathBuf, PathBuf)> {
    let depth = project.strip_prefix(files).ok()?.components().count();
    let root = checkout.ancestors().nth(depth).filter(|_| depth > 0)?;
    Some((root.to_owned(), files.to_owned()))
}

impl Prepared<'_> {
    fn show(&mut self, shown: &BTreeSet<String>, sources: &Sources<'_>) -> io::Result<()> {
        for path in shown {
            let from = sources.checkout.join(path);
            let from =
                granted_target(path, sources).filter(|target| !target.starts_with(sources.checkout)).unwrap_or(from);
            if let Err(error) = self.mirror.show(&from, &self.project.join(path), is_named(path, sources)) {
                self.notes.push(format!("validation commands do not see all of {path}: {error}"));
            }
        }
        for (from, to) in self.venvs.iter().filter(|(from, _)| !from.starts_with(sources.checkout)) {
            self.mirror.show(from, to, false)?;
        }
        self.readable.append(&mut self.mirror.readable);
        Ok(())
    }

    /// Shows what packages of a workspace share.
    fn show_hoisted(&mut self, hoisted: &[(PathBuf, PathBuf)]) {
        for (from, to) in hoisted {
            // An environment outside of the project was shown with the others.
            if fs::symlink_metadata(to).is_ok() {
                continue;
            }
            if let Err(error) = self.mirror.show(from, to, false) {
                self.notes.push(format!("validation commands do not see all of {}: {error}", from.display()));
            }
        }
        self.readable.append(&mut self.mirror.readable);
    }

    fn set_path(&mut self, machine: &Machine) {
        let folders: Vec<PathBuf> = std::env::split_paths(&machine.search_path()).collect();
        self.is_active = folders.iter().any(|folder| venv_of(folder).is_some());
        self.path = folders.into_iter().map(|folder| self.moved(&folder)).collect();
    }

    /// A folder of programs, as the work copy has it.
    fn moved(&self, folder: &Path) -> PathBuf {
        let of_venv = self.venvs.iter().find_map(|(from, to)| Some(to.join(folder.strip_prefix(from).ok()?)));
        of_venv.unwrap_or_else(|| folder.to_owned())
    }

    /// The search path of a command, and the environment that comes first in it.
    pub(super) fn search_path(&self, command: &ValidationCommand) -> (OsString, Option<PathBuf>) {
        let first = self.first_venv(command.recorded());
        let mut path: Vec<PathBuf> = first.iter().map(|venv| venv.join("bin")).collect();
        path.extend(self.path.iter().cloned());
        path.extend(PROGRAMS.iter().map(|programs| self.project.join(programs)).filter(|folder| folder.is_dir()));
        path.extend(self.venvs.iter().map(|(_, to)| to.join("bin")));
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in path {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let named = first.or_else(|| folders.iter().find_map(|folder| venv_of(folder).map(Path::to_owned)));
        let joined = std::env::join_paths(folders).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into());
        (joined, named)
    }

    /// The environment that was active when a command was recorded. For other commands, the project's own one, unless the
    /// operator activated another.
    fn first_venv(&self, recorded: Option<&RecordedRun>) -> Option<PathBuf> {
        let named =
            |name: &str| self.venvs.iter().find(|(from, to)| from == Path::new(name) || *to == self.project.join(name));
        let found = match recorded {
            Some(recorded) => recorded.environment.as_deref().and_then(named),
            None if self.is_active => None,
            None => self.venvs.iter().find(|(_, to)| to.parent() == Some(&self.project)),
        };
        found.map(|(_, to)| to.clone())
    }

    /// The folder in which a command runs.
    pub(super) fn directory(&self, command: &ValidationCommand) -> PathBuf {
        let folder = command.recorded().and_then(|recorded| recorded.folder.as_deref()).unwrap_or_default();
        if folder.is_empty() { self.project.clone() } else { self.project.join(folder) }
    }

    /// The words of a command, with the work copy's folders in the place of the operator's.
    pub(super) fn argv(&self, command: &ValidationCommand) -> Vec<String> {
        command.argv().iter().map(|word| self.mirror.word(word)).collect()
    }

    /// Notes what shown folders lead to and commands cannot read.
    fn note_outside(&mut self) {
        let system = readable::system();
        let may_read =
            |path: &Path| system.iter().chain(&self.readable).any(|known| path.starts_with(known) && known.exists());
        let mut noted = BTreeSet::new();
        for Outside { from, to } in std::mem::take(&mut self.mirror.outside) {
            let Ok(real) = to.canonicalize() else { continue };
            if may_read(&to) && may_read(&real) {
                continue;
            }
            let whole = whole(&real);
            if noted.insert(whole.clone()) {
                self.notes.push(format!(
                    "validation commands cannot read {}, which {} leads to; to let them, write this into [validation] of \
                     gephost.toml, then `gephost trust`: read = [{:?}]",
                    whole.display(),
                    from.display(),
                    whole.display().to_string()
                ));
            }
        }
    }

    /// Notes folders that hold what commands missed, by their outputs.
    pub(super) fn note_unseen(&mut self, outputs: &[String], checkout: &Path) {
        for path in holders(&self.project, checkout, outputs) {
            self.notes.push(format!(
                "validation commands do not see {path}, because git does not track it; to show it, write this into \
                 [validation] of gephost.toml, then `gephost trust`: caches = [{path:?}]"
            ));
        }
    }

    fn note_unshown(&mut self, found: &Found, sources: &Sources<'_>) {
        for path in found.denied.iter().filter(|path| !is_named(path, sources)) {
            self.notes.push(format!(
                "validation commands do not see {path}, because `deny` of [policy] names it; to show it, write this into \
                 [validation] of gephost.toml, then `gephost trust`: caches = [{path:?}]"
            ));
        }
        for path in found.links.iter().filter(|path| granted_target(path, sources).is_none()) {
            // A link to nothing shows nothing to anybody.
            let Ok(target) = sources.checkout.join(path).canonicalize() else { continue };
            let target = target.display().to_string();
            self.notes.push(format!(
                "validation commands do not see {path}, because it is a link to {target}; to let them, write this into \
                 [validation] of gephost.toml, then `gephost trust`: read = [{target:?}]"
            ));
        }
    }
}

/// The folder to name for a file: for a program, the one that has its libraries too.
fn whole(path: &Path) -> PathBuf {
    let programs = path.parent().filter(|above| above.ends_with("bin"));
    programs.and_then(Path::parent).unwrap_or(path).to_owned()
}
