//! Tests that check less after the change than before.
//!
//! Where strings and comments are distinguished from code, a test file is read as an outline: its tests by name, each with the
//! checks that run and can fail. The outline before is compared with the one after, so that a check in a comment, in a
//! string or behind a `return` counts for nothing. In other files, lines are counted. What no rule knows by name is judged by
//! what the changed lines lost and gained as words.

mod acts;
mod alike;
mod answered;
mod arrived;
mod asked;
mod balance;
mod begins;
mod cases;
mod changed;
mod compare;
mod compiled;
mod count;
mod exact;
mod examples;
mod expected;
mod expression;
mod fakes;
mod holds;
mod hollow;
mod inputs;
mod instead;
mod judge;
mod known;
mod loaded;
mod loops;
mod loosened;
mod marked;
mod moved;
mod neutral;
mod new_lines;
mod omits;
mod outline;
mod page;
mod pairs;
mod parts;
mod phrase;
mod predicates;
mod ranks;
mod rows;
mod same;
mod settle;
mod shape;
mod spelled;
mod taken;
mod text;
mod tokens;
mod tolerance;
mod tree;
mod truth;
mod unit;
mod unproved;
mod unreached;
mod unread;
mod verbs;
mod ways;
mod words;

pub(super) use judge::check;
pub(super) use marked::{function, new_function, renamed, without_reason};
