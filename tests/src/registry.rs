//! Published packages, fetched by the ordinary client of their registry.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::environment::TestEnv;
use crate::project::TestProject;

/// The archive of one release, in a folder that is removed with this value.
pub struct Archive {
    folder: tempfile::TempDir,
}

impl Archive {
    /// Runs a registry's client in a new folder. If it downloads no archive, says why.
    pub fn by(command: &mut Command) -> Result<Self, String> {
        let archive = Self { folder: tempfile::tempdir().unwrap() };
        let home = archive.folder.path().join("home");
        fs::create_dir(&home).unwrap();
        let program = command.get_program().to_owned();
        let output = command.current_dir(archive.folder.path()).env("npm_config_cache", home.join("npm")).output();
        if archive.path().is_none() {
            let said =
                output.map_or_else(|error| error.to_string(), |it| String::from_utf8_lossy(&it.stderr).into_owned());
            return Err(format!("{} fetched nothing: {}", program.display(), said.trim()));
        }
        Ok(archive)
    }

    fn path(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let is_archive =
            |path: &PathBuf| path.extension().is_some_and(|end| ["gz", "tgz", "zip"].map(Some).contains(&end.to_str()));
        files.into_iter().find(is_archive)
    }

    /// A repository with the files of the archive, and these.
    pub fn project(&self, env: &TestEnv, files: &[(&str, &str)]) -> TestProject {
        let project = TestProject::without_git(files);
        let archive = self.path().unwrap();
        let unpacked = if archive.extension().is_some_and(|end| end == "zip") {
            let inner = self.folder.path().join("unpacked");
            let mut unzip = env.command("python3", project.root());
            let unzipped = unzip.args(["-m", "zipfile", "-e"]).args([&archive, &inner]).status().unwrap().success();
            let top = fs::read_dir(&inner).unwrap().next().unwrap().unwrap().path();
            let copied = env.command("cp", project.root()).arg("-a").arg(top.join(".")).arg(project.root()).status();
            unzipped && copied.unwrap().success()
        } else {
            let arguments = ["-x", "-z", "--strip-components", "1", "--no-same-owner", "-f"];
            env.command("tar", project.root()).args(arguments).arg(&archive).status().unwrap().success()
        };
        assert!(unpacked, "{} cannot be unpacked", archive.display());
        project.git(env, &["init", "-q", "-b", "main"]);
        project.commit_all(env);
        project
    }
}
