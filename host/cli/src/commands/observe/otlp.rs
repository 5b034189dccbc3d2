//! `gephost observe --otlp ADDR`: takes what agents send over OTLP/HTTP, until it is interrupted, and stores it as run
//! events, which every later `gephost run` reads.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use gephost_app::Project;
use gephost_receiver::{Limits, Receiver, RequestReader};
use gephost_runner::run_store::RunStore;
use schemars::JsonSchema;
use serde::Serialize;

use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render::verdict::plural;

pub(super) fn run(
    environment: &Environment,
    output: Output,
    folder: &Project,
    asked: &str,
    beyond_loopback: bool,
) -> Result<Report, Failure> {
    let address = address(asked)?;
    if !address.ip().is_loopback() && !beyond_loopback {
        let message = format!(
            "{} can be reached from other machines, and anyone who reaches it can write run events",
            address.ip()
        );
        return Err(Failure::new(Exit::Usage, "not_loopback", message)
            .hint(format!("`--otlp 127.0.0.1:{}`, or allow it with --beyond-loopback", address.port())));
    }
    folder.create_state()?;
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Failed, "listen", format!("failed to listen at {address}: {error}"))
            .hint("name another port, or 0 for one that is free")
    };
    let receiver = Receiver::bind(address, Limits::default()).map_err(failed)?;
    let address = receiver.address().map_err(failed)?;
    let store = RunStore::new(folder.state.root());
    let limit = folder.config.file.observe.log_max_chars;
    let clock = environment.clock;
    let keep = move |events: &[_]| store.append(events, clock(), limit).map(drop).map_err(|error| error.to_string());
    let requests = RequestReader::new(folder.config.policy.redactor(), Box::new(keep));
    output.note(&format!("listening at http://{address} for traces and logs; interrupt it to end"));
    output.note(&format!("  agents find it by OTEL_EXPORTER_OTLP_ENDPOINT=http://{address}"));
    let totals = receiver.serve(requests, &environment.interrupted).map_err(failed)?;
    Ok(Report::of(&ReceivedPage {
        address: address.to_string(),
        requests: totals.requests,
        refused: totals.refused,
        events: totals.events,
        rejected: totals.rejected,
        duplicates: totals.duplicates,
    }))
}

/// What agents sent over OTLP.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReceivedPage {
    /// Where gephost listened.
    address: String,
    /// Requests that succeeded.
    requests: u64,
    /// Requests that were refused.
    refused: u64,
    /// Events that were stored.
    events: u64,
    /// Records that could not be read.
    rejected: u64,
    /// Records that were received before.
    duplicates: u64,
}

impl Page for ReceivedPage {
    const KIND: &'static str = "observe_otlp";

    fn text(&self) -> String {
        let counted = |count: u64, noun: &str| format!("{count} {}", plural(count, noun));
        format!(
            "{}, {} refused; {} stored, {} rejected, {}\n",
            counted(self.requests, "request"),
            self.refused,
            counted(self.events, "event"),
            counted(self.rejected, "record"),
            counted(self.duplicates, "duplicate")
        )
    }
}

/// `IP:PORT`, `localhost:PORT`, or a port of the loopback address. No name is looked up.
fn address(text: &str) -> Result<SocketAddr, Failure> {
    let local = text.strip_prefix("localhost:").unwrap_or(text);
    let port = local.parse::<u16>().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    port.or_else(|_| text.parse()).map_err(|_| {
        Failure::new(Exit::Usage, "address", format!("`--otlp {text}` is not an address"))
            .hint("for example `--otlp 127.0.0.1:4318`, `--otlp [::1]:4318`, `--otlp 4318`")
    })
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_read_without_a_look_up() {
        for (text, meant) in [
            ("4318", "127.0.0.1:4318"),
            ("localhost:0", "127.0.0.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("0.0.0.0:4318", "0.0.0.0:4318"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), meant);
        }
        for text in ["", ":4318", "example.com:80", "70000", "127.0.0.1", "127.0.0.1:70000", "http://127.0.0.1:4318"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
