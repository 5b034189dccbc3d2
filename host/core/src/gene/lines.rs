//! Which line of an author's file an instruction of a gene comes from.
//!
//! A component keeps no debug information: it is large, and reading it costs what a guest makes it cost. What a trap has to
//! name is a small part of it, so the packing keeps that as a table, which is read only after a trap. Like everything that
//! a gene says of itself, it is shown and decides nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Largest table that is written or read, in bytes.
pub const MAX_LINES_BYTES: usize = 1 << 20;

/// The lines of the functions of one core module.
///
/// If the gene is scripts for an interpreter, it has their lines instead. Functions are named by their index in the module. An offset is that of an instruction from the beginning of its
/// function's body, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lines {
    /// The module's own name. Other modules of the component have functions of the same index.
    module: Option<String>,
    /// The files, from the folder of the project.
    files: Vec<String>,
    functions: BTreeMap<u32, Vec<Row>>,
    /// For each script that a compiler wrote: its lines, and what they were compiled from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    scripts: BTreeMap<String, BTreeMap<u32, (usize, u32)>>,
}

/// From this offset to the next row: the offset, the number of the file, and the line; line 0 is none of the author's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Row(u32, usize, u32);

impl Lines {
    /// No lines of a module yet.
    pub fn of_module(module: Option<&str>) -> Self {
        Self { module: module.map(str::to_owned), ..Self::default() }
    }

    /// Adds what begins at an offset: a line of a file, or none of the author's. The offsets of a function ascend.
    pub fn add(&mut self, function: u32, offset: u32, line: Option<(&str, u32)>) {
        let (file, line) = match line {
            Some((file, line)) => (self.number(file), line),
            None => (0, 0),
        };
        let rows = self.functions.entry(function).or_default();
        let is_new = rows.last().map_or(line > 0, |last| (last.1, last.2) != (file, line));
        if is_new {
            rows.push(Row(offset, file, line));
        }
    }

    /// Adds the line of a file that a line of a script was compiled from. The first one counts.
    pub fn add_script(&mut self, script: &str, number: u32, (file, line): (&str, u32)) {
        let file = self.number(file);
        self.scripts.entry(script.to_owned()).or_default().entry(number).or_insert((file, line));
    }

    fn number(&mut self, file: &str) -> usize {
        self.files.iter().position(|known| known == file).unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        })
    }

    /// The file and the line of an instruction; `None` if they are not known.
    pub fn at(&self, module: Option<&str>, function: u32, offset: u32) -> Option<(&str, u32)> {
        if module != self.module.as_deref() {
            return None;
        }
        let rows = self.functions.get(&function)?;
        let Row(_, file, line) = *rows.get(rows.partition_point(|row| row.0 <= offset).checked_sub(1)?)?;
        (line > 0).then_some((self.files.get(file)?.as_str(), line))
    }

    /// The file and the line that a line of a script was compiled from; `None` if it was not compiled.
    pub fn of_script(&self, script: &str, number: u32) -> Option<(&str, u32)> {
        let (file, line) = *self.scripts.get(script)?.get(&number)?;
        Some((self.files.get(file)?.as_str(), line))
    }

    /// The table as bytes; `None` if it is empty or has more than [`MAX_LINES_BYTES`].
    pub fn written(&self) -> Option<Vec<u8>> {
        let bytes = serde_json::to_vec(self).ok()?;
        let is_empty = self.functions.is_empty() && self.scripts.is_empty();
        (!is_empty && bytes.len() <= MAX_LINES_BYTES).then_some(bytes)
    }

    /// The table in these bytes; `None` if they are none, or more than [`MAX_LINES_BYTES`].
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes.get(..bytes.len().min(MAX_LINES_BYTES))?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_has_the_line_that_began_last_before_it() {
        let mut lines = Lines::of_module(Some("core"));
        for (offset, line) in
            [(0, None), (4, Some(("gene.zig", 7))), (9, Some(("gene.zig", 7))), (12, Some(("a.zig", 2)))]
        {
            lines.add(3, offset, line);
        }
        lines.add(3, 20, None);
        lines.add(5, 1, Some(("gene.zig", 40)));
        let lines = Lines::read(&lines.written().unwrap()).unwrap();
        let at = |function, offset| lines.at(Some("core"), function, offset);
        assert_eq!(at(3, 3), None);
        assert_eq!(at(3, 4), Some(("gene.zig", 7)));
        assert_eq!(at(3, 11), Some(("gene.zig", 7)));
        assert_eq!(at(3, 12), Some(("a.zig", 2)));
        assert_eq!(at(3, 20), None);
        assert_eq!(at(5, u32::MAX), Some(("gene.zig", 40)));
        assert_eq!(at(4, 4), None);
        assert_eq!(lines.at(None, 3, 4), None);
        assert_eq!(lines.at(Some("adapter"), 3, 4), None);
    }

    #[test]
    fn a_line_of_a_script_has_the_line_that_it_was_compiled_from() {
        let mut lines = Lines::default();
        lines.add_script("gene.js", 4, ("gene.ts", 9));
        lines.add_script("gene.js", 4, ("gene.ts", 10));
        let lines = Lines::read(&lines.written().unwrap()).unwrap();
        assert_eq!(lines.of_script("gene.js", 4), Some(("gene.ts", 9)));
        assert_eq!(lines.of_script("gene.js", 5), None);
        assert_eq!(lines.of_script("other.js", 4), None);
    }

    #[test]
    fn a_table_that_is_empty_or_damaged_or_too_large_is_none() {
        assert_eq!(Lines::default().written(), None);
        for text in ["", "[]", "{\"files\":[]}", "\u{0}"] {
            assert_eq!(Lines::read(text.as_bytes()), None, "{text}");
        }
        let mut large = Lines::default();
        for function in 0..200_000 {
            large.add(function, 0, Some(("gene.c", 1)));
        }
        assert_eq!(large.written(), None);
        let unknown = Lines::read(br#"{"module":null,"files":[],"functions":{"0":[[0,7,1]]}}"#).unwrap();
        assert_eq!(unknown.at(None, 0, 0), None);
    }
}
