//! Tests without a host: findings and failures by hand, files in a map.

mod case;
mod planted;
mod section;
mod sentences;
mod settings;
