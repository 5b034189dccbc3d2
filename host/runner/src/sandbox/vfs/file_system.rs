//! The file system of one call: which genes get it, and the parts that all of its functions share.
//!
//! A gene with the capability `workspace` finds three directories: `/workspace`, `/tmp` and `/`. `/` is the same as
//! `/workspace`, because the libraries of some languages start there and resolve relative paths from it. Any other gene
//! finds no directory, so no path leads anywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gephost_core::gene::Capability;
use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;

use gephost_core::proposal::Change;
use gephost_core::recording::Decision;

use super::bindings::wasi::filesystem::preopens;
use super::bindings::wasi::filesystem::types::ErrorCode;
use super::bindings::{Descriptor, FileError};
use super::overlay::Overlay;
use crate::sandbox::audit::{Audit, Handed};
use crate::sandbox::budget::Meter;
use crate::sandbox::granted::Granted;
use crate::sandbox::inputs::Inputs;
use crate::sandbox::wasi_context::VirtualClock;

/// The file system of a call. It is created when the gene asks for its directories.
#[derive(Debug, Default)]
pub(crate) struct FileSystem(Option<Box<Opened>>);

#[derive(Debug)]
struct Opened {
    overlay: Overlay,
    unpaid: Arc<AtomicU64>,
    /// The number of changes so far. Each change gets a time of its own.
    changes: u32,
}

impl FileSystem {
    /// The changes that the call made.
    pub(crate) fn difference(&self, meter: &mut Meter) -> wasmtime::Result<Vec<Change>> {
        self.0.as_ref().map_or_else(|| Ok(Vec::new()), |opened| opened.overlay.difference(meter))
    }

    /// Bytes that streams wrote in addition to those they were given, and that are not charged yet.
    pub(crate) fn take_unpaid(&self) -> u64 {
        self.0.as_ref().map_or(0, |opened| opened.unpaid.swap(0, Ordering::Relaxed))
    }

    fn open(&mut self, inputs: &Inputs, now: Datetime) {
        self.0.get_or_insert_with(|| {
            let unpaid = Arc::new(AtomicU64::new(0));
            let overlay = Overlay::new(Arc::clone(&inputs.workspace), now, Arc::clone(&unpaid));
            Box::new(Opened { overlay, unpaid, changes: 0 })
        });
    }
}

/// The parts of the state that the functions use.
pub(crate) struct View<'a> {
    pub(in crate::sandbox) file_system: &'a mut FileSystem,
    pub(in crate::sandbox) table: &'a mut ResourceTable,
    pub(in crate::sandbox) meter: &'a mut Meter,
    pub(in crate::sandbox) inputs: &'a Inputs,
    pub(in crate::sandbox) granted: &'a Granted,
    pub(in crate::sandbox) clock: &'a VirtualClock,
    pub(in crate::sandbox) audit: &'a mut Audit,
}

/// Tells a linker how to get the view from the state of a call.
pub(crate) struct HasView;

impl HasData for HasView {
    type Data<'a> = View<'a>;
}

impl View<'_> {
    fn opened(&mut self) -> wasmtime::Result<&mut Opened> {
        self.file_system.0.as_deref_mut().ok_or_else(|| wasmtime::Error::msg("no directory was ever given"))
    }

    /// The files of the call. They exist as soon as there is a descriptor.
    pub(super) fn overlay(&mut self) -> wasmtime::Result<&mut Overlay> {
        Ok(&mut self.opened()?.overlay)
    }

    /// The files of the call, and the meter that is charged for them.
    pub(super) fn parts(&mut self) -> wasmtime::Result<(&mut Overlay, &mut Meter)> {
        let opened = self.file_system.0.as_deref_mut();
        let opened = opened.ok_or_else(|| wasmtime::Error::msg("no directory was ever given"))?;
        Ok((&mut opened.overlay, &mut *self.meter))
    }

    fn since_epoch(&self) -> Duration {
        let start = self.inputs.now.duration_since(jiff::Timestamp::UNIX_EPOCH);
        Duration::try_from(start).unwrap_or_default().saturating_add(self.clock.now())
    }

    /// Records a request, and returns its result.
    pub(super) fn note<T>(
        &mut self,
        function: &'static str,
        target: &str,
        answer: Result<T, FileError>,
    ) -> Result<T, FileError> {
        let decision = match &answer {
            Ok(_) => Decision::Granted,
            Err(FileError::Code(code)) => decision(*code),
            Err(FileError::Trap(_)) => Decision::Failed,
        };
        self.audit.record(Capability::Workspace, function, target, decision, Handed::Nothing);
        answer
    }

    /// The time of a change: the clock of the gene plus a microsecond for each earlier change. A library that compares
    /// times to find changed files, like the importer of Python, then sees the change.
    pub(super) fn time_of_change(&mut self) -> wasmtime::Result<Datetime> {
        let now = self.since_epoch();
        let opened = self.opened()?;
        opened.changes = opened.changes.saturating_add(1);
        Ok(datetime(now.saturating_add(Duration::from_micros(opened.changes.into()))))
    }

    /// Charges what a write added beyond the bytes that it was given.
    pub(super) fn settle(&mut self) -> wasmtime::Result<()> {
        let unpaid = self.file_system.take_unpaid();
        self.meter.take(unpaid)
    }
}

/// How the audit records an error.
fn decision(code: ErrorCode) -> Decision {
    match code {
        ErrorCode::NoEntry => Decision::NotFound,
        ErrorCode::NotPermitted | ErrorCode::Unsupported => Decision::Refused,
        ErrorCode::Io | ErrorCode::FileTooLarge => Decision::Failed,
        _ => Decision::Invalid,
    }
}

fn datetime(since_epoch: Duration) -> Datetime {
    Datetime { seconds: since_epoch.as_secs(), nanoseconds: since_epoch.subsec_nanos() }
}

impl preopens::Host for View<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        self.meter.host_call()?;
        if !self.granted.has(Capability::Workspace) {
            return Ok(Vec::new());
        }
        let now = datetime(self.since_epoch());
        self.file_system.open(self.inputs, now);
        // Go uses the first one as its working directory.
        [("/workspace", Overlay::WORKSPACE, ""), ("/tmp", Overlay::TMP, "/tmp"), ("/", Overlay::WORKSPACE, "")]
            .into_iter()
            .map(|(name, place, path)| {
                Ok((self.table.push(Descriptor::directory(place, path.into()))?, name.to_owned()))
            })
            .collect()
    }
}
