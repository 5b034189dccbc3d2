//! A terminal of its own for a stream of a recorded command, so that the command writes as it does without gephost: with
//! colours, and with a progress bar as wide as the window.
//!
//! Only output goes through it. Standard input, signals and the controlling terminal stay the user's.

#![expect(clippy::disallowed_methods, reason = "new terminals come from a device, which has one name")]

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};

/// A new terminal with the window of another: the side that reads, and the side that the command writes to. Fails on
/// systems without `/dev/ptmx`.
pub(super) fn open_like(other: BorrowedFd<'_>) -> io::Result<(OwnedFd, OwnedFd)> {
    let reader = open("/dev/ptmx", OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    let writer = writer(&reader)?;
    // Line ends pass as they are written; the user's own terminal changes them.
    let mut attributes = tcgetattr(&writer)?;
    attributes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&writer, OptionalActions::Now, &attributes)?;
    tcsetwinsize(&writer, tcgetwinsize(other)?)?;
    Ok((reader, writer))
}

/// The other side, opened without a name, so that nobody can put something in its place.
#[expect(unsafe_code, reason = "the calls that unlock and open the other side of a terminal have no safe form here")]
fn writer(reader: &OwnedFd) -> io::Result<OwnedFd> {
    let unlocked: libc::c_int = 0;
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: both calls get an open descriptor and the argument that they are documented with: a pointer to a number that
    // lives until the call returns, and flags. The second returns a new descriptor that nobody else owns, or a negative number.
    unsafe {
        if libc::ioctl(reader.as_raw_fd(), libc::TIOCSPTLCK, &raw const unlocked) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::ioctl(reader.as_raw_fd(), libc::TIOCGPTPEER, flags) {
            descriptor if descriptor >= 0 => Ok(OwnedFd::from_raw_fd(descriptor)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
