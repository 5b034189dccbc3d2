//! A real hub on loopback, asked over plain HTTP.
#![expect(clippy::disallowed_methods, reason = "tests make files, connections and processes as they like")]

mod abuse;
mod components;
mod connections;
mod crash;
mod messages;
mod promotion;
mod rest;
mod support;
mod sweeps;
