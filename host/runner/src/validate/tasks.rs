//! The threads of a process, through which the kernel shows its memory and its open files.
//!
//! What must stay true: the folder of a process in `/proc` stands for its first thread only. It shows nothing once that
//! thread has ended, and never the open files of a thread that took a table of its own. So neither hides anything here.

#![expect(clippy::disallowed_methods, reason = "the kernel lists threads in files")]

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

/// `KCMP_FILES`: compares the tables of open files of two threads.
const TABLES_OF_FILES: libc::c_long = 2;

/// The folders of a process's threads, the first thread first. None if it has gone.
fn threads(process: i32) -> Vec<(i32, PathBuf)> {
    let folder = PathBuf::from(format!("/proc/{process}/task"));
    let listed = fs::read_dir(&folder).into_iter().flatten().flatten();
    let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.map(|thread: i32| (thread, folder.join(thread.to_string()))).collect()
}

/// What the first thread says that says anything. Threads of a process share their memory and, as a rule, their folders.
pub(super) fn first<T>(process: i32, ask: impl Fn(&Path) -> Option<T>) -> Option<T> {
    threads(process).into_iter().find_map(|(_, folder)| ask(&folder))
}

/// The folders of one thread for each table of open files.
pub(super) fn with_own_files(process: i32) -> Vec<PathBuf> {
    let mut tables: Vec<(i32, PathBuf)> = Vec::new();
    for (thread, folder) in threads(process) {
        match tables.binary_search_by(|(known, _)| compare_files(*known, thread)) {
            Ok(_) => {}
            Err(place) => tables.insert(place, (thread, folder)),
        }
    }
    tables.into_iter().map(|(_, folder)| folder).collect()
}

/// The kernel's order of the tables of open files of two threads. If it does not say, the tables count as two.
fn compare_files(one: i32, other: i32) -> Ordering {
    #[expect(unsafe_code, reason = "the C library has no call for it")]
    // SAFETY: every argument is a number, and the call changes nothing.
    let result = unsafe { libc::syscall(libc::SYS_kcmp, one, other, TABLES_OF_FILES, 0, 0) };
    match result {
        0 => Ordering::Equal,
        1 => Ordering::Less,
        _ => Ordering::Greater,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_with_one_table_are_looked_at_once() {
        let own = i32::try_from(std::process::id()).unwrap();
        let (leave, wait) = std::sync::mpsc::channel::<()>();
        let (sender, receiver) = std::sync::mpsc::channel();
        let before = with_own_files(own).len();
        let other = std::thread::spawn(move || {
            sender.send(()).unwrap();
            wait.recv().ok();
        });
        receiver.recv().unwrap();
        assert!(threads(own).len() > 1);
        assert_eq!(with_own_files(own).len(), before);
        drop(leave);
        other.join().unwrap();
        assert_eq!(with_own_files(i32::MAX), Vec::<PathBuf>::new());
    }
}
