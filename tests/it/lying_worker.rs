//! Workers that die, lie or do not stop. Each ends its own call with a clear error, and the next gene runs normally.
//!
//! The worker is a shell script that follows the protocol on descriptor 0, or breaks it. A frame is a length of eight bytes
//! and a message, which begins with one byte for its kind (`host/runner/src/sandbox/worker/message.rs`).

use std::time::{Duration, Instant};

use gephost_core::config::Isolation;
use gephost_runner::sandbox::{Budget, Budgets, CallError, CompileCache, Sandbox, Worker};

use crate::guests;
use crate::isolate::{IN_PROCESSES, worker};
use crate::sandbox::{granted, inputs};

/// The message `Ready`, without any confinement.
const READY: &str = r"\003\000\000\000\000\000\000\000\000\000\000";

fn shell(script: &str) -> Worker {
    Worker { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()], strict: false }
}

/// The error of a call whose worker is this script, and the time it took. The machine code comes from a real compiler.
fn call(script: &str, wall: Duration) -> (CallError, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let cache = || Some(CompileCache::open(&folder.path().join("cache"), &folder.path().join("key/key")).unwrap());
    let component = guests::heuristic("calm");
    Sandbox::with_workers(cache(), worker(), Isolation::Process).unwrap().load(&component).unwrap();
    let gene = Sandbox::with_workers(cache(), shell(script), Isolation::Process).unwrap().load(&component).unwrap();
    let begun = Instant::now();
    let call = gene.diagnose(&inputs(), &granted(), &Budgets { wall, ..Budgets::default() });
    let took = begun.elapsed();
    let calm = IN_PROCESSES.load(&component).unwrap().diagnose(&inputs(), &granted(), &Budgets::default());
    assert_eq!(calm.result.unwrap(), [], "the next gene runs normally");
    (call.result.unwrap_err(), took)
}

#[track_caller]
fn fails(script: &str, says: &str) {
    let (error, _) = call(script, Duration::from_secs(10));
    match &error {
        CallError::Worker { reason } => assert!(reason.contains(says), "{script}: {reason}"),
        other => panic!("{script}: {other}"),
    }
    assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
}

#[test]
fn the_error_names_how_a_worker_died() {
    fails("kill -SEGV $$", "killed by the kernel for an invalid memory access (SIGSEGV)");
    fails("kill -SYS $$", "killed by the kernel for a forbidden system call (SIGSYS)");
    fails("kill -KILL $$", "killed (SIGKILL), perhaps because the machine ran out of memory");
    fails("kill -XCPU $$", "used up its processor time (SIGXCPU)");
    fails("kill -BUS $$", "ended by signal 7");
    fails("exit 0", "ended with code 0");
    fails("echo last words >&2; exit 3", "ended with code 3; its last words: last words");
    fails(&format!("printf '{READY}' >&0; kill -SEGV $$"), "SIGSEGV");
    fails("exec 0<&-; sleep 60", "closed its socket and was killed");
    fails("printf '\\033[2Jgone' >&2; exit 1", "ended with code 1; its last words:");
}

#[test]
fn an_invalid_message_is_refused() {
    // A length that is text, one above the limit, and the largest possible one.
    fails("printf 'garbage garbage garbage' >&0; sleep 60", "the limit is");
    fails(r"printf '\377\377\377\377\377\377\377\377' >&0; sleep 60", "a message of 18446744073709551615 bytes");
    // A frame without a valid message, and one that ends early.
    fails(r"printf '\003\000\000\000\000\000\000\000\377\377\377' >&0; sleep 60", "");
    fails(r"printf '\011\000\000\000\000\000\000\000\000' >&0", "ended with code 0");
    // A second `Ready`, and machine code and a probe's result that were not requested.
    fails(&format!("printf '{READY}{READY}' >&0; sleep 60"), "unexpected message: Ready");
    fails(r"printf '\001\000\000\000\000\000\000\000\003' >&0; sleep 60", "unexpected message: Compiled");
    fails(r"printf '\003\000\000\000\000\000\000\000\005\001x' >&0; sleep 60", "unexpected message: Tried");
}

#[test]
fn a_worker_that_does_not_end_is_killed() {
    let wall = Duration::from_millis(700);
    let asks = r"\005\000\000\000\000\000\000\000\002\000\001\001x";
    for script in [
        format!("printf '{READY}' >&0; sleep 60"),
        // It asks and never listens, says words without end, and ignores what can be ignored.
        format!("printf '{READY}' >&0; while :; do printf '{asks}' >&0; done"),
        format!("printf '{READY}' >&0; while :; do echo words >&2; done"),
        format!("trap '' TERM INT HUP PIPE; printf '{READY}' >&0; while :; do :; done"),
    ] {
        let (error, took) = call(&script, wall);
        assert!(matches!(error, CallError::Budget { budget: Budget::Wall, .. }), "{script}: {error}");
        assert!(took < Duration::from_secs(5), "{script}: {took:?}");
    }
}

/// The host stores a name for each `Room`, so it limits their number.
#[test]
fn the_number_of_rooms_is_limited() {
    // `Room` for the path `x`, which costs a gene of its budgets each time.
    let room = r"\005\000\000\000\000\000\000\000\002\002\001x\000";
    let script = format!("printf '{READY}' >&0; (while :; do printf '{room}' >&0; done) & cat >/dev/null");
    let (error, took) = call(&script, Duration::from_secs(2));
    let fits = match &error {
        CallError::Worker { reason } => reason.contains("to create files more often than a gene can"),
        CallError::Budget { budget, .. } => *budget == Budget::Wall,
        _ => false,
    };
    assert!(fits && took < Duration::from_secs(8), "{error} after {took:?}");
}
