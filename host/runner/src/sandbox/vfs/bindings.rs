//! The one place that turns `host/runner/wit/filesystem.wit` into Rust, with the types that it names: what a guest has
//! open, and what a function answers instead of a result.

use std::sync::Arc;

use wasmtime::component::ResourceTableError;

use super::node::File;
use super::overlay::Place;
use crate::sandbox::files::WalkError;
use wasi::filesystem::types::{DescriptorFlags, ErrorCode};

wasmtime::component::bindgen!({
    path: "wit/filesystem.wit",
    world: "gephost:door/door",
    imports: { default: trappable },
    trappable_error_type: { "wasi:filesystem/types.error-code" => self::DoorError },
    with: {
        "wasi:io": wasmtime_wasi::p2::bindings::sync::io,
        "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
        "wasi:filesystem/types.descriptor": self::Descriptor,
        "wasi:filesystem/types.directory-entry-stream": self::Listing,
    },
    require_store_data_send: true,
});

/// An open file or directory.
#[derive(Debug, Clone)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Descriptor {
    pub(super) object: Object,
    pub(super) flags: DescriptorFlags,
    /// As it was opened, for the audit.
    pub(super) path: Arc<str>,
}

#[derive(Debug, Clone)]
pub(super) enum Object {
    /// A directory.
    Directory(Place),
    /// A file.
    File(Arc<File>),
}

/// A listing that goes on after the last name it gave, so that it needs no copy of the directory.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Listing {
    pub(super) directory: Place,
    /// That name.
    pub(super) after: Option<String>,
}

/// Why a function of the door has no answer.
#[derive(Debug)]
pub(crate) enum DoorError {
    /// For the guest.
    Code(ErrorCode),
    /// Ends the call: a budget, or a handle that is none.
    Trap(wasmtime::Error),
}

impl From<ErrorCode> for DoorError {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<wasmtime::Error> for DoorError {
    fn from(error: wasmtime::Error) -> Self {
        Self::Trap(error)
    }
}

impl From<ResourceTableError> for DoorError {
    fn from(error: ResourceTableError) -> Self {
        Self::Trap(error.into())
    }
}

impl From<WalkError> for DoorError {
    fn from(error: WalkError) -> Self {
        Self::Code(match error {
            WalkError::NoEntry => ErrorCode::NoEntry,
            WalkError::NotDirectory => ErrorCode::NotDirectory,
            WalkError::Outside => ErrorCode::NotPermitted,
            WalkError::TooLong => ErrorCode::NameTooLong,
            WalkError::Nul => ErrorCode::Invalid,
            WalkError::Loop => ErrorCode::Loop,
        })
    }
}
