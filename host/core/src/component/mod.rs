//! Components from elsewhere: where they come from, and what a repository pins of them.

pub mod lock;
pub mod reference;
