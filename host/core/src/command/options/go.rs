//! Options of go.

use super::Opt;
use super::Value::{Flag, Number, OneOf, Report, Runs, Text};

/// After `go test`.
pub(in super::super) const GO: &[Opt] = &[
    ("-v", Flag),
    ("-race", Flag),
    ("-cover", Flag),
    ("-covermode", OneOf(&["set", "count", "atomic"])),
    ("-failfast", Flag),
    ("-json", Flag),
    ("-short", Flag),
    ("-benchmem", Flag),
    ("-benchtime", Number),
    ("-trimpath", Flag),
    ("-shuffle", OneOf(&["on", "off"])),
    ("-mod", OneOf(&["readonly", "vendor"])),
    ("-count", Runs),
    ("-cpu", Number),
    ("-p", Number),
    ("-parallel", Number),
    ("-timeout", Number),
    ("-run", Text),
    ("-bench", Text),
    ("-tags", Text),
    ("-coverprofile", Report(&["cov", "coverprofile", "out", "prof", "profile", "txt"])),
];

/// After `go vet` and `go build`.
pub(in super::super) const GO_BUILD: &[Opt] = &[
    ("-v", Flag),
    ("-race", Flag),
    ("-trimpath", Flag),
    ("-json", Flag),
    ("-mod", OneOf(&["readonly", "vendor"])),
    ("-p", Number),
    ("-tags", Text),
];
