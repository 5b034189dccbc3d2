//! Published packages, fetched by the ordinary client of their registry.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::TestEnv;
use crate::project::TestProject;

/// Where packages are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// Python; a release is `NAME==VERSION`.
    PyPi,
    /// Node; a release is `NAME@VERSION`.
    Npm,
    /// Rust; a release is `NAME@VERSION`.
    Crates,
}

/// The archive of one release, in a folder that is removed with this value.
pub struct Archive {
    folder: tempfile::TempDir,
}

/// A build backend that only says which release it is. pip asks an sdist for its metadata before it keeps the archive. The
/// setup script of an old one does not run under a new Python, and none should run because somebody downloads it.
const BACKEND: &str = r#"import os


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    found = {}
    with open("PKG-INFO", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            found.setdefault(name, value.strip())
    name = "%s-%s.dist-info" % (found["Name"].replace("-", "_"), found["Version"])
    os.mkdir(os.path.join(folder, name))
    with open(os.path.join(folder, name, "METADATA"), "w") as metadata:
        metadata.write("Metadata-Version: 2.1\nName: %(Name)s\nVersion: %(Version)s\n" % found)
    return name


def build_wheel(folder, config_settings=None, metadata_directory=None):
    raise SystemExit("this backend builds nothing")


class __legacy__:
    prepare_metadata_for_build_wheel = staticmethod(prepare_metadata_for_build_wheel)
    build_wheel = staticmethod(build_wheel)
"#;

impl Archive {
    /// Fetches a release. If the client downloads nothing, says why.
    pub fn of(registry: Registry, release: &str) -> Result<Self, String> {
        match registry {
            Registry::PyPi => {
                let stub = tempfile::tempdir().unwrap();
                let package = stub.path().join("setuptools");
                fs::create_dir(&package).unwrap();
                fs::write(package.join("__init__.py"), "").unwrap();
                fs::write(package.join("build_meta.py"), BACKEND).unwrap();
                let mut pip = Command::new("python3");
                pip.args(["-m", "pip", "download", "-q", "--disable-pip-version-check", "--retries", "1"])
                    .args(["--timeout", "20", "--no-deps", "--no-binary", ":all:", "--no-build-isolation"])
                    .args(["--use-pep517", release])
                    .env("PYTHONPATH", stub.path());
                Self::by(&mut pip)
            }
            Registry::Npm => Self::by(Command::new("npm").args(["pack", "--silent", release])),
            Registry::Crates => Self::of_crate(release),
        }
    }

    /// The release of a crate, which is vendored by a project that requires it.
    fn of_crate(release: &str) -> Result<Self, String> {
        let (name, version) = release.split_once('@').ok_or("a crate is NAME@VERSION")?;
        let archive = Self { folder: tempfile::tempdir().unwrap() };
        let project = archive.folder.path().join("fetches");
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(project.join("src/lib.rs"), "").unwrap();
        let package = "[package]\nname = \"fetches\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
        fs::write(project.join("Cargo.toml"), format!("{package}[dependencies]\n{name} = \"={version}\"\n")).unwrap();
        let vendored = run(Command::new("cargo").args(["vendor", "-q", "vendor"]).current_dir(&project));
        let source = project.join("vendor").join(name);
        if !source.is_dir() {
            return Err(format!("cargo fetched nothing: {vendored}"));
        }
        let manifest = source.join("Cargo.toml");
        let alone = fs::read_to_string(&manifest).unwrap() + "\n[workspace]\n";
        fs::write(manifest, alone).unwrap();
        fs::remove_file(source.join(".cargo-checksum.json")).unwrap();
        let file = archive.folder.path().join("crate.tar.gz");
        run(Command::new("tar").args(["-c", "-z", "-f"]).arg(&file).arg(name).current_dir(project.join("vendor")));
        Ok(archive)
    }

    /// Runs a registry's client in a new folder. If it downloads no archive, says why.
    pub fn by(command: &mut Command) -> Result<Self, String> {
        let archive = Self { folder: tempfile::tempdir().unwrap() };
        let home = archive.folder.path().join("home");
        fs::create_dir(&home).unwrap();
        let program = command.get_program().to_owned();
        let said = run(command.current_dir(archive.folder.path()).env("npm_config_cache", home.join("npm")));
        if archive.path().is_none() {
            return Err(format!("{} fetched nothing: {said}", program.display()));
        }
        Ok(archive)
    }

    fn path(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let is_archive =
            |path: &PathBuf| path.extension().is_some_and(|end| ["gz", "tgz", "zip"].map(Some).contains(&end.to_str()));
        files.into_iter().find(is_archive)
    }

    /// A folder with the files of the archive.
    pub fn unpacked(&self, env: &TestEnv) -> TestProject {
        let project = TestProject::without_git(&[]);
        let archive = self.path().unwrap();
        let unpacked = if archive.extension().is_some_and(|end| end == "zip") {
            self.unzip(env, &archive, project.root())
        } else {
            let arguments = ["-x", "-z", "--strip-components", "1", "--no-same-owner", "-f"];
            env.command("tar", project.root()).args(arguments).arg(&archive).status().unwrap().success()
        };
        assert!(unpacked, "{} cannot be unpacked", archive.display());
        project
    }

    fn unzip(&self, env: &TestEnv, archive: &Path, into: &Path) -> bool {
        let inner = self.folder.path().join("unpacked");
        let mut unzip = env.command("python3", into);
        let unzipped = unzip.args(["-m", "zipfile", "-e"]).arg(archive).arg(&inner).status().unwrap().success();
        let top = fs::read_dir(&inner).unwrap().next().unwrap().unwrap().path();
        let copied = env.command("cp", into).arg("-a").arg(top.join(".")).arg(into).status();
        unzipped && copied.unwrap().success()
    }

    /// A repository with the files of the archive, and these.
    pub fn project(&self, env: &TestEnv, files: &[(&str, &str)]) -> TestProject {
        let project = self.unpacked(env);
        for (path, text) in files {
            project.write(path, text);
        }
        project.git(env, &["init", "-q", "-b", "main"]);
        project.commit_all(env);
        project
    }
}

/// Runs a command and returns what it says on stderr.
fn run(command: &mut Command) -> String {
    let output = command.output();
    let said = output.map_or_else(|error| error.to_string(), |it| String::from_utf8_lossy(&it.stderr).into_owned());
    said.trim().to_owned()
}
