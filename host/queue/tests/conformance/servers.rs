//! The servers of the suite, on a free port of loopback, in a temporary folder. A server ends, by its process id, with the
//! last test that uses it.

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use gephost_queue::{Bounds, JobQueue, open};
use tempfile::TempDir;

use crate::backend::{Backend, long};

/// Says that a test is skipped, where the test runner does not hide it.
fn skipped(why: &str) {
    std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

/// Whether a program can be started; if not, prints that a test is skipped.
pub(crate) fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !found {
        skipped(&format!("{program} is not installed"));
    }
    found
}

/// A server that runs.
pub(crate) struct Server {
    process: Child,
    start: Start,
    port: u16,
    folder: TempDir,
}

/// How a server is started, again if need be.
type Start = Box<dyn Fn(&Path, u16) -> Command + Send + Sync>;

impl Server {
    /// Starts a server and waits until it can be used. `url` makes its URL of its port.
    pub(crate) fn start(folder: TempDir, start: Start, url: impl Fn(u16) -> String) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = spawn(&start, folder.path(), port);
        let server = Self { process, start, port, folder };
        server.wait_for(&url(port));
        server
    }

    fn wait_for(&self, url: &str) {
        let begin = Instant::now();
        while let Err(error) = open(&format!("{url}{}queue=ready", if url.contains('?') { "&" } else { "?" }), long()) {
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begin.elapsed() < Duration::from_secs(20), "{error}\n{}", log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a queue that no other test uses.
    pub(crate) fn fresh_url(&self) -> String {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let scheme = if self.folder.path().join("nats.conf").exists() { "nats" } else { "postgres" };
        let name = COUNT.fetch_add(1, Ordering::Relaxed);
        let database = if scheme == "nats" { "" } else { "/postgres" };
        format!("{scheme}://gephost:p%40ss%2Fword@127.0.0.1:{}{database}?queue=t{name}", self.port)
    }

    /// Kills the server as a crash would, and starts it again.
    pub(crate) fn crash(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        // PostgreSQL's other processes end when they notice, and hold its memory until then.
        std::thread::sleep(Duration::from_secs(1));
        self.process = spawn(&self.start, self.folder.path(), self.port);
        self.wait_for(self.fresh_url().split('?').next().unwrap());
    }
}

fn spawn(start: &Start, folder: &Path, port: u16) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join("log")).unwrap();
    start(folder, port).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        // PostgreSQL's fast shutdown, which takes its other processes along.
        let asked = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status();
        let begin = Instant::now();
        while asked.is_ok() && begin.elapsed() < Duration::from_secs(10) && matches!(self.process.try_wait(), Ok(None))
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Backend for Server {
    fn fresh(&self, bounds: Bounds) -> Box<dyn Fn() -> Box<dyn JobQueue> + Sync> {
        let url = self.fresh_url();
        Box::new(move || open(&url, bounds).unwrap())
    }
}

/// Runs a test on the PostgreSQL server that all tests share, if it is installed.
pub(crate) fn with_postgres(test: impl FnOnce(&Server)) {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    if let Some(server) = shared(&SHARED, || postgres(&[])) {
        test(&server);
    }
}

/// Runs a test on the NATS server that all tests share, if it is installed.
pub(crate) fn with_nats(test: impl FnOnce(&Server)) {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    if let Some(server) = shared(&SHARED, || nats("")) {
        test(&server);
    }
}

fn shared(place: &Mutex<Weak<Server>>, start: impl Fn() -> Option<Server>) -> Option<Arc<Server>> {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = place.upgrade() {
        return Some(server);
    }
    let server = Arc::new(start()?);
    *place = Arc::downgrade(&server);
    Some(server)
}

/// A PostgreSQL server with further settings.
pub(crate) fn postgres(settings: &[(&str, &str)]) -> Option<Server> {
    let Some(programs) = postgres_programs() else {
        skipped("PostgreSQL's server is not installed");
        return None;
    };
    let folder = folder();
    let (data, password) = (folder.path().join("data"), folder.path().join("password"));
    std::fs::write(&password, "p@ss/word\n").unwrap();
    // PostgreSQL does not run as root.
    let is_root = folder.path().metadata().unwrap().uid() == 0;
    if is_root {
        own(folder.path());
        own(&password);
    }
    let made = as_postgres(&programs.join("initdb"), is_root)
        .arg("-D")
        .arg(&data)
        .args(["-U", "gephost", "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C", "--pwfile"])
        .arg(&password)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let start = move |folder: &Path, port: u16| {
        let mut command = as_postgres(&programs.join("postgres"), is_root);
        command.arg("-D").arg(folder.join("data")).args(["-p", &port.to_string()]);
        command.args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "timezone=Asia/Kolkata"]);
        command.arg("-c").arg(format!("unix_socket_directories={}", folder.display()));
        for setting in &settings {
            command.arg("-c").arg(setting);
        }
        command.current_dir(folder);
        command
    };
    let url = |port| format!("postgres://gephost:p%40ss%2Fword@127.0.0.1:{port}/postgres?sslmode=disable");
    Some(Server::start(folder, Box::new(start), url))
}

/// A NATS server with JetStream and further lines in its configuration.
pub(crate) fn nats(further: &str) -> Option<Server> {
    nats_at(further, |port| format!("nats://gephost:p%40ss%2Fword@127.0.0.1:{port}"))
}

/// The same, with the URL at which it can be used.
pub(crate) fn nats_at(further: &str, url: impl Fn(u16) -> String) -> Option<Server> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/nats-server/bin/nats-server");
    let program = if tool.exists() { tool } else { PathBuf::from("nats-server") };
    if !is_installed(program.to_str()?) {
        return None;
    }
    let folder = folder();
    let config = format!(
        "host: 127.0.0.1\nauthorization {{ user: gephost, password: \"p@ss/word\" }}\n\
         jetstream {{ store_dir: \"{}/store\" }}\n{further}\n",
        folder.path().display()
    );
    std::fs::write(folder.path().join("nats.conf"), config).unwrap();
    let start = move |folder: &Path, port: u16| {
        let mut command = Command::new(&program);
        command.arg("-c").arg(folder.join("nats.conf")).args(["-p", &port.to_string()]);
        command
    };
    Some(Server::start(folder, Box::new(start), url))
}

fn folder() -> TempDir {
    tempfile::Builder::new().prefix("gephost-queue-").tempdir().unwrap()
}

/// Gives a file to the user `postgres`.
pub(crate) fn own(path: &Path) {
    assert!(Command::new("chown").arg("postgres").arg(path).status().unwrap().success());
}

fn as_postgres(program: &Path, is_root: bool) -> Command {
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command
}

/// The folder of the newest installed server.
fn postgres_programs() -> Option<PathBuf> {
    let mut all: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, programs)| programs.join("initdb").exists() && programs.join("postgres").exists())
        .collect();
    all.sort();
    all.pop().map(|(_, programs)| programs)
}
