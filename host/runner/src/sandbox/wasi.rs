//! WASI 0.2 for guests whose language's library needs it: no environment, no arguments, no input but what the component
//! itself carries, a virtual clock and seeded randomness ([`wasi_context`](super::wasi_context)). Output is captured.
//!
//! The deny-by-default list is [`link`]: an interface that it does not name does not exist for a gene.
//! [`vfs`](super::vfs) provides files, [`sockets`](super::sockets) refuses sockets, and HTTP is not linked.

use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliCtxView, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtxView, WasiClocksView as _};
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::bindings::{cli, clocks, random};
use wasmtime_wasi::random::{WasiRandom, WasiRandomCtx};
use wasmtime_wasi::{WasiCtxView, WasiView};
use wasmtime_wasi_io::bindings::wasi::io::error;

use super::state::GeneState;
use super::traced::{HasTraced, Traced};
use super::vfs::{HasView, View, filesystem};
use super::wasi_clock::{ClockView, HasClock};
use super::wasi_io::{HasIo, HasTable, Io};

impl WasiView for GeneState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl GeneState {
    /// The files of this call.
    pub(super) fn files(&mut self) -> View<'_> {
        View {
            file_system: &mut self.file_system,
            table: &mut self.table,
            meter: &mut self.meter,
            inputs: &self.inputs,
            granted: &self.granted,
            clock: &self.clock,
            audit: &mut self.audit,
        }
    }
}

fn files(state: &mut GeneState) -> Traced<View<'_>> {
    Traced { trace: state.trace.clone(), inner: state.files() }
}

fn table(state: &mut GeneState) -> Traced<&mut ResourceTable> {
    Traced { trace: state.trace.clone(), inner: &mut state.table }
}

fn io(state: &mut GeneState) -> Traced<Io<'_>> {
    let inner = Io { table: &mut state.table, meter: &mut state.meter, file_system: &state.file_system };
    Traced { trace: state.trace.clone(), inner }
}

fn wall_clock(state: &mut GeneState) -> Traced<WasiClocksCtxView<'_>> {
    Traced { trace: state.trace.clone(), inner: state.clocks() }
}

fn clock(state: &mut GeneState) -> Traced<ClockView<'_>> {
    Traced { trace: state.trace.clone(), inner: ClockView { clock: &state.clock, table: &mut state.table } }
}

fn randomness(state: &mut GeneState) -> Traced<&mut WasiRandomCtx> {
    Traced { trace: state.trace.clone(), inner: state.wasi.random() }
}

fn command_line(state: &mut GeneState) -> Traced<WasiCliCtxView<'_>> {
    Traced { trace: state.trace.clone(), inner: state.cli() }
}

type Files = HasTraced<HasView>;
type Clocks = HasTraced<WasiClocks>;
type Random = HasTraced<WasiRandom>;
type Cli = HasTraced<WasiCli>;

/// Links every WASI interface that a gene gets.
pub(super) fn link(l: &mut Linker<GeneState>) -> wasmtime::Result<()> {
    error::add_to_linker::<GeneState, HasTraced<HasTable>>(l, table)?;
    poll::add_to_linker::<GeneState, HasTraced<HasIo>>(l, io)?;
    streams::add_to_linker::<GeneState, HasTraced<HasIo>>(l, io)?;
    clocks::wall_clock::add_to_linker::<GeneState, Clocks>(l, wall_clock)?;
    clocks::monotonic_clock::add_to_linker::<GeneState, HasTraced<HasClock>>(l, clock)?;
    random::random::add_to_linker::<GeneState, Random>(l, randomness)?;
    random::insecure::add_to_linker::<GeneState, Random>(l, randomness)?;
    random::insecure_seed::add_to_linker::<GeneState, Random>(l, randomness)?;
    cli::exit::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::environment::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::stdin::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::stdout::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::stderr::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::terminal_input::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::terminal_output::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::terminal_stdin::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::terminal_stdout::add_to_linker::<GeneState, Cli>(l, command_line)?;
    cli::terminal_stderr::add_to_linker::<GeneState, Cli>(l, command_line)?;
    filesystem::types::add_to_linker::<GeneState, Files>(l, files)?;
    filesystem::preopens::add_to_linker::<GeneState, Files>(l, files)
}
