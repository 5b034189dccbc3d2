//! What is true of every command, at every level: how it is started, what it is given, how it ends.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gephost_core::validation::Level;
use gephost_runner::validate::{End, RunError};

use super::{LIMITS, Place, SOON, levels, script, within};

#[test]
fn codes_signals_and_both_streams_are_told() {
    for level in levels() {
        let (_, result) = script(level, "echo out; echo err >&2; exit 7", LIMITS);
        assert_eq!((result.end, result.passed(), result.cleaned_up), (End::Exited(7), false, true), "{level}");
        assert_eq!((result.stdout.text().as_str(), result.stderr.text().as_str()), ("out\n", "err\n"), "{level}");
        assert!(script(level, "true", LIMITS).1.passed());
        let killed = script(level, "kill -SEGV $$", LIMITS).1.end;
        // bubblewrap says it as shells do.
        assert!(matches!(killed, End::Signaled(11) | End::Exited(139)), "{level}: {killed:?}");
    }
}

#[test]
fn what_is_in_force_is_told() {
    for level in levels() {
        let in_force = script(level, "true", LIMITS).1.in_force;
        assert_eq!((in_force.landlock.is_some(), in_force.seccomp), (level > Level::L0, level > Level::L0), "{level}");
    }
}

#[test]
fn nothing_of_ours_reaches_the_command() {
    for level in levels() {
        let place = Place::new();
        let open = fs::File::open(place.files()).unwrap();
        let env = place.run(level, &["/usr/bin/env"], LIMITS).unwrap().stdout.text();
        let mut env: Vec<&str> = env.lines().filter(|line| !line.starts_with("PWD=")).collect();
        env.sort_unstable();
        assert_eq!(env, ["ONLY=this", "PATH=/usr/local/bin:/usr/bin:/bin"], "{level}");
        // Without a pipe, whose end the shell may still hold, and not as the last command, which the shell may become.
        let result = place.script(level, "cat; ls /proc/$$/fd; true", LIMITS);
        assert_eq!(result.stdout.text(), "0\n1\n2\n", "{level}: an empty input and no other descriptor");
        let result = place.script(level, "cut -d' ' -f1,6 /proc/$$/stat; : < /dev/tty", LIMITS);
        let ids = result.stdout.text();
        let ids: Vec<&str> = ids.split_whitespace().collect();
        assert!(matches!(ids.as_slice(), [pid, session] if pid == session), "{level}: leads a session: {ids:?}");
        assert_ne!(result.end, End::Exited(0), "{level}: there is no terminal to open");
        drop(open);
    }
}

#[test]
fn words_are_words() {
    let place = Place::new();
    let result = place.run(Level::L0, &["echo", "$HOME; touch x", "*"], LIMITS).unwrap();
    assert_eq!(result.stdout.text(), "$HOME; touch x *\n");
}

#[test]
fn what_cannot_start_says_why() {
    for level in levels() {
        let place = Place::new();
        fs::write(place.files().join("plain"), "text").unwrap();
        let error = |argv: &[&str], directory: &Path| {
            place.run_in(directory, level, argv, LIMITS, &AtomicBool::new(false)).expect_err("this cannot start")
        };
        assert!(matches!(error(&[], &place.files()), RunError::Empty));
        let missing = error(&["no-such-program"], &place.files());
        assert!(matches!(missing, RunError::NotFound { .. }), "{level}: {missing:?}");
        assert!(matches!(error(&["true"], &place.files().join("none")), RunError::NoFolder { .. }));
        let plain = error(&["./plain"], &place.files());
        assert!(matches!(plain, RunError::NotExecutable { is_denied: true, .. }), "{level}: {plain:?}");
        assert!(matches!(error(&["a\0b"], &place.files()), RunError::System { .. }), "{level}");
    }
}

#[test]
fn a_flood_is_read_and_mostly_forgotten() {
    for level in levels() {
        let (_, result) = script(level, "echo first; yes 0123456789", within(1500));
        assert_eq!(result.end, End::TimedOut, "{level}");
        assert!(result.stdout.head.starts_with(b"first\n"), "{level}");
        assert_eq!(result.stdout.head.len() + result.stdout.tail.len(), 2 << 16, "{level}");
        assert!(result.stdout.dropped > 1 << 20, "{level}: {} bytes", result.stdout.dropped);
    }
}

#[test]
fn the_last_words_of_a_command_are_kept() {
    let (_, result) = script(Level::L0, "head -c 60000 /dev/zero | tr '\\0' x; echo end", LIMITS);
    assert_eq!((result.stdout.head.len(), result.stdout.dropped), (60_004, 0));
}

#[test]
fn an_interrupt_ends_it() {
    for level in levels() {
        let place = Place::new();
        let interrupt = Arc::new(AtomicBool::new(false));
        let (flag, pid) = (Arc::clone(&interrupt), place.files().join("pid"));
        let user = std::thread::spawn(move || {
            while !pid.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            flag.store(true, Ordering::Relaxed);
        });
        let argv = ["sh", "-c", "echo $$ > pid.new; mv pid.new pid; sleep 60"];
        let result = place.run_in(&place.files(), level, &argv, LIMITS, &interrupt).unwrap();
        user.join().unwrap();
        assert_eq!((result.end, result.cleaned_up), (End::Interrupted, true), "{level}");
        assert!(result.duration < SOON, "{level}");
    }
}

#[test]
fn commands_side_by_side_do_not_end_each_other() {
    for level in levels() {
        let quick = std::thread::spawn(move || (0..10).all(|_| script(level, "sleep 0.01", LIMITS).1.passed()));
        let (_, slow) = script(level, "sleep 0.2 & sleep 0.4; wait; echo done", LIMITS);
        assert!(quick.join().unwrap(), "{level}");
        assert_eq!((slow.end, slow.stdout.text().as_str()), (End::Exited(0), "done\n"), "{level}");
    }
}
