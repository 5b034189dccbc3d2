//! Commands that want to stay, to fill, to break out or to lie: each at every level that works here.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use gephost_core::validation::Level;
use gephost_runner::validate::{End, Limits};
use gephost_tests::{is_installed, skipped};

use super::{LIMITS, Place, SOON, levels, running, script, unique_sleep, within};

#[test]
fn a_command_that_will_not_end_is_ended() {
    for level in levels() {
        for text in [
            "trap '' TERM INT HUP; while :; do sleep SECONDS; done",
            "exec >&- 2>&-; sleep SECONDS",
            "sleep SECONDS & sleep SECONDS & wait",
            "sleep SECONDS & kill -STOP $$",
        ] {
            let seconds = unique_sleep();
            let (_, result) = script(level, &text.replace("SECONDS", &seconds), within(700));
            assert_eq!((result.end, result.cleaned_up), (End::TimedOut, true), "{level}: {text}");
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
            assert_eq!(running(&seconds), 0, "{level}: {text}");
        }
    }
}

#[test]
fn a_daemon_neither_keeps_us_nor_stays_while_others_run() {
    for level in levels() {
        // Another command runs all the while: its keeper must not be taken for this one's.
        let other = std::thread::spawn(move || script(level, "sleep 3; echo whole", LIMITS).1);
        for text in [
            "sleep SECONDS &",
            "setsid sleep SECONDS &",
            "setsid sh -c 'setsid sleep SECONDS &'; exit 0",
            "(setsid env -i sleep SECONDS >/dev/null 2>&1 &) & wait",
            "sh -c 'trap \"\" HUP TERM; (setsid sleep SECONDS & echo x > started; sleep SECONDS) &'; while ! [ -s started ]; do :; done",
        ] {
            let seconds = unique_sleep();
            let (_, result) = script(level, &text.replace("SECONDS", &seconds), LIMITS);
            assert_eq!((result.end, result.cleaned_up), (End::Exited(0), true), "{level}: {text}");
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
            assert_eq!(running(&seconds), 0, "{level}: {text}");
        }
        assert_eq!(other.join().unwrap().stdout.text(), "whole\n", "{level}");
    }
}

#[test]
fn a_command_that_ends_its_keeper_or_its_group_gains_nothing() {
    for level in levels() {
        let seconds = unique_sleep();
        let text = format!("setsid sleep {seconds} & sleep 0.2; kill -9 $PPID; sleep 0.2; echo still here; sleep 60");
        let (_, result) = script(level, &text, within(3000));
        assert!(!result.passed() && result.cleaned_up, "{level}: {result:?}");
        assert_eq!(running(&seconds), 0, "{level}");
        let (_, result) = script(level, "kill -9 0", LIMITS);
        assert!(!result.passed() && result.cleaned_up, "{level}: {result:?}");
    }
}

#[test]
fn a_fork_bomb_is_counted_and_ended() {
    for level in levels() {
        let seconds = unique_sleep();
        // It ends by itself at 512 processes: an endless one brings the whole machine down where the suite runs as root on
        // a busy machine (it did).
        let bomb = format!(
            "bomb() {{ sleep {seconds} & [ $1 -eq 0 ] || {{ bomb $(($1-1)) & bomb $(($1-1)) & }}; wait; }}; bomb 7"
        );
        let began = Instant::now();
        let (_, result) = script(level, &bomb, Limits { processes: 32, ..LIMITS });
        assert_eq!((result.end, result.cleaned_up), (End::TooManyProcesses, true), "{level}");
        assert!(began.elapsed() < SOON, "{level}: {:?}", began.elapsed());
        assert_eq!(running(&seconds), 0, "{level}");
    }
}

#[test]
fn one_file_does_not_grow_past_its_limit() {
    for level in levels() {
        let (place, result) = script(level, "head -c 3000000 /dev/zero > big", LIMITS);
        assert_ne!(result.end, End::Exited(0), "{level}");
        assert_eq!(fs::metadata(place.files().join("big")).unwrap().len(), 1 << 20, "{level}");
    }
}

#[test]
fn the_disk_is_not_filled() {
    let limits = Limits { disk_bytes: 8 << 20, file_bytes: 1 << 30, ..LIMITS };
    for level in levels() {
        for text in [
            "head -c 10000000000 /dev/zero > big",
            "i=0; while :; do i=$((i+1)); head -c 900000 /dev/zero > part$i; done",
            "head -c 20000000 /dev/zero > quick; exit 0",
            "head -c 20000000 /dev/zero > ../tmp/elsewhere; exit 0",
            "mkdir -p a/b/c; chmod 500 a; head -c 20000000 /dev/zero > a/b/c/deep; exit 0",
        ] {
            let (place, result) = script(level, text, limits);
            assert_eq!(result.end, End::DiskFull, "{level}: {text}: {:?}", result.stderr.text());
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
            assert!(size(&place.files()) < 2 << 30, "{level}: {text}");
        }
    }
}

#[test]
fn what_a_command_hides_of_the_disk_counts() {
    let limits = Limits { disk_bytes: 8 << 20, file_bytes: 1 << 30, ..LIMITS };
    for level in levels() {
        for text in [
            "exec 3> gone; rm gone; head -c 20000000 /dev/zero >&3; sleep 60",
            "mkdir closed; head -c 20000000 /dev/zero > closed/big; chmod 000 closed; exit 0",
            "mkdir -p a/b; head -c 20000000 /dev/zero > a/b/big; chmod 100 a/b; chmod 000 a; exit 0",
        ] {
            let (_, result) = script(level, text, limits);
            assert_eq!(result.end, End::DiskFull, "{level}: {text}: {:?}", result.stderr.text());
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
        }
    }
}

#[test]
fn memory_is_bounded_over_all_processes_and_kinds() {
    if !is_installed("python3") {
        skipped("python3 is not installed");
        return;
    }
    let limits = Limits { memory_bytes: 128 << 20, ..LIMITS };
    let one = "x = bytearray(256 << 20)\nimport time; time.sleep(60)";
    let several = "import os, time\nfor _ in range(4): os.fork() == 0 and (bytearray(1), globals().update(x=bytearray(64 << 20)), time.sleep(60))\ntime.sleep(60)";
    let files =
        "import os, time\nfor n in range(256):\n f = os.memfd_create('x'); os.write(f, bytes(1 << 20))\ntime.sleep(60)";
    for level in levels() {
        for text in [one, several, files] {
            let place = Place::new();
            let result = place.run(level, &["python3", "-c", text], limits).unwrap();
            assert_eq!(result.end, End::OutOfMemory, "{level}: {text}: {:?}", result.stderr.text());
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
        }
        // Pages that a parent shares with its children are there once.
        let shared = "import os, time\nx = bytearray(64 << 20)\nfor _ in range(4):\n if os.fork() == 0: time.sleep(1); os._exit(0)\nfor _ in range(4): os.wait()";
        let result = Place::new().run(level, &["python3", "-c", shared], limits).unwrap();
        assert_eq!(result.end, End::Exited(0), "{level}: {:?}", result.stderr.text());
    }
}

#[test]
fn ordinary_programs_do_not_notice_the_refused_calls() {
    for level in levels() {
        for text in [
            // `cp -p` and `tar` set modes and look for attributes, `nice` changes its own priority, `umask` is not a mode.
            "echo x > a; chmod 750 a; cp -p a b; mkdir d; cp -a a d/; tar cf t d; mkdir e; tar xf t -C e; cmp e/d/a a",
            "nice -n 5 sh -c 'echo x > n'; umask 022; install -m 644 n m; test \"$(stat -c %a m)\" = 644",
            "ulimit -n 64; test \"$(ulimit -n)\" = 64",
            "mkdir -m 700 g; touch g/x; mv g h; ln h/x y; ln -s y z; cat z",
        ] {
            let (_, result) = script(level, &format!("set -e; {text}"), LIMITS);
            assert_eq!(result.end, End::Exited(0), "{level}: {text}: {:?}", result.stderr.text());
            assert_eq!(result.stderr.text(), "", "{level}: {text}");
        }
    }
}

fn size(folder: &std::path::Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| entry.metadata().map_or(0, |metadata| metadata.len())).sum()
}

#[test]
fn a_hundred_megabytes_in_one_line_are_bounded() {
    for level in levels() {
        let (_, result) = script(level, "head -c 100000000 /dev/zero | tr '\\0' x", LIMITS);
        assert_eq!(result.end, End::Exited(0), "{level}");
        let kept = result.stdout.head.len() + result.stdout.tail.len();
        assert_eq!((kept, result.stdout.dropped), (2 << 16, 100_000_000 - (2 << 16)), "{level}");
    }
}

#[test]
fn files_of_others_stay_as_they_are() {
    for level in levels().into_iter().filter(|level| *level > Level::L0) {
        let outside = tempfile::tempdir().unwrap();
        let path = outside.path().display();
        fs::write(outside.path().join("keep"), "as it was").unwrap();
        fs::create_dir(outside.path().join("git")).unwrap();
        fs::write(outside.path().join("git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let place = Place::new();
        fs::hard_link(outside.path().join("keep"), outside.path().join("other-name")).unwrap();
        let text = format!(
            "echo x > {path}/new; echo x > {path}/keep; rm -rf {path}/git; mv {path}/keep {path}/moved; \
             ln {path}/keep linked && echo x > linked; ln -s {path} way; echo x > way/keep; rm -rf way/git; \
             cp {path}/keep stolen; cat < {path}/git/HEAD; \
             up=../../../../../../../../../..; echo x > $up{path}/keep; cd /proc/$PPID/cwd && echo x > keep; \
             echo x > /proc/$PPID/root{path}/keep; exit 0"
        );
        let result = place.script(level, &text, LIMITS);
        assert_eq!(result.stdout.text(), "", "{level}");
        let names: Vec<_> = fs::read_dir(outside.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names.len(), 3, "{level}: {names:?}");
        assert_eq!(fs::read_to_string(outside.path().join("keep")).unwrap(), "as it was", "{level}");
        assert!(outside.path().join("git/HEAD").exists(), "{level}");
        assert!(!place.files().join("stolen").exists() || place.read("stolen").is_empty(), "{level}");
    }
}

#[test]
fn what_a_command_leaves_in_its_copy_can_be_measured_and_looked_at() {
    for level in levels() {
        let text = "d=.; for i in $(seq 255); do d=$d/d; done; mkdir -p $d; mkfifo fifo; mkdir locked; touch locked/x; \
                    chmod 000 locked; ln -s /etc/shadow link; ln -s loop loop; echo done";
        let (place, result) = script(level, text, LIMITS);
        assert_eq!((result.end, result.stdout.text().as_str()), (End::Exited(0), "done\n"), "{level}");
        fs::set_permissions(place.files().join("locked"), fs::Permissions::from_mode(0o700)).unwrap();
    }
}
