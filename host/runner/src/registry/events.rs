//! The events of an assets folder in bounded memory: the newest one by one, those before them as a summary.
//!
//! Owns the files of the folder `experience` in the user's cache, one for each assets folder. What must stay true: what is
//! summarised depends on the file of events alone, and not on when it was read. The file is cut into windows from its
//! beginning on, and every window but the last whole one and what follows it is summarised. So whoever damages or deletes a
//! file of the cache costs time: the events are read from the beginning again.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use gephost_core::digest::MAX_ASSET_BYTES;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::select::Earlier;
use serde::{Deserialize, Serialize};

use super::error::io;
use super::files::EVENT_LINES;
use super::grown::{Beginning, read_cached, write_cached};
use super::{Registry, RegistryError};
use crate::durable::{self, Line};
use crate::place::Place;
use crate::remembered::{EXPERIENCE, keep_newest};

/// A part of the file. It ends with the line that fills it.
#[derive(Debug, Clone, Copy)]
struct Window {
    lines: usize,
    bytes: u64,
}

const WINDOW: Window = Window { lines: 10_000, bytes: 16 << 20 };
/// Most summaries in the cache: one for each assets folder, and those of folders that are gone.
const MAX_SUMMARIES: usize = 64;
/// The largest summary that is read.
const MAX_SUMMARY_BYTES: u64 = 64 << 20;

/// The events of an assets folder.
#[derive(Debug, Default, PartialEq)]
pub struct Events {
    /// The newest events that can be read, oldest first.
    pub newest: Vec<EvolutionEvent>,
    /// Those before them.
    pub earlier: Earlier,
}

/// A summary, and what it is of.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Summary {
    of: Beginning,
    earlier: Earlier,
}

impl Registry {
    /// The newest event that can be read.
    pub fn last_event(&self) -> Result<Option<EvolutionEvent>, RegistryError> {
        let path = self.folder.join(EVENT_LINES.name);
        let Some(file) = durable::open_to_read(&path).map_err(io("open", &path))? else { return Ok(None) };
        let (start, end) = end_of(&file).map_err(io("read", &path))?;
        // The first of these lines may be cut.
        let mut lines = end.split(|byte| *byte == b'\n');
        if start > 0 {
            lines.next();
        }
        let last = lines.rev().find_map(|line| EvolutionEvent::from_json(line).ok());
        if last.is_some() || start == 0 {
            return Ok(last);
        }
        let mut last = None;
        self.each_event(&mut |event| last = Some(event))?;
        Ok(last)
    }

    /// The events, with a summary of those that lie far back.
    pub fn recent_events(&self) -> Result<Events, RegistryError> {
        self.events_in(WINDOW)
    }

    fn events_in(&self, window: Window) -> Result<Events, RegistryError> {
        let path = self.folder.join(EVENT_LINES.name);
        let Some(mut file) = durable::open_to_read(&path).map_err(io("open", &path))? else {
            return Ok(Events::default());
        };
        let stored = self.cache.as_ref().map(|cache| cache.join(EXPERIENCE).join(self.cache_name()));
        // A summary that cannot be read is made again.
        let known = stored.as_ref().and_then(|stored| known_summary(stored, &file).ok().flatten());
        let (start, earlier) = known.map_or_else(Default::default, |known| (known.of.bytes, known.earlier));
        let read = Reading::new(window, start, earlier).all_of(&mut file).map_err(io("read", &path))?;
        if let Some(stored) = stored.filter(|_| read.summarised > start) {
            // One that cannot be stored is made again the next time.
            let _ = store(&stored, &file, &read);
            let cache = stored.parent().parent();
            let _ = keep_newest(&cache, EXPERIENCE, MAX_SUMMARIES);
        }
        Ok(read.events())
    }
}

/// The last bytes of a file, more than one asset has, and where they begin.
fn end_of(file: &File) -> io::Result<(u64, Vec<u8>)> {
    let size = file.metadata()?.len();
    let start = size.saturating_sub(2 * MAX_ASSET_BYTES as u64);
    let mut end = vec![0; usize::try_from(size - start).unwrap_or_default()];
    file.read_exact_at(&mut end, start)?;
    Ok((start, end))
}

/// A reading that is under way.
struct Reading {
    window: Window,
    /// Whole windows, and the last one.
    windows: VecDeque<Part>,
    earlier: Earlier,
    /// The bytes of the file that are summarised.
    summarised: u64,
}

/// The events of a window.
#[derive(Default)]
struct Part {
    events: Vec<EvolutionEvent>,
    lines: usize,
    start: u64,
}

impl Reading {
    fn new(window: Window, start: u64, earlier: Earlier) -> Self {
        Self { window, windows: VecDeque::from([Part { start, ..Part::default() }]), earlier, summarised: start }
    }

    fn all_of(mut self, file: &mut File) -> io::Result<Self> {
        let from = self.summarised;
        file.seek(SeekFrom::Start(from))?;
        durable::lines_of(file, MAX_ASSET_BYTES, |at, line| self.take(from + at, line))?;
        Ok(self)
    }

    /// Takes the line that begins at this byte.
    fn take(&mut self, start: u64, line: Line<'_>) {
        let is_full = |part: &Part| part.lines >= self.window.lines || start - part.start >= self.window.bytes;
        if self.windows.back().is_none_or(is_full) {
            self.windows.push_back(Part { start, ..Part::default() });
            self.summarise();
        }
        if let (Some(part), Line::Whole(text) | Line::Torn(text)) = (self.windows.back_mut(), line) {
            part.events.extend(EvolutionEvent::from_json(text).ok());
        }
        self.windows.iter_mut().next_back().into_iter().for_each(|part| part.lines += 1);
    }

    /// Two windows are kept: the last whole one, and the one that is being read.
    fn summarise(&mut self) {
        while self.windows.len() > 2 {
            let Some(oldest) = self.windows.pop_front() else { return };
            self.earlier.add(&oldest.events);
            self.summarised = self.windows.front().map_or(self.summarised, |next| next.start);
        }
    }

    fn events(self) -> Events {
        let newest = self.windows.into_iter().flat_map(|part| part.events).collect();
        Events { newest, earlier: self.earlier }
    }
}

/// The stored summary, if it is of the beginning of this file.
fn known_summary(place: &Place, file: &File) -> io::Result<Option<Summary>> {
    let Some(bytes) = read_cached(place, MAX_SUMMARY_BYTES)? else { return Ok(None) };
    let Ok(summary) = serde_json::from_slice::<Summary>(&bytes) else { return Ok(None) };
    Ok(summary.of.is_of(file)?.then_some(summary))
}

fn store(place: &Place, file: &File, read: &Reading) -> io::Result<()> {
    let summary = Summary { of: Beginning::of(file, read.summarised)?, earlier: read.earlier.clone() };
    write_cached(place, &serde_json::to_vec(&summary)?)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use super::*;

    const SMALL: Window = Window { lines: 10, bytes: 1 << 20 };

    fn event(number: usize) -> String {
        let status = if number.is_multiple_of(3) { "failed" } else { "success" };
        format!(
            r#"{{"type":"EvolutionEvent","id":"evt_{number}","intent":"repair","signals":["s{}"],"genes_used":["g"],"capsule_id":"c{}","outcome":{{"status":"{status}","score":1}},"meta":{{"at":"2026-01-01T00:00:{:02}Z"}}}}"#,
            number % 2,
            number % 4,
            number % 60
        )
    }

    struct Folder {
        folder: tempfile::TempDir,
        cache: tempfile::TempDir,
    }

    impl Folder {
        fn of(events: usize) -> Self {
            let made = Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
            made.write(events);
            made
        }

        fn write(&self, events: usize) {
            let text = (0..events).fold(String::new(), |mut text, number| {
                writeln!(text, "{}", event(number)).unwrap();
                text
            });
            // In its place, as a tool that appends does.
            fs::write(self.folder.path().join("events.jsonl"), text).unwrap();
        }

        fn read(&self) -> Events {
            let registry = Registry::new(&Place::shared(self.folder.path())).with_cache(&Place::own(self.cache.path()));
            let events = registry.events_in(SMALL).unwrap();
            assert_eq!(Registry::new(&Place::shared(self.folder.path())).events_in(SMALL).unwrap(), events);
            events
        }

        fn stored(&self) -> Option<fs::DirEntry> {
            fs::read_dir(self.cache.path().join("experience")).ok()?.next().map(Result::unwrap)
        }
    }

    #[test]
    fn few_events_are_read_one_by_one() {
        for events in [0, 1, 10, 20] {
            let folder = Folder::of(events);
            let read = folder.read();
            assert_eq!((read.newest.len(), read.earlier), (events, Earlier::default()));
            assert!(folder.stored().is_none());
        }
    }

    #[test]
    fn what_is_summarised_depends_on_the_file_alone() {
        let grown = Folder::of(0);
        for events in [5, 21, 22, 29, 30, 31, 47, 100, 101] {
            grown.write(events);
            let (read, fresh) = (grown.read(), Folder::of(events).read());
            assert_eq!(read, fresh, "{events}");
            assert_eq!(read.newest.len() as u64 + read.earlier.events, events as u64);
            let newest: Vec<String> = read.newest.iter().map(|event| event.id.clone()).collect();
            let expect: Vec<String> = (events - newest.len()..events).map(|number| format!("evt_{number}")).collect();
            assert_eq!(newest, expect);
            assert!((10..=20).contains(&newest.len()) || events < 20, "{events}: {}", newest.len());
        }
        let all: Vec<EvolutionEvent> =
            (0..101).map(|number| EvolutionEvent::from_json(event(number).as_bytes()).unwrap()).collect();
        let read = grown.read();
        assert_eq!(read.earlier.streaks(&read.newest), gephost_core::evaluate::success_streaks(&all));
    }

    #[test]
    fn a_summary_is_used_only_for_the_file_that_it_was_made_of() {
        let folder = Folder::of(60);
        let expect = folder.read();
        let stored = folder.stored().unwrap().path();
        let whole = fs::read(&stored).unwrap();
        // It is read, and not made again: a digest holds whatever was stored.
        let text =
            String::from_utf8(whole[blake3::OUT_LEN..].to_vec()).unwrap().replace("\"events\":40", "\"events\":41");
        fs::write(&stored, [blake3::hash(text.as_bytes()).as_bytes(), text.as_bytes()].concat()).unwrap();
        let registry = Registry::new(&Place::shared(folder.folder.path())).with_cache(&Place::own(folder.cache.path()));
        assert_eq!(registry.events_in(SMALL).unwrap().earlier.events, 41);
        for damage in [vec![], whole[..20].to_vec(), [&whole[..], b" "].concat(), [&[0], &whole[1..]].concat()] {
            fs::write(&stored, damage).unwrap();
            assert_eq!(folder.read(), expect);
        }
        // Another beginning, and a file that was cut.
        let path = folder.folder.path().join("events.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("\"g\"", "\"h\"", 1)).unwrap();
        assert_ne!(folder.read(), expect);
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert!(folder.read().newest.len() as u64 + folder.read().earlier.events <= 30);
    }

    #[test]
    fn the_last_event_is_found_from_the_end() {
        let folder = Folder::of(0);
        let path = folder.folder.path().join("events.jsonl");
        let last = || Registry::new(&Place::shared(folder.folder.path())).last_event().unwrap().map(|event| event.id);
        assert_eq!(last(), None);
        let blank = " \n".repeat(2 * MAX_ASSET_BYTES);
        for (text, expect) in [
            (format!("{}\n{}", event(1), event(2)), Some("evt_2")),
            (format!("{}\n{}\n{{\"cut", event(1), event(2)), Some("evt_2")),
            (format!("{}\n{blank}", event(3)), Some("evt_3")),
            (format!("{blank}{}\n", event(4)), Some("evt_4")),
            (blank.clone(), None),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(last().as_deref(), expect);
        }
    }

    #[test]
    fn lines_that_are_no_events_fill_a_window_too() {
        let folder = Folder::of(0);
        let long = "x".repeat(MAX_ASSET_BYTES + 1);
        let text: String = (0..60)
            .map(|number| if number % 2 == 0 { format!("{}\n", event(number)) } else { "\n".to_owned() })
            .collect();
        fs::write(folder.folder.path().join("events.jsonl"), format!("{long}\n{text}{{\"cut")).unwrap();
        let read = folder.read();
        assert_eq!(read.newest.len() as u64 + read.earlier.events, 30);
        assert!(read.newest.len() <= 10);
    }
}
