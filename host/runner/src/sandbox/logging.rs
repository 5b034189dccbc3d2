//! The import `logging`.

use super::bindings::gephost::gene::logging::{Host, Level};
use super::log_line::LogLevel;
use super::printable::printable;
use super::state::GeneState;

impl Host for GeneState {
    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.meter.host_call()?;
        self.meter.log_line()?;
        self.meter.take(message.len() as u64)?;
        let level = match level {
            Level::Debug => LogLevel::Debug,
            Level::Info => LogLevel::Info,
            Level::Warn => LogLevel::Warn,
            Level::Error => LogLevel::Error,
        };
        self.lines.log(level, printable(&message));
        Ok(())
    }
}
