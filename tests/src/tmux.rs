//! A terminal of tmux, with a server of its own.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::environment::TestEnv;

/// A server, and what each of its commands is started with.
#[derive(Clone, Copy)]
pub struct Tmux<'a> {
    /// The environment of the programs in it.
    pub env: &'a TestEnv,
    /// The folder in which they start.
    pub folder: &'a Path,
    /// The name of the server. One that ended takes no new session.
    pub server: &'a str,
    /// The lines that it keeps.
    pub lines: &'static str,
    /// Adds to the environment.
    pub prepare: &'a dyn Fn(&mut Command),
}

impl Tmux<'_> {
    /// Runs a command of tmux, and returns what it prints.
    pub fn run(&self, arguments: &[&str]) -> String {
        let mut command = self.env.command("tmux", self.folder);
        (self.prepare)(&mut command);
        command.env("TMUX_TMPDIR", self.env.home()).env("TERM", "xterm-256color");
        let ran = command.args(["-L", self.server, "-f", "/dev/null"]).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    /// Starts a program in a terminal of so many columns.
    pub fn open(&self, columns: usize, program: &[&str]) {
        let columns = columns.to_string();
        self.run(&[&["new-session", "-d", "-x", &columns, "-y", self.lines], program].concat());
    }

    /// Looks again and again at what the terminal shows, until `end` finds in it what it waits for. `capture` is how tmux
    /// writes it.
    pub fn wait_for<T>(&self, patience: Duration, capture: &[&str], mut end: impl FnMut(&str) -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            let shown = self.run(&[&["capture-pane", "-p"], capture].concat());
            if let Some(found) = end(&shown) {
                return found;
            }
            assert!(began.elapsed() < patience, "still waiting: {shown}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
