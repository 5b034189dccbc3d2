//! The only place that turns `host/runner/wit/filesystem.wit` into Rust, with the types that the bindings name: open
//! files, listings and errors.

use std::sync::Arc;

use wasmtime::component::ResourceTableError;

use super::node::File;
use super::overlay::Place;
use crate::sandbox::files::WalkError;
use wasi::filesystem::types::{DescriptorFlags, ErrorCode};

wasmtime::component::bindgen!({
    path: "wit/filesystem.wit",
    world: "gephost:files/files",
    imports: { default: trappable },
    trappable_error_type: { "wasi:filesystem/types.error-code" => self::FileError },
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
    /// The path with which it was opened, for the audit.
    pub(super) path: Arc<str>,
}

#[derive(Debug, Clone)]
pub(super) enum Object {
    Directory(Place),
    File(Arc<File>),
}

/// A listing in progress. It continues after the last returned name, so it needs no copy of the directory.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Listing {
    pub(super) directory: Place,
    /// The last returned name.
    pub(super) after: Option<String>,
}

/// Why a function of `wasi:filesystem` failed.
#[derive(Debug)]
pub(crate) enum FileError {
    /// An error for the guest.
    Code(ErrorCode),
    /// An error that ends the call: an exceeded budget or an invalid handle.
    Trap(wasmtime::Error),
}

impl From<ErrorCode> for FileError {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<wasmtime::Error> for FileError {
    fn from(error: wasmtime::Error) -> Self {
        Self::Trap(error)
    }
}

impl From<ResourceTableError> for FileError {
    fn from(error: ResourceTableError) -> Self {
        Self::Trap(error.into())
    }
}

impl From<WalkError> for FileError {
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
