//! What a first run of gephost compiled, to be put into other homes. Most tests run the genes that the quickstart runs, and
//! compiling these takes longer than the rest of such a test.
//!
//! What must stay true: a home gets the machine code that gephost itself made and sealed, with the key of that seal.

use std::fs;
use std::path::{Path, PathBuf};

const COMPONENTS: &str = ".cache/gephost/components";
const KEY: &str = ".local/state/gephost/cache.key";

/// Machine code, and the key without which it is not believed.
pub(crate) struct Compiled(Vec<Kept>);

/// A file by its path below a home.
struct Kept {
    path: PathBuf,
    content: Vec<u8>,
    permissions: fs::Permissions,
}

impl Compiled {
    /// What is in this home. `None` if nothing was compiled there.
    pub(crate) fn in_home(home: &Path) -> Option<Self> {
        let names = fs::read_dir(home.join(COMPONENTS)).ok()?.map(|entry| entry.unwrap().file_name());
        let files = names.map(|name| Path::new(COMPONENTS).join(name)).chain([PathBuf::from(KEY)]);
        Some(Self(files.map(|path| Kept::of(home, path)).collect()))
    }

    /// Puts it into an empty home.
    pub(crate) fn put_into(&self, home: &Path) {
        for kept in &self.0 {
            let file = home.join(&kept.path);
            fs::create_dir_all(file.parent().expect("a folder")).unwrap();
            fs::write(&file, &kept.content).unwrap();
            fs::set_permissions(&file, kept.permissions.clone()).unwrap();
        }
    }
}

impl Kept {
    fn of(home: &Path, path: PathBuf) -> Self {
        let file = home.join(&path);
        let content = fs::read(&file).unwrap();
        Self { content, permissions: fs::metadata(&file).unwrap().permissions(), path }
    }
}
