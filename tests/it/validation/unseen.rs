//! Commands that hide what they take: behind a first thread that has ended, in a thread with files of its own, in files of
//! which they show one page. Each at every level that works here.

use gephost_core::validation::Level;
use gephost_runner::validate::{CommandRun, End, Limits};
use gephost_tests::{is_installed, skipped};

use super::{LIMITS, Place, SOON, levels, running, unique_sleep, within};

/// What the programs below share. `leave` ends the first thread and no other.
const PRELUDE: &str = "
import ctypes, mmap, os, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGE, MIB, FILES = os.sysconf('SC_PAGESIZE'), 1 << 20, 0x400
def leave(): libc.syscall(60 if os.uname().machine == 'x86_64' else 93, 0)
def beside(run): threading.Thread(target=run).start()
def fill(file, mib):
    for _ in range(mib): os.write(file, b'x' * MIB)
def wait(): time.sleep(float(sys.argv[1]))
";

/// A program in Python, with a number of seconds that no other test sleeps for.
fn python(level: Level, text: &str, limits: Limits) -> (Place, CommandRun, String) {
    let (place, seconds) = (Place::new(), unique_sleep());
    let program = format!("{PRELUDE}{text}");
    let result = place.run(level, &["python3", "-c", &program, &seconds], limits).unwrap();
    (place, result, seconds)
}

fn has_python() -> bool {
    let has = is_installed("python3");
    if !has {
        skipped("python3 is not installed");
    }
    has
}

#[test]
fn a_process_without_its_first_thread_is_ended() {
    if !has_python() {
        return;
    }
    for level in levels() {
        let (_, result, seconds) = python(level, "beside(wait)\nleave()", within(2000));
        assert_eq!((result.end, result.cleaned_up), (End::TimedOut, true), "{level}: {:?}", result.stderr.text());
        assert_eq!(running(&seconds), 0, "{level}");
        let daemon = "
def rest():
    time.sleep(0.3)
    open('left', 'w').close()
    wait()
if os.fork() == 0:
    os.setsid()
    beside(rest)
    leave()
while not os.path.exists('left'): time.sleep(0.01)
os._exit(0)";
        let (_, result, seconds) = python(level, daemon, LIMITS);
        assert_eq!((result.end, result.cleaned_up), (End::Exited(0), true), "{level}: {:?}", result.stderr.text());
        assert!(result.duration < SOON, "{level}: {:?}", result.duration);
        assert_eq!(running(&seconds), 0, "{level}");
    }
}

#[test]
fn memory_that_a_process_does_not_show_as_its_own_counts() {
    if !has_python() {
        return;
    }
    let limits = Limits { memory_bytes: 128 << 20, ..LIMITS };
    let behind_a_thread = "
def rest():
    x = bytearray(256 * MIB)
    wait()
beside(rest)
leave()";
    let in_a_table_of_its_own = "
def rest():
    libc.unshare(FILES)
    for _ in range(256): fill(os.memfd_create('x'), 1)
    wait()
beside(rest)
wait()";
    let in_both = "
def rest():
    libc.unshare(FILES)
    for _ in range(256): fill(os.memfd_create('x'), 1)
    wait()
beside(rest)
leave()";
    let one_page_of_shared_memory = "
shared = libc.mmap(None, 256 * MIB, 3, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, 0)
ctypes.memset(shared, 1, 256 * MIB)
libc.munmap(shared + PAGE, 256 * MIB - PAGE)
wait()";
    let one_page_of_each_file = "
for _ in range(256):
    file = os.memfd_create('x')
    fill(file, 1)
    libc.mmap(None, PAGE, 1, mmap.MAP_SHARED, file, 0)
    os.close(file)
wait()";
    let tables = "
size = 256 * MIB * 512
empty = libc.mmap(None, size, 1, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
libc.madvise(empty, size, 15)
for at in range(0, size, 2 * MIB): ctypes.string_at(empty + at, 1)
wait()";
    for level in levels() {
        for text in
            [behind_a_thread, in_a_table_of_its_own, in_both, one_page_of_shared_memory, one_page_of_each_file, tables]
        {
            let (_, result, _) = python(level, text, limits);
            assert_eq!(result.end, End::OutOfMemory, "{level}: {text}: {:?}", result.stderr.text());
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
        }
    }
}

#[test]
fn segments_that_no_process_has_mapped_count() {
    if !has_python() {
        return;
    }
    let limits = Limits { memory_bytes: 128 << 20, ..LIMITS };
    let text = "
libc.shmat.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
for _ in range(64):
    segment = libc.shmget(0, 4 * MIB, 0o1600)
    if segment < 0: sys.exit(3)
    at = libc.shmat(segment, None, 0)
    ctypes.memset(at, 1, 4 * MIB)
    libc.shmdt(at)
wait()";
    // At L0 they would stay on the machine.
    for level in levels().into_iter().filter(|level| *level > Level::L0) {
        let (_, result, _) = python(level, text, limits);
        let expected = if level == Level::L2 { End::OutOfMemory } else { End::Exited(3) };
        assert_eq!(result.end, expected, "{level}: {:?}", result.stderr.text());
    }
}

#[test]
fn memory_that_nobody_else_can_see_counts_or_is_refused() {
    if !has_python() {
        return;
    }
    let limits = Limits { memory_bytes: 32 << 20, ..LIMITS };
    let text = "
for _ in range(64):
    file = libc.syscall(447, 0)
    if file < 0: sys.exit(3)
    os.ftruncate(file, MIB)
    secret = libc.mmap(None, MIB, 3, mmap.MAP_SHARED, file, 0)
    ctypes.memset(secret, 1, MIB)
    libc.munmap(secret, MIB)
wait()";
    for level in levels() {
        let (_, result, _) = python(level, text, limits);
        let refused = result.end == End::Exited(3);
        assert!(refused || (level == Level::L0 && result.end == End::OutOfMemory), "{level}: {result:?}");
    }
}

#[test]
fn disk_that_a_process_does_not_show_counts() {
    if !has_python() {
        return;
    }
    let limits = Limits { disk_bytes: 8 << 20, ..LIMITS };
    let one_page_of_each_file = "
for _ in range(64):
    file = os.open('gone', os.O_RDWR | os.O_CREAT)
    fill(file, 1)
    libc.mmap(None, PAGE, 1, mmap.MAP_SHARED, file, 0)
    os.close(file)
    os.remove('gone')
wait()";
    let in_a_table_of_its_own = "
def rest():
    libc.unshare(FILES)
    for _ in range(64):
        fill(os.open('gone', os.O_RDWR | os.O_CREAT), 1)
        os.remove('gone')
    wait()
beside(rest)
leave()";
    for level in levels() {
        for text in [one_page_of_each_file, in_a_table_of_its_own] {
            let (_, result, _) = python(level, text, limits);
            assert_eq!(result.end, End::DiskFull, "{level}: {text}: {:?}", result.stderr.text());
            assert!(result.duration < SOON, "{level}: {text}: {:?}", result.duration);
        }
    }
}

#[test]
fn a_process_with_very_many_threads_is_ended() {
    if !has_python() {
        return;
    }
    let text = "
threading.stack_size(64 << 10)
for _ in range(300): beside(wait)
wait()";
    for level in levels() {
        let (_, result, seconds) = python(level, text, Limits { processes: 8, ..LIMITS });
        // The kernel refuses the threads to anybody but root.
        let refused = matches!(result.end, End::Exited(1) | End::TimedOut);
        assert!(result.end == End::TooManyProcesses || refused, "{level}: {result:?}");
        assert!(result.cleaned_up, "{level}");
        assert_eq!(running(&seconds), 0, "{level}");
    }
}

#[test]
fn ordinary_programs_with_threads_and_shared_memory_are_not_ended() {
    if !has_python() {
        return;
    }
    let limits = Limits { memory_bytes: 256 << 20, file_bytes: 64 << 20, ..LIMITS };
    for text in [
        "for _ in range(20): beside(lambda: time.sleep(0.5))\ntime.sleep(0.5)",
        "shared = mmap.mmap(-1, 64 * MIB)\nshared[:] = b'x' * (64 * MIB)\nif os.fork() == 0: time.sleep(0.4)\ntime.sleep(0.4)",
        "file = os.memfd_create('x')\nfill(file, 32)\nshared = mmap.mmap(file, 32 * MIB)\nos.close(file)\ntime.sleep(0.4)",
        "beside(lambda: time.sleep(0.4))\nleave()",
        "def rest():\n libc.unshare(FILES)\n open('kept', 'w').write('x')\n time.sleep(0.4)\nbeside(rest)\ntime.sleep(0.5)",
    ] {
        for level in levels() {
            let (_, result, _) = python(level, text, limits);
            assert_eq!(result.end, End::Exited(0), "{level}: {text}: {:?}", result.stderr.text());
        }
    }
}
