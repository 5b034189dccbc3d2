//! Logs as no agent writes them: each hand-written log with lines exchanged, parts repeated and taken out, fields of a
//! megabyte, values nested deeper than any stack, lists of many small things and bytes that are no text. Whatever comes,
//! a reader ends, keeps what it hands on within the bounds, and makes the same of it in whatever pieces it comes.
//! The mutations follow from a seed, so that a failure is found again by its number.

#![expect(clippy::disallowed_methods, reason = "a test reads its data")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::fs;
use std::path::Path;

use gephost_core::observe::{FORMATS, FileReader, Format, Shared, recognise};
use gephost_core::run_event::{MAX_FAILURE_OUTPUT_BYTES, MAX_INPUT_BYTES, RunEvent};

/// Mutated logs of each log.
const MUTATIONS: u64 = 24;

/// A sequence of numbers that a seed decides (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `end`, and 0 where that is 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    fn one_of<'a>(&mut self, choices: &[&'a [u8]]) -> &'a [u8] {
        choices[self.below(choices.len())]
    }
}

/// Where `mark` ends next after some place, else that place.
fn after(bytes: &[u8], mark: &[u8], numbers: &mut Numbers) -> usize {
    let from = numbers.below(bytes.len());
    bytes[from..].windows(mark.len()).position(|part| part == mark).map_or(from, |at| from + at + mark.len())
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    bytes.splice(at..at, what.iter().copied());
}

fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    match numbers.below(8) {
        0 => {
            let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            for _ in 0..lines.len() {
                let (one, other) = (numbers.below(lines.len()), numbers.below(lines.len()));
                lines.swap(one, other);
            }
            *bytes = lines.join(&b'\n');
        }
        1 => {
            let at = after(bytes, b"\":\"", numbers);
            let filler = numbers.one_of(&[b"A", b"\\u0000", b"\xff", b" ", b"\\n", b"- ", b"<x>"]);
            insert(bytes, at, &filler.repeat((1 << 20) / filler.len()));
        }
        2 => {
            let at = after(bytes, b":", numbers);
            let [open, close]: [&[u8]; 2] = if numbers.below(2) == 0 { [b"[", b"]"] } else { [b"{\"a\":", b"}"] };
            let depth = [130, 300_000][numbers.below(2)];
            let deep = [&open.repeat(depth), &b"1"[..], &close.repeat(depth), b","].concat();
            insert(bytes, at, &deep[..deep.len() / (1 + numbers.below(2))]);
        }
        3 => {
            let at = after(bytes, b"[", numbers);
            let element = numbers.one_of(&[b"{},", b"\"\",", b"0,", b"[],", b"{\"type\":\"text\"},", b"null,"]);
            insert(bytes, at, &element.repeat(100_000));
        }
        4 => {
            let from = numbers.below(bytes.len());
            let part = bytes[from..].iter().copied().take(1 + numbers.below(2000)).collect::<Vec<u8>>();
            insert(bytes, from, &part.repeat(1 + numbers.below(50)));
        }
        5 => {
            let from = numbers.below(bytes.len());
            let end = (from + numbers.below(1000)).min(bytes.len());
            bytes.drain(from..end);
        }
        6 => {
            for _ in 0..40 {
                let at = numbers.below(bytes.len());
                let odd =
                    numbers.one_of(&[b"\xed\xa0\x80", b"\\ud800", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\r", b"\0"]);
                insert(bytes, at, odd);
            }
        }
        _ => {
            for _ in 0..20 {
                let at = numbers.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = numbers.next().to_le_bytes()[0];
                }
            }
        }
    }
}

fn read(format: &'static Format, bytes: &[u8], piece: usize) -> Vec<RunEvent> {
    let mut reader = FileReader::new(format, "log", bytes);
    let (mut shared, mut events) = (Shared::default(), Vec::new());
    for part in bytes.chunks(piece) {
        reader.feed(part, &mut shared, &mut |event| events.push(event));
    }
    let _ = reader.finish(&mut shared, &mut |event| events.push(event));
    events
}

fn keeps_its_bounds(event: &RunEvent) -> bool {
    let within = |text: &Option<String>, most: usize| text.as_ref().is_none_or(|text| text.len() <= most);
    let short = |name: &str| name.len() <= 256;
    within(&event.input, MAX_INPUT_BYTES)
        && within(&event.output, MAX_FAILURE_OUTPUT_BYTES)
        && short(&event.session_key)
        && [&event.tool_name, &event.call_id, &event.channel].into_iter().flatten().all(|name| short(name))
}

#[test]
fn what_no_agent_writes_is_read_within_the_bounds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut logs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.is_file());
    logs.sort();
    assert!(logs.len() >= 18, "{logs:?}");
    for path in logs {
        let original = fs::read(&path).unwrap();
        let own = recognise(&original).unwrap();
        for seed in 0..MUTATIONS {
            let mut numbers = Numbers(seed);
            let mut bytes = original.clone();
            for _ in 0..=numbers.below(3) {
                mutate(&mut bytes, &mut numbers);
            }
            let name = format!("{} mutated by {seed}", path.display());
            let other = &FORMATS[numbers.below(FORMATS.len())];
            for format in [Some(own), recognise(&bytes), Some(other)].into_iter().flatten() {
                let events = read(format, &bytes, bytes.len().max(1));
                assert!(events.iter().all(keeps_its_bounds), "{name}, read as {}", format.name);
                let in_pieces = read(format, &bytes, 4093);
                assert!(events == in_pieces, "{name}, read as {}: pieces make a difference", format.name);
            }
        }
    }
}
