//! The file system without a guest: the tests call its functions like a guest.

mod against_disk;
mod hidden;
mod paths;
mod resolver;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_core::proposal::Change;
use wasmtime::component::Resource;

use super::bindings::Descriptor;
use super::bindings::FileError;
use super::bindings::wasi::filesystem::preopens::Host as _;
use super::bindings::wasi::filesystem::types::{
    DescriptorFlags, DescriptorType, ErrorCode, HostDescriptor as _, HostDirectoryEntryStream as _, OpenFlags,
    PathFlags,
};
use super::file_system::View;
use crate::sandbox::files::{FileKind, Files};
use crate::sandbox::state::GeneState;
use crate::sandbox::{Budgets, Granted, Inputs, ReadFailure, RunLog, Workspace};

/// What a test's workspace holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    File(&'static str),
    Link(String),
    Other,
}

#[derive(Debug)]
struct Scene(BTreeMap<String, Held>);

impl Scene {
    fn text(&self, path: &RepoPath) -> String {
        match &self.0[path.as_str()] {
            Held::File(text) => (*text).to_owned(),
            Held::Link(target) => target.clone(),
            Held::Other => panic!("{path} has no bytes"),
        }
    }
}

impl Files for Scene {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        Ok(self.text(path).len() as u64)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Ok(self.text(path).into_bytes().into())
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        Ok(self.text(path))
    }
}

/// A workspace in which every path that has the name `denied` in it is denied.
fn workspace(scene: &BTreeMap<String, Held>) -> Workspace {
    let list: Vec<_> = scene
        .iter()
        .map(|(path, held)| {
            let kind = match held {
                Held::File(_) => FileKind::File,
                Held::Link(_) => FileKind::Symlink,
                Held::Other => FileKind::Other,
            };
            (RepoPath::new(path).unwrap(), kind)
        })
        .collect();
    Workspace::new(Arc::new(Scene(scene.clone())), list, |path| !is_denied(path.as_str()))
}

fn is_denied(path: &str) -> bool {
    path.split('/').any(|name| name == "denied")
}

/// A call in progress, with its directories open.
struct Guest {
    state: GeneState,
    workspace: u32,
    tmp: u32,
}

type Said<T> = Result<T, ErrorCode>;

fn said<T>(answer: Result<T, FileError>) -> Said<T> {
    answer.map_err(|error| match error {
        FileError::Code(code) => code,
        FileError::Trap(error) => panic!("{error}"),
    })
}

impl Guest {
    fn new(scene: &BTreeMap<String, Held>) -> Self {
        Self::within(&Budgets::default(), scene)
    }

    fn within(budgets: &Budgets, scene: &BTreeMap<String, Held>) -> Self {
        let inputs = Inputs {
            run_log: Arc::new(RunLog::new(&[])),
            workspace: Arc::new(workspace(scene)),
            history: Arc::new([]),
            coverage: Arc::default(),
            now: jiff::Timestamp::UNIX_EPOCH,
            seed: 1,
            settings: Arc::default(),
            carried: Arc::default(),
            completions: Arc::new(crate::sandbox::NoModel),
        };
        let granted = Granted::new(&[Capability::Workspace], &[Capability::Workspace]);
        let mut state = GeneState::new(inputs, granted, budgets, Instant::now());
        let given = state.files().get_directories().unwrap();
        let at = |wanted: &str| given.iter().find(|(_, name)| name == wanted).unwrap().0.rep();
        let (workspace, tmp) = (at("/workspace"), at("/tmp"));
        Self { state, workspace, tmp }
    }

    fn difference(&mut self) -> Vec<Change> {
        self.state.file_system.difference(&mut self.state.meter).unwrap()
    }

    fn view(&mut self) -> View<'_> {
        self.state.files()
    }

    fn open(&mut self, fd: u32, path: &str, open: OpenFlags, flags: DescriptorFlags) -> Said<u32> {
        let answer = self.view().open_at(at(fd), PathFlags::SYMLINK_FOLLOW, path.to_owned(), open, flags);
        said(answer).map(|descriptor| descriptor.rep())
    }

    fn close(&mut self, fd: u32) {
        super::bindings::wasi::filesystem::types::HostDescriptor::drop(&mut self.view(), Resource::new_own(fd))
            .unwrap();
    }

    fn with_file<T>(
        &mut self,
        (fd, path): (u32, &str),
        open: OpenFlags,
        flags: DescriptorFlags,
        body: impl FnOnce(&mut View<'_>, u32) -> Said<T>,
    ) -> Said<T> {
        let file = self.open(fd, path, open, flags)?;
        let result = body(&mut self.view(), file);
        self.close(file);
        result
    }

    fn read(&mut self, fd: u32, path: &str) -> Said<Vec<u8>> {
        self.with_file((fd, path), OpenFlags::empty(), DescriptorFlags::READ, |view, file| {
            said(view.read(at(file), 1 << 30, 0)).map(|(bytes, _)| bytes)
        })
    }

    fn write(&mut self, fd: u32, path: &str, text: &str) -> Said<()> {
        let open = OpenFlags::CREATE | OpenFlags::TRUNCATE;
        self.with_file((fd, path), open, DescriptorFlags::WRITE, |view, file| {
            said(view.write(at(file), text.as_bytes().to_vec(), 0)).map(drop)
        })
    }

    fn append(&mut self, fd: u32, path: &str, text: &str) -> Said<()> {
        self.with_file((fd, path), OpenFlags::empty(), DescriptorFlags::WRITE, |view, file| {
            let size = said(view.stat(at(file)))?.size;
            said(view.write(at(file), text.as_bytes().to_vec(), size)).map(drop)
        })
    }

    fn resize(&mut self, fd: u32, path: &str, size: u64) -> Said<()> {
        self.with_file((fd, path), OpenFlags::empty(), DescriptorFlags::WRITE, |view, file| {
            said(view.set_size(at(file), size))
        })
    }

    fn mkdir(&mut self, fd: u32, path: &str) -> Said<()> {
        said(self.view().create_directory_at(at(fd), path.to_owned()))
    }

    fn rmdir(&mut self, fd: u32, path: &str) -> Said<()> {
        said(self.view().remove_directory_at(at(fd), path.to_owned()))
    }

    fn unlink(&mut self, fd: u32, path: &str) -> Said<()> {
        said(self.view().unlink_file_at(at(fd), path.to_owned()))
    }

    fn rename(&mut self, from: (u32, &str), to: (u32, &str)) -> Said<()> {
        said(self.view().rename_at(at(from.0), from.1.to_owned(), at(to.0), to.1.to_owned()))
    }

    fn list(&mut self, fd: u32, path: &str) -> Said<Vec<(String, DescriptorType)>> {
        let directory = self.open(fd, path, OpenFlags::DIRECTORY, DescriptorFlags::READ)?;
        let stream = said(self.view().read_directory(at(directory))).map(|stream| stream.rep());
        let mut names = Vec::new();
        if let Ok(stream) = stream {
            while let Some(entry) = said(self.view().read_directory_entry(Resource::new_borrow(stream)))? {
                names.push((entry.name, entry.type_));
            }
        }
        self.close(directory);
        stream.map(|_| names)
    }

    /// Every file below a directory, with its bytes; directories end in a slash.
    fn walk(&mut self, fd: u32, path: &str) -> BTreeMap<String, Vec<u8>> {
        let mut all = BTreeMap::new();
        for (name, kind) in self.list(fd, path).unwrap() {
            let path = if path == "." { name } else { format!("{path}/{name}") };
            if kind == DescriptorType::Directory {
                all.extend(self.walk(fd, &path));
                all.insert(format!("{path}/"), Vec::new());
            } else if let Ok(bytes) = self.read(fd, &path) {
                all.insert(path, bytes);
            }
        }
        all
    }
}

fn at(fd: u32) -> Resource<Descriptor> {
    Resource::new_borrow(fd)
}
