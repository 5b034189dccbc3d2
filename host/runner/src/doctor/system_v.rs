//! Objects of System V IPC to try on: private ones that this value makes and removes.

use std::io::{Error, Result};

use crate::validate::SystemVIds;

/// A message queue, a semaphore set and a segment of shared memory.
pub(super) struct SystemV {
    /// Their ids.
    pub(super) ids: SystemVIds,
}

impl SystemV {
    /// Makes them, for this user only.
    #[expect(unsafe_code, reason = "no safe library has these calls")]
    pub(super) fn make() -> Result<Self> {
        let id = |id: i32| if id < 0 { Err(Error::last_os_error()) } else { Ok(id) };
        let mut made = Self { ids: SystemVIds { messages: -1, semaphores: -1, memory: -1 } };
        // SAFETY: the three calls take numbers only, and change no memory of this process.
        unsafe {
            made.ids.messages = id(libc::msgget(libc::IPC_PRIVATE, 0o600))?;
            made.ids.semaphores = id(libc::semget(libc::IPC_PRIVATE, 1, 0o600))?;
            made.ids.memory = id(libc::shmget(libc::IPC_PRIVATE, 4096, 0o600))?;
        }
        Ok(made)
    }
}

impl Drop for SystemV {
    #[expect(unsafe_code, reason = "no safe library has these calls")]
    fn drop(&mut self) {
        let SystemVIds { messages, semaphores, memory } = self.ids;
        // SAFETY: removing takes no pointer; an id of -1 names nothing and is refused.
        unsafe {
            libc::msgctl(messages, libc::IPC_RMID, std::ptr::null_mut());
            libc::semctl(semaphores, 0, libc::IPC_RMID);
            libc::shmctl(memory, libc::IPC_RMID, std::ptr::null_mut());
        }
    }
}
