//! Reads a file of assets to its end, one asset at a time.

use std::io::Read;

use gephost_core::digest::MAX_ASSET_BYTES;

use super::files::{Form, Stored};
use super::list;
use crate::durable::{self, Line};

/// Why a file of assets cannot be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A list that is not JSON, or no list.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Hands over everything that stands in a file of this form, in its order.
pub fn walk(form: Form, content: &mut dyn Read, each: &mut dyn FnMut(Stored<'_>)) -> Result<(), WalkError> {
    walk_at(form, content, &mut |_, stored| each(stored))
}

/// The same, with the byte that each object begins with.
pub(super) fn walk_at(
    form: Form,
    content: &mut dyn Read,
    each: &mut dyn FnMut(u64, Stored<'_>),
) -> Result<(), WalkError> {
    let mut number = 0;
    match form {
        Form::List(key) => {
            list::read_list(content, &[key], MAX_ASSET_BYTES, &mut |start, text| {
                number += 1;
                each(start, Stored::Text { number, text: text.as_bytes() });
            })?;
        }
        Form::Lines => durable::lines_of(content, MAX_ASSET_BYTES, |start, line| {
            number += 1;
            match line {
                // Another tool may leave out the last line end.
                Line::Whole(text) | Line::Torn(text) if !text.trim_ascii().is_empty() => {
                    each(start, Stored::Text { number, text });
                }
                Line::Whole(_) | Line::Torn(_) => {}
                Line::TooLong => each(start, Stored::TooLong { number }),
            }
        })?,
    }
    Ok(())
}

/// Hands over the assets of a file that somebody made: a list of genes or capsules or a bare list, in JSON; one asset is read by
/// the caller.
pub fn walk_lists(content: &mut dyn Read, each: &mut dyn FnMut(Stored<'_>)) -> Result<(), WalkError> {
    let mut number = 0;
    list::read_list(content, &["genes", "capsules", "assets"], MAX_ASSET_BYTES, &mut |_, text| {
        number += 1;
        each(Stored::Text { number, text: text.as_bytes() });
    })?;
    Ok(())
}
