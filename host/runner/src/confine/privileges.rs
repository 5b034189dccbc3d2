//! Gives up privileges for good, including those of children: new privileges, and all capabilities.

use std::io;

use libc::{c_int, c_ulong};

/// Prevents programs that this process starts from gaining rights: set-user-ID bits and file capabilities have no
/// effect. It also ensures that gephost may signal every descendant.
pub(super) fn no_new() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0)
}

/// Drops every capability: ambient, bounding, effective, permitted and inheritable. Does nothing if the process has
/// none.
pub(super) fn drop_capabilities() -> io::Result<()> {
    // Kernels before 4.3 have no ambient capabilities.
    let _ = prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as c_ulong, 0);
    for capability in 0..64 {
        match prctl(libc::PR_CAPBSET_DROP, capability, 0) {
            Ok(()) => {}
            // This capability does not exist, and none after it does.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => break,
            // A process that may not drop from the bounding set has no capabilities that the set could limit.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) && !has_any()? => break,
            Err(error) => return Err(error),
        }
    }
    set_none()
}

#[repr(C)]
struct Header {
    version: u32,
    pid: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Sets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// `_LINUX_CAPABILITY_VERSION_3`: two words per set.
const VERSION: u32 = 0x2008_0522;

fn has_any() -> io::Result<bool> {
    let (mut header, mut sets) = (Header { version: VERSION, pid: 0 }, [Sets::default(); 2]);
    #[expect(unsafe_code, reason = "the C library has no call for it")]
    // SAFETY: both pointers refer to values with the layout of version 3 that live during the call.
    let result = unsafe { libc::syscall(libc::SYS_capget, &raw mut header, sets.as_mut_ptr()) };
    checked(result)?;
    Ok(sets.iter().any(|set| set.effective != 0 || set.permitted != 0))
}

fn set_none() -> io::Result<()> {
    let (header, sets) = (Header { version: VERSION, pid: 0 }, [Sets::default(); 2]);
    #[expect(unsafe_code, reason = "the C library has no call for it")]
    // SAFETY: both pointers refer to values with the layout of version 3 that live during the call.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, sets.as_ptr()) };
    checked(result)
}

fn prctl(option: c_int, first: c_ulong, second: c_ulong) -> io::Result<()> {
    #[expect(unsafe_code, reason = "the options used here take numbers, no pointers")]
    // SAFETY: see the reason.
    let result = unsafe { libc::prctl(option, first, second, 0, 0) };
    checked(result.into())
}

fn checked(result: libc::c_long) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
