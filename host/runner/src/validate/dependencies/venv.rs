//! What a virtual environment of Python says about its place.

#![expect(clippy::disallowed_methods, reason = "environments are named by path")]

use std::fs;
use std::path::{Path, PathBuf};

use gephost_core::validation::{CONDA_MARK, VENV_MARK};

/// The scripts that activate an environment name its place: the file, and the text before it.
const PLACES: &[(&str, &str)] = &[("bin/activate", "VIRTUAL_ENV="), ("bin/activate.csh", "setenv VIRTUAL_ENV ")];
/// Most bytes of a file that is read for it.
const MAX_SCRIPT_BYTES: u64 = 64 << 10;
/// Most entries of its folder of packages that are looked at.
const MAX_PACKAGES: usize = 20_000;

/// Whether a folder is a virtual environment.
pub(in crate::validate) fn is_venv(folder: &Path) -> bool {
    folder.join(VENV_MARK).is_file()
}

/// Whether a folder is an environment of conda.
pub(in crate::validate) fn is_conda(folder: &Path) -> bool {
    folder.join(CONDA_MARK).is_file()
}

/// Where an environment was made, as its scripts say. It differs from where it is if it was moved, or if its folder has
/// another name through a link.
pub(in crate::validate) fn recorded_place(venv: &Path) -> Option<PathBuf> {
    PLACES.iter().find_map(|(file, mark)| {
        let file = venv.join(file);
        let is_small = fs::metadata(&file).is_ok_and(|found| found.len() <= MAX_SCRIPT_BYTES);
        let text = is_small.then(|| fs::read_to_string(&file).ok()).flatten()?;
        let line = text.lines().find_map(|line| line.trim().strip_prefix(mark))?;
        let place = PathBuf::from(line.trim_matches(['"', '\'', ';', ' ']));
        place.is_absolute().then_some(place)
    })
}

/// Whether packages of an environment are installed from a folder, so that they would be loaded from there.
pub(in crate::validate) fn names_folder(venv: &Path, folder: &Path) -> bool {
    let Some(name) = folder.to_str() else { return false };
    let lib = fs::read_dir(venv.join("lib")).into_iter().flatten().flatten();
    lib.map(|python| python.path().join("site-packages")).any(|packages| {
        let files = fs::read_dir(packages).into_iter().flatten().flatten().take(MAX_PACKAGES);
        files.map(|file| file.path()).any(|file| {
            is_pointer(&file.file_name().unwrap_or_default().to_string_lossy())
                && fs::read_to_string(&file).is_ok_and(|text| text.contains(name))
        })
    })
}

/// Whether a file in the folder of packages says where a package is: `*.pth` and `*.egg-link`, and the finders of
/// editable installations.
pub(super) fn is_pointer(name: &str) -> bool {
    let ends = |ending: &str| name.ends_with(ending);
    ends(".pth") || ends(".egg-link") || (ends(".py") && (name.contains("editable") || name.contains("_finder")))
}
