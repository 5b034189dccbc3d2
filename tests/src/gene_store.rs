//! A generated assets folder with many text-only genes and capsules, and signals that occur in it.
//!
//! Patterns are drawn as they occur in practice: nearly half are keywords of the protocol, the first ones far more often
//! than the last; the rest are names of tools, of error classes, error signatures, regular expressions and alternatives.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use gephost_core::select::index::{Found, Query};

/// Keywords of the protocol, the most frequent first.
const KEYWORDS: [&str; 20] = [
    "error",
    "log_error",
    "failed",
    "timeout",
    "errsig",
    "recurring_error",
    "exception",
    "crash",
    "perf_bottleneck",
    "user_feature_request",
    "capability_gap",
    "unstable",
    "stable_success_plateau",
    "protocol",
    "audit",
    "prompt",
    "reusable",
    "external_opportunity",
    "windows_shell_incompatible",
    "memory_missing",
];

/// Numbers that are the same in every run.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that roll this sequence.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    fn pattern(&mut self) -> String {
        match self.roll(100) {
            0..45 => {
                // Each keyword is drawn about half as often again as the next one.
                let mut at = 0;
                while at + 1 < KEYWORDS.len() && self.roll(3) > 0 {
                    at += 1;
                }
                KEYWORDS[at].to_owned()
            }
            45..60 => format!("{}:tool_{}", ["high_tool_usage", "repeated_tool_usage"][self.roll(2)], self.roll(200)),
            60..80 => format!("Kind{:05}Error", self.roll(20_000)),
            80..88 => format!("errsig:TypeError: cannot read field_{}", names(self.roll(20_000))),
            88..95 => format!("/module_{}.*not found/i", self.roll(2000)),
            _ => format!("deadline_{0}|limit_{0} exceeded", self.roll(5000)),
        }
    }

    fn patterns(&mut self, most: usize) -> Vec<String> {
        (0..=self.roll(most)).map(|_| self.pattern()).collect()
    }
}

/// A number in letters: digits of an error signature are all the same to its hash.
fn names(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.push(char::from(b'a' + u8::try_from(number % 26).unwrap()));
        number /= 26;
        if number == 0 {
            return name;
        }
    }
}

/// Writes so many genes, and as many capsules, into `genes.jsonl` and `capsules.jsonl` of a folder.
pub fn write(folder: &Path, count: usize) {
    let mut dice = Dice::new(7);
    let open = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
    let (mut genes, mut capsules) = (open("genes.jsonl"), open("capsules.jsonl"));
    for number in 0..count {
        let category = ["repair", "repair", "optimize", "innovate"][dice.roll(4)];
        let patterns = serde_json::to_string(&dice.patterns(4)).unwrap();
        writeln!(
            genes,
            r#"{{"type":"Gene","schema_version":"1.5.0","id":"gene_generated_{number:07}","category":"{category}","signals_match":{patterns},"preconditions":["the log shows the error"],"strategy":["Read the failing file","Change as little as possible","Run the tests"],"constraints":{{"max_files":3,"forbidden_paths":[".git"]}},"validation":["pytest -q"]}}"#
        )
        .unwrap();
        let (gene, confidence) = (dice.roll(count), 50 + dice.roll(46));
        let trigger = serde_json::to_string(&dice.patterns(3)).unwrap();
        writeln!(
            capsules,
            r#"{{"type":"Capsule","schema_version":"1.5.0","id":"capsule_{number:07}","trigger":{trigger},"gene":"gene_generated_{gene:07}","summary":"A change that held once","confidence":0.{confidence},"blast_radius":{{"files":1,"lines":4}},"outcome":{{"status":"success","score":0.9}}}}"#
        )
        .unwrap();
    }
    genes.flush().unwrap();
    capsules.flush().unwrap();
}

/// Five signals of one observation.
pub fn signals(dice: &mut Dice) -> Vec<String> {
    let more = ["timeout", "recurring_error", "failed", "crash", "perf_bottleneck"];
    vec![
        "log_error".to_owned(),
        format!("errsig:TypeError: cannot read field_{}", names(dice.roll(20_000))),
        more[dice.roll(more.len())].to_owned(),
        format!("high_tool_usage:tool_{}", dice.roll(200)),
        format!("module_{} was not found: kind{:05}error", dice.roll(2000), dice.roll(20_000)),
    ]
}

/// Fails unless both are the same genes with the same parts of their scores.
#[track_caller]
pub fn assert_same(found: &Found, scanned: &Found, query: &Query<'_>) {
    assert_eq!(found, scanned, "{:?}", query.signals);
}
