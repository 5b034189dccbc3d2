//! Looks through how a text is presented. A terminal sequence within a token, `%5F` for `_`, `\u0067` for `g`: what a
//! person or a program reads is the token, so the rules must read it too.
//!
//! Invariants: the time and memory are linear in the length of the text, with no allocation for a text without such
//! spellings. A view maps each of its bytes to the bytes of the text that spell it.

mod boundary;
mod escape;
mod plain;
mod survey;
mod terminal;
mod view;

pub(super) use boundary::ends_at;
pub(crate) use plain::Plain;
pub(crate) use survey::Survey;
pub(super) use terminal::has_sequence;
pub(super) use view::views;

#[cfg(test)]
mod tests;
