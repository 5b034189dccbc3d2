//! Generates sessions of Claude Code. They have the structure and the sizes of real ones: most bytes are in lines without
//! an event and in results that are written twice. The words are our own, and the same seed gives the same bytes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

/// One of this many results is a failure.
const FAILURES: u64 = 20;
/// Turns in one session: about 3.5 MB.
const TURNS: u64 = 300;

/// Writes sessions into a folder until they have this many bytes in total, and returns their number.
pub fn write(folder: &Path, bytes: u64, seed: u64) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    let (mut written, mut sessions) = (0, 0);
    while written < bytes {
        let mut file = Counted { file: BufWriter::new(File::create(folder.join(name(sessions)))?), bytes: 0 };
        session(&mut file, seed.wrapping_add(sessions), bytes - written)?;
        file.file.flush()?;
        written += file.bytes;
        sessions += 1;
    }
    Ok(sessions)
}

/// The file name of session `number`.
pub fn name(number: u64) -> String {
    format!("{number:06}.jsonl")
}

struct Counted {
    file: BufWriter<File>,
    bytes: u64,
}

impl Counted {
    fn line(&mut self, line: &Value) -> io::Result<()> {
        let text = format!("{line}\n");
        self.bytes += text.len() as u64;
        self.file.write_all(text.as_bytes())
    }
}

/// One session of at most about `most` bytes.
fn session(file: &mut Counted, seed: u64, most: u64) -> io::Result<()> {
    let mut dice = Dice(seed);
    let session = format!("{:016x}", dice.roll());
    let mut clock = 1_767_225_600 + seed % 86_400;
    let mut parent = Value::Null;
    for turn in 0..TURNS {
        if file.bytes >= most {
            break;
        }
        let mut record = |dice: &mut Dice, kind: &str, more: Value| {
            clock += dice.below(9);
            let uuid = format!("{:016x}{:016x}", dice.roll(), dice.roll());
            let mut line = json!({
                "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/home/someone/project",
                "sessionId": session, "version": "2.1.0", "gitBranch": "main", "type": kind, "uuid": uuid,
                "timestamp": jiff::Timestamp::from_second(clock.cast_signed()).unwrap().to_string(),
            });
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            parent = json!(uuid);
            line
        };
        if turn % 20 == 0 {
            let said = json!({ "role": "user", "content": prose(&mut dice, 40) });
            file.line(&record(&mut dice, "user", json!({ "message": said })))?;
        }
        let (id, call) = (format!("toolu_{:016x}", dice.roll()), call(&mut dice));
        let uses = json!({ "type": "tool_use", "id": id, "name": call.tool, "input": call.input });
        let message = answer(&mut dice, uses);
        file.line(&record(&mut dice, "assistant", json!({ "message": message, "requestId": "req_1" })))?;
        for _ in 0..dice.below(4) {
            let data = json!({ "type": "bash_progress", "output": text(&mut dice, 30), "elapsedTimeSeconds": 3 });
            file.line(&record(&mut dice, "progress", json!({ "data": data, "toolUseID": id })))?;
        }
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": call.output, "is_error": call.failed });
        let noted = json!({ "stdout": call.output, "stderr": "", "interrupted": false, "isImage": false });
        let message = json!({ "role": "user", "content": [result] });
        file.line(&record(&mut dice, "user", json!({ "message": message, "toolUseResult": noted })))?;
        if dice.below(3) == 0 {
            let text = json!({ "type": "text", "text": prose(&mut dice, 60) });
            let says = answer(&mut dice, text);
            file.line(&record(&mut dice, "assistant", json!({ "message": says })))?;
        }
    }
    Ok(())
}

/// A message of the model, with its usage.
fn answer(dice: &mut Dice, block: Value) -> Value {
    json!({
        "id": format!("msg_{:016x}", dice.roll()), "type": "message", "role": "assistant", "model": "some-model",
        "content": [block], "stop_reason": null,
        "usage": {
            "input_tokens": dice.below(9), "output_tokens": dice.below(700), "service_tier": "standard",
            "cache_creation_input_tokens": dice.below(4000), "cache_read_input_tokens": 20_000 + dice.below(80_000),
        },
    })
}

struct Call {
    tool: &'static str,
    input: Value,
    output: String,
    failed: bool,
}

fn call(dice: &mut Dice) -> Call {
    let failed = dice.below(FAILURES) == 0;
    let (tool, input, output) = match (dice.below(4), failed) {
        (0, false) => ("Read", json!({ "file_path": path(dice) }), numbered(dice)),
        (0, true) => ("Read", json!({ "file_path": path(dice) }), "File does not exist.".to_owned()),
        (1, false) => ("Grep", json!({ "pattern": word(dice), "path": "src" }), text(dice, 20)),
        (1, true) => {
            let input = json!({ "file_path": path(dice), "old_string": prose(dice, 9), "new_string": prose(dice, 9) });
            ("Edit", input, "<tool_use_error>String to replace not found in file.</tool_use_error>".to_owned())
        }
        (_, false) => ("Bash", json!({ "command": "cargo test -p parser" }), tests(dice, 0)),
        (_, true) => {
            ("Bash", json!({ "command": "cargo test -p parser" }), format!("Exit code 101\n{}", tests(dice, 2)))
        }
    };
    Call { tool, input, output, failed }
}

fn numbered(dice: &mut Dice) -> String {
    let lines = 40 + dice.below(160);
    (1..=lines)
        .map(|number| format!("{number:>6}\u{2192}    let {} = {}({});\n", word(dice), word(dice), word(dice)))
        .collect()
}

fn tests(dice: &mut Dice, failed: u64) -> String {
    let passed = 10 + dice.below(60);
    let mut said: String = (0..passed).map(|_| format!("test {}::{} ... ok\n", word(dice), word(dice))).collect();
    for _ in 0..failed {
        said += &format!("test {}::{} ... FAILED\n", word(dice), word(dice));
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    said + &format!(
        "\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out\n"
    )
}

/// Lines like the results of a search.
fn text(dice: &mut Dice, lines: u64) -> String {
    let lines = 1 + dice.below(2 * lines);
    (0..lines).map(|_| format!("{}:{}: {}\n", path(dice), dice.below(900), prose(dice, 8))).collect()
}

fn path(dice: &mut Dice) -> String {
    format!("src/{}/{}_{}.rs", word(dice), word(dice), word(dice))
}

fn prose(dice: &mut Dice, words: u64) -> String {
    let words = 1 + dice.below(2 * words);
    (0..words).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

fn word(dice: &mut Dice) -> &'static str {
    const WORDS: [&str; 32] = [
        "parser",
        "reads",
        "the",
        "\"token\"",
        "stream",
        "and",
        "gives",
        "a",
        "tree",
        "of",
        "nodes",
        "where",
        "each",
        "node",
        "knows",
        "its",
        "span",
        "in",
        "source",
        "which",
        "error",
        "messages",
        "point",
        "at",
        "so",
        "that",
        "person",
        "sees",
        "what",
        "line",
        "was",
        "meant",
    ];
    WORDS[usize::try_from(dice.below(WORDS.len() as u64)).unwrap()]
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }
}
