//! How arguments and answers of WASI's functions look in a trace.

use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::clocks::wall_clock;
use wasmtime_wasi::p2::{StreamError, StreamResult};

use crate::sandbox::printable::clip;
use crate::sandbox::trace::{Answered, Outcome};
use crate::sandbox::vfs::filesystem::types;
use crate::sandbox::vfs::{Descriptor, FileError};

/// An argument, as the trace shows it.
pub(super) trait Shown {
    fn shown(&self) -> String;
}

pub(super) fn arguments(arguments: &[&dyn Shown]) -> String {
    let shown = arguments.iter().map(|argument| argument.shown()).filter(|text| !text.is_empty());
    shown.collect::<Vec<_>>().join(" ")
}

impl<T: 'static> Shown for Resource<T> {
    fn shown(&self) -> String {
        format!("#{}", self.rep())
    }
}

impl<T: 'static> Shown for Vec<Resource<T>> {
    fn shown(&self) -> String {
        self.iter().map(Shown::shown).collect::<Vec<_>>().join(" ")
    }
}

impl Shown for Vec<u8> {
    fn shown(&self) -> String {
        format!("{} bytes", self.len())
    }
}

/// Values that are shown as they are.
macro_rules! shown {
    ($how:literal: $($kind:ty),*) => {
        $(impl Shown for $kind {
            fn shown(&self) -> String {
                format!($how, self)
            }
        })*
    };
}

shown!("{}": String, u8, u64);
shown!("{:?}": Result<(), ()>, types::Advice, types::NewTimestamp);

/// Flags by the names of those that are set; nothing if none is.
macro_rules! flags {
    ($($kind:ident: $($flag:ident $name:literal),*;)*) => {
        $(impl Shown for types::$kind {
            fn shown(&self) -> String {
                let all = [$((types::$kind::$flag, $name)),*];
                let set = all.into_iter().filter(|(flag, _)| self.contains(*flag)).map(|(_, name)| name);
                set.collect::<Vec<_>>().join(",")
            }
        })*
    };
}

flags! {
    PathFlags: SYMLINK_FOLLOW "symlink-follow";
    OpenFlags: CREATE "create", DIRECTORY "directory", EXCLUSIVE "exclusive", TRUNCATE "truncate";
    DescriptorFlags: READ "read", WRITE "write", FILE_INTEGRITY_SYNC "file-integrity-sync",
        DATA_INTEGRITY_SYNC "data-integrity-sync", REQUESTED_WRITE_SYNC "requested-write-sync",
        MUTATE_DIRECTORY "mutate-directory";
}

/// A value in an answer: its short form, and its bytes.
trait Value {
    fn value(&self) -> (String, u64);
}

impl<T: Value> Answered for wasmtime::Result<T> {
    fn outcome(&self) -> Outcome {
        answered(self, ended)
    }
}

impl<T: Value> Answered for Result<T, FileError> {
    fn outcome(&self) -> Outcome {
        answered(self, |error| match error {
            FileError::Code(code) => code.name().to_owned(),
            FileError::Trap(error) => ended(error),
        })
    }
}

impl<T: Value> Answered for StreamResult<T> {
    fn outcome(&self) -> Outcome {
        answered(self, |error| match error {
            StreamError::Closed => "closed".to_owned(),
            StreamError::LastOperationFailed(error) => error.to_string(),
            StreamError::Trap(error) => ended(error),
        })
    }
}

fn ended(error: &wasmtime::Error) -> String {
    format!("ends the gene: {error}")
}

fn answered<T: Value, E>(answer: &Result<T, E>, problem: impl FnOnce(&E) -> String) -> Outcome {
    match answer {
        Ok(value) => {
            let (answer, bytes) = value.value();
            Outcome { word: "ok".into(), answer, bytes }
        }
        Err(error) => Outcome { word: clip(&problem(error)).into(), answer: String::new(), bytes: 0 },
    }
}

impl Value for () {
    fn value(&self) -> (String, u64) {
        (String::new(), 0)
    }
}

impl Value for Vec<u8> {
    fn value(&self) -> (String, u64) {
        (String::new(), self.len() as u64)
    }
}

impl Value for (Vec<u8>, bool) {
    fn value(&self) -> (String, u64) {
        (if self.1 { "end".to_owned() } else { String::new() }, self.0.len() as u64)
    }
}

impl Value for String {
    fn value(&self) -> (String, u64) {
        (self.clone(), self.len() as u64)
    }
}

impl<T: Value> Value for Option<T> {
    fn value(&self) -> (String, u64) {
        self.as_ref().map_or_else(|| ("none".to_owned(), 0), Value::value)
    }
}

impl<T: 'static> Value for Resource<T> {
    fn value(&self) -> (String, u64) {
        (self.shown(), 0)
    }
}

impl Value for types::DescriptorStat {
    fn value(&self) -> (String, u64) {
        (format!("{} of {} bytes", kind(self.type_), self.size), 0)
    }
}

impl Value for types::DirectoryEntry {
    fn value(&self) -> (String, u64) {
        (format!("{} {}", kind(self.type_), self.name), self.name.len() as u64)
    }
}

impl Value for types::DescriptorFlags {
    fn value(&self) -> (String, u64) {
        (self.shown(), 0)
    }
}

impl Value for types::ErrorCode {
    fn value(&self) -> (String, u64) {
        (self.name().to_owned(), 0)
    }
}

impl Value for types::MetadataHashValue {
    fn value(&self) -> (String, u64) {
        (format!("{:016x}{:016x}", self.upper, self.lower), 0)
    }
}

impl Value for types::DescriptorType {
    fn value(&self) -> (String, u64) {
        (kind(*self).to_owned(), 0)
    }
}

fn kind(of: types::DescriptorType) -> &'static str {
    match of {
        types::DescriptorType::Directory => "directory",
        types::DescriptorType::RegularFile => "regular-file",
        types::DescriptorType::SymbolicLink => "symbolic-link",
        _ => "other",
    }
}

impl Value for Vec<(Resource<Descriptor>, String)> {
    fn value(&self) -> (String, u64) {
        let entry = |(fd, name): &(Resource<Descriptor>, String)| format!("{} {name}", fd.shown());
        (self.iter().map(entry).collect::<Vec<_>>().join(", "), 0)
    }
}

impl Value for wall_clock::Datetime {
    fn value(&self) -> (String, u64) {
        (format!("{}.{:09}", self.seconds, self.nanoseconds), 0)
    }
}

/// Short values.
macro_rules! values {
    ($how:literal: $($kind:ty),*) => {
        $(impl Value for $kind {
            fn value(&self) -> (String, u64) {
                (format!($how, self), 0)
            }
        })*
    };
}

values!("{}": u64, bool);
values!("{:?}": (u64, u64), Vec<u32>, Vec<String>, Vec<(String, String)>);
