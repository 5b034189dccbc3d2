//! Reads everything that the process is given from outside: its environment, its directory, the clock, the terminal's
//! interrupt. Read here and nowhere else; every other file takes it as an argument.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use etcetera::BaseStrategy as _;
pub(crate) use gephost_app::Environment;
use gephost_app::Program;
use gephost_core::user_config::USER_CONFIG_FILE;
use gephost_runner::journal::Operator;
use gephost_runner::validate::{Machine, VARIABLES};
use jiff::Timestamp;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Output;

/// What `ssh-keygen` and `gpg` need to reach their keys, their agents and the person.
const SEEN_BY_SIGNERS: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "TERM",
    "SSH_AUTH_SOCK",
    "SSH_ASKPASS",
    "SSH_ASKPASS_REQUIRE",
    "GNUPGHOME",
    "GPG_TTY",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];
/// Most characters of a name in the log.
const MAX_NAME: usize = 200;

/// Reads all of it, once. Notes of use cases go to `output`.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
pub(crate) fn read(output: Output) -> Result<Environment, Failure> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Failure::new(Exit::Failed, "environment", format!("failed to {what}: {error}"))
    };
    let directory = std::env::current_dir().map_err(|error| failed("find the current directory", &error))?;
    let variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    let base = etcetera::choose_base_strategy().map_err(|error| {
        failed("find the home directory", &error).hint("set HOME, or XDG_CACHE_HOME and XDG_STATE_HOME")
    })?;
    let interrupted = Arc::new(AtomicBool::new(false));
    watch(&interrupted).map_err(|error| failed("watch for an interrupt", &error))?;
    let text = |name: &str| variables.get(&OsString::from(name)).and_then(|value| value.to_str());
    let user = text("USER")
        .or_else(|| text("LOGNAME"))
        .map_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()), str::to_owned);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let operator = Operator {
        name: one_line(&format!("{user}@{host}")),
        agent: text("GEPHOST_AGENT").map(one_line).filter(|agent| !agent.is_empty()),
    };
    let seen = |name: &&str| Some((OsString::from(name), variables.get(&OsString::from(name))?.clone()));
    let signing = SEEN_BY_SIGNERS.iter().filter_map(seen).collect();
    Ok(Environment {
        directory,
        cache: base.cache_dir().join("gephost"),
        state: base.state_dir().unwrap_or_else(|| base.data_dir()).join("gephost"),
        cache_key: base.state_dir().unwrap_or_else(|| base.data_dir()).join("gephost/cache.key"),
        user_config: base.config_dir().join("gephost").join(USER_CONFIG_FILE),
        offline: false,
        config_home: base.config_dir(),
        data_home: base.data_dir(),
        machine: Machine {
            path: variables.get(&OsString::from("PATH")).cloned().unwrap_or_default(),
            home: base.home_dir().to_owned(),
            variables: VARIABLES
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), variables.get(&OsString::from(name))?.clone())))
                .collect(),
        },
        assets: variables.get(&OsString::from("GEP_ASSETS_DIR")).filter(|dir| !dir.is_empty()).map(PathBuf::from),
        operator,
        signing,
        variables: variables.into_iter().collect(),
        program: Some(Program {
            path: PathBuf::from("/proc/self/exe"),
            file: std::fs::read_link("/proc/self/exe").ok().filter(|path| path.is_file()),
        }),
        interrupted,
        clock: now,
        sink: Arc::new(output),
    })
}

/// A name as the log and a commit have it.
fn one_line(name: &str) -> String {
    name.split(|c: char| c.is_control()).collect::<Vec<_>>().join(" ").trim().chars().take(MAX_NAME).collect()
}

/// How long a request to terminate gives the work to end in good order.
const GRACE: Duration = Duration::from_secs(5);

/// Lets the first interrupt end what runs in good order. The second one ends everything at once: the commands that run,
/// and this process. So does a request to terminate (SIGTERM) after five seconds, whatever this process waits for. What
/// it leaves then is removed by the next start.
fn watch(interrupted: &Arc<AtomicBool>) -> std::io::Result<()> {
    let interrupted = Arc::clone(interrupted);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        for signal in signals.forever() {
            if interrupted.swap(true, Ordering::Relaxed) {
                end_at_once();
            }
            if signal == SIGTERM {
                #[expect(clippy::disallowed_methods, reason = "what the main thread waits for may never come")]
                let late = || {
                    std::thread::sleep(GRACE);
                    end_at_once();
                };
                // If the system gives no thread, a second signal still ends everything.
                let _ = std::thread::Builder::new().name("grace".to_owned()).spawn(late);
            }
        }
    };
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(wait).map(drop)
}

fn end_at_once() {
    gephost_runner::validate::kill_all();
    signal_hook::low_level::exit(Exit::Interrupted.code().into());
}

/// The time.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
fn now() -> Timestamp {
    Timestamp::now()
}
