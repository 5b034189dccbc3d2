//! The only resolver. It follows the path of a guest from directory to directory, by names that the host made.
//!
//! Both the import `workspace`, over a [`Tree`](super::tree::Tree), and `wasi:filesystem`, over the overlay of
//! [`vfs`](crate::sandbox::vfs), use it. The text of a guest is only compared with names. A link is followed by
//! resolving its text among the same names, never by the operating system (invariant 7).

use std::sync::Arc;

use super::path::{Step, WalkError, steps};

/// Most links that one walk follows.
pub(crate) const MAX_LINKS: u8 = 16;

/// What has a name.
#[derive(Debug, Clone)]
pub(crate) enum Child<D, F> {
    Directory(D),
    File(F),
    /// A symbolic link and its text.
    Link(F, Arc<str>),
}

/// Directories and their entries.
pub(crate) trait Names {
    /// A directory.
    type Directory: Copy + Eq;
    /// A file.
    type File;

    /// What a directory shows under a name.
    fn child(&mut self, directory: Self::Directory, name: &str) -> Option<Child<Self::Directory, Self::File>>;

    /// The parent of a directory. `None` for a root.
    fn parent(&mut self, directory: Self::Directory) -> Option<Self::Directory>;
}

/// Where a walk ended.
#[derive(Debug)]
pub(crate) struct Place<D, F> {
    /// The last directory on the way.
    pub(crate) directory: D,
    /// The last name, as the guest or a link spelled it. `None` if the path ends in `.` or `..`.
    pub(crate) name: Option<String>,
    /// What is there.
    pub(crate) found: Option<Child<D, F>>,
    /// Whether the path ends in a slash, so that it must be a directory.
    pub(crate) slash: bool,
}

/// Follows `text` from `start`. `text` cannot lead above `start`, but a link on the way can, up to the root. A link at
/// the end is followed if `follow` is set, or if a slash comes after it.
pub(crate) fn walk<N: Names>(
    names: &mut N,
    start: N::Directory,
    text: &str,
    follow: bool,
) -> Result<Place<N::Directory, N::File>, WalkError> {
    Walk { names, links: 0 }.run(start, Some(start), text, follow)
}

/// Resolves the text of a link in `directory`. It may lead anywhere below the root.
pub(crate) fn follow<N: Names>(
    names: &mut N,
    directory: N::Directory,
    target: &str,
) -> Result<Place<N::Directory, N::File>, WalkError> {
    Walk { names, links: 0 }.follow(directory, target)
}

struct Walk<'a, N> {
    names: &'a mut N,
    links: u8,
}

impl<N: Names> Walk<'_, N> {
    fn run(
        &mut self,
        start: N::Directory,
        jail: Option<N::Directory>,
        text: &str,
        follow: bool,
    ) -> Result<Place<N::Directory, N::File>, WalkError> {
        let slash = text.ends_with('/') || text.ends_with("/.");
        let mut directory = start;
        let mut rest = steps(text)?.peekable();
        while let Some(step) = rest.next() {
            let Step::Down(name) = step else {
                directory = self.up(directory, jail)?;
                continue;
            };
            let found = self.names.child(directory, name);
            if rest.peek().is_some() {
                directory = self.enter(directory, found)?;
                continue;
            }
            if let (Some(Child::Link(_, target)), true) = (&found, follow || slash) {
                let end = self.follow(directory, target)?;
                return if slash { require_directory(end) } else { Ok(end) };
            }
            let place = Place { directory, name: Some(name.to_owned()), found, slash };
            return if slash { require_directory(place) } else { Ok(place) };
        }
        Ok(Place { directory, name: None, found: Some(Child::Directory(directory)), slash })
    }

    fn up(&mut self, directory: N::Directory, jail: Option<N::Directory>) -> Result<N::Directory, WalkError> {
        if jail == Some(directory) {
            return Err(WalkError::Outside);
        }
        self.names.parent(directory).ok_or(WalkError::Outside)
    }

    fn enter(
        &mut self,
        directory: N::Directory,
        found: Option<Child<N::Directory, N::File>>,
    ) -> Result<N::Directory, WalkError> {
        match found {
            Some(Child::Directory(next)) => Ok(next),
            Some(Child::Link(_, target)) => match self.follow(directory, &target)?.found {
                Some(Child::Directory(next)) => Ok(next),
                Some(_) => Err(WalkError::NotDirectory),
                None => Err(WalkError::NoEntry),
            },
            Some(Child::File(_)) => Err(WalkError::NotDirectory),
            None => Err(WalkError::NoEntry),
        }
    }

    /// Resolves a link in `directory`. The recursion is at most [`MAX_LINKS`] deep.
    fn follow(&mut self, directory: N::Directory, target: &str) -> Result<Place<N::Directory, N::File>, WalkError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(WalkError::Loop);
        }
        self.run(directory, None, target, true)
    }
}

fn require_directory<D, F>(place: Place<D, F>) -> Result<Place<D, F>, WalkError> {
    match place.found {
        Some(Child::File(_) | Child::Link(..)) => Err(WalkError::NotDirectory),
        Some(Child::Directory(_)) | None => Ok(Place { slash: true, ..place }),
    }
}
