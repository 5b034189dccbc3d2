//! Backtests: what a gene would have made of findings of the past, each at the commit of that time.
//!
//! What must stay true: a backtest publishes, logs and stores nothing but its own results; a candidate is judged by the same
//! gate and validation as in a cycle; and a worker runs nothing that its own operator did not allow.

mod cells;
mod execute;
mod memo;
mod use_case;
mod work;

pub use use_case::{BacktestOptions, BacktestReport, CellReport, GeneReport};
pub use work::{WorkOptions, Worked};
