//! The reader's frame: lines with their numbers, limits, and what may stand between the patches of files.
//!
//! What must stay true: time and memory are linear in the text, no text makes it panic, and every line is either read
//! as part of a file's patch or known to mean nothing to any reader.

use super::cursor::{Cursor, Limits};
use super::{ParseError, ParseErrorKind as Kind, Patch, file, prose};

/// Reads a unified diff.
///
/// Taken are git's own diffs, plain ones with `---` and `+++`, and prose before the first of them (a mail header, a
/// commit message) where no reader could take it for more. Everything else is refused with its line and reason.
pub fn parse(text: &str, limits: &Limits) -> Result<Patch, ParseError> {
    let mut cursor = Cursor::new(text, limits)?;
    skip_prose(&mut cursor)?;
    let mut files = Vec::new();
    while let Some(line) = cursor.peek() {
        if line.trim().is_empty() {
            cursor.advance();
        } else if prose::is_signature(line) {
            end_of_mail(&mut cursor)?;
        } else if files.len() == limits.max_files {
            return Err(cursor.error(Kind::TooLarge {
                what: "files",
                found: files.len() + 1,
                limit: limits.max_files,
            }));
        } else {
            files.push(file::read(&mut cursor)?);
        }
    }
    if files.is_empty() {
        let kind = if text.trim().is_empty() { Kind::Empty } else { Kind::NotADiff };
        return Err(ParseError { line: 1, kind });
    }
    Ok(Patch { files })
}

/// Passes over prose before the first file.
fn skip_prose(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    while let Some(line) = cursor.peek() {
        if file::starts(cursor) {
            break;
        }
        if !prose::is_inert(line) {
            return Err(cursor.error(prose::reason(line)));
        }
        cursor.advance();
    }
    Ok(())
}

/// Reads the signature that ends a mail; only blank lines may follow.
fn end_of_mail(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    cursor.advance();
    if cursor.peek().is_some_and(prose::is_version) {
        cursor.advance();
    }
    while let Some(line) = cursor.peek() {
        if !line.trim().is_empty() {
            return Err(cursor.error(Kind::Prose));
        }
        cursor.advance();
    }
    Ok(())
}
