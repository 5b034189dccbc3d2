//! Debian's `docker-registry` on a free port of loopback, in a temporary folder. It ends, by its process id, with its test.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A registry that runs.
pub(crate) struct DockerRegistry {
    process: Child,
    pub(crate) port: u16,
    _folder: TempDir,
}

impl DockerRegistry {
    /// Starts one; `None`, with a word, if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let root = folder.path().display();
        let config = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {root}/data}}}}\n\
             http: {{addr: '127.0.0.1:{port}'}}\n"
        );
        let file = folder.path().join("config.yml");
        std::fs::write(&file, config).unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new("docker-registry");
        command.arg("serve").arg(&file).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let Ok(process) = command.spawn() else {
            std::io::stderr().write_all(b"skipped: docker-registry is not installed\n").unwrap();
            return None;
        };
        let server = Self { process, port, _folder: folder };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(30), "the registry does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(server)
    }
}

impl Drop for DockerRegistry {
    fn drop(&mut self) {
        // A process that ended by itself is waited for all the same.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
