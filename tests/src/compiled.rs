//! What the first run of gephost compiles, for the homes of tests. Most tests run the genes that the quickstart runs, and
//! compiling these takes longer than the rest of such a test.
//!
//! What must stay true: a home gets the machine code that gephost itself made and sealed, with the key of that seal.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::environment::TestEnv;
use crate::repository;

const COMPONENTS: &str = ".cache/gephost/components";
const KEY: &str = ".local/state/gephost/cache.key";

static FIRST_RUN: LazyLock<Vec<Kept>> = LazyLock::new(first_run);

/// A file by its path below a home.
struct Kept {
    path: PathBuf,
    content: Vec<u8>,
    permissions: fs::Permissions,
}

impl Kept {
    fn of(home: &Path, path: PathBuf) -> Self {
        let file = home.join(&path);
        Self { content: fs::read(&file).unwrap(), permissions: fs::metadata(&file).unwrap().permissions(), path }
    }
}

/// Puts it into an empty home.
pub(crate) fn put_into(home: &Path) {
    for kept in &*FIRST_RUN {
        let file = home.join(&kept.path);
        fs::create_dir_all(file.parent().expect("a folder")).unwrap();
        fs::write(&file, &kept.content).unwrap();
        fs::set_permissions(&file, kept.permissions.clone()).unwrap();
    }
}

fn first_run() -> Vec<Kept> {
    let env = TestEnv::cold();
    let ran = env.run(&repository(), &["run", "-C", "examples/quickstart"]);
    let Ok(entries) = fs::read_dir(env.home().join(COMPONENTS)) else { panic!("nothing was compiled: {ran:?}") };
    let names = entries.map(|entry| entry.unwrap().file_name());
    let files = names.map(|name| Path::new(COMPONENTS).join(name)).chain([PathBuf::from(KEY)]);
    files.map(|path| Kept::of(env.home(), path)).collect()
}
