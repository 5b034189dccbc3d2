//! Lines that say what a program is doing, and never why it failed: downloads, steps of a build, spinners, bars, frames of tables.

use crate::output::vocabulary::Words;

/// How such lines begin.
static STARTS: Words = Words::of(&[
    "Compiling ",
    "Downloading ",
    "Resolving ",
    "Collecting ",
    "Fetching ",
    "Fetched ",
    "Downloaded ",
    "Extracting ",
    "Installing ",
    "Resolved ",
    "Unpacking ",
    "Preparing ",
    "Building [",
    "Blocking waiting for file lock",
    "Updating crates.io index",
    "Locking ",
    "Receiving objects: ",
    "Resolving deltas: ",
    "remote: Counting objects",
    "remote: Compressing objects",
    "remote: Enumerating objects",
    "go: downloading ",
    "Running Gradle task",
    "> Task :",
    "Starting a Gradle Daemon",
    "Reading package lists",
    "Get:",
    "Hit:",
    "Setting up ",
    "[INFO] ",
    "npm warn ",
    "npm WARN ",
]);
/// How lines of the layers of an image end, behind an id and a colon.
const LAYERS: [&str; 7] = [
    "Pulling fs layer",
    "Waiting",
    "Verifying Checksum",
    "Download complete",
    "Pull complete",
    "Already exists",
    "Pulling from",
];

/// What tools draw at the sides of a frame around a table or a message.
pub(crate) const FRAMES: [char; 3] = ['│', '┃', '║'];

/// Whether a line that reports no trouble only says what a program is doing, or frames a table.
pub(crate) fn is_progress(line: &str) -> bool {
    STARTS.begin(line) || is_spinner(line) || is_bar(line) || is_layer(line) || is_cell(line)
}

/// The characters of Braille with which a wheel is drawn.
fn is_spinner(line: &str) -> bool {
    line.starts_with(|c: char| ('\u{2801}'..='\u{28ff}').contains(&c))
}

/// `[=====>   ] 3/20`, `████▌   45%`.
fn is_bar(line: &str) -> bool {
    const BARS: [&str; 6] = ["[==", "[##", "[>  ", "━━━", "███", "----|"];
    BARS.iter().any(|bar| line.contains(bar))
}

/// `a2abf6c4d29d: Pull complete`, and the lines with a step of a build of an image: `#5 0.231 Get:1 …`.
fn is_layer(line: &str) -> bool {
    let of_image = line.split_once(": ").is_some_and(|(id, state)| {
        !id.contains(' ') && LAYERS.iter().any(|layer| state.starts_with(layer)) || state.starts_with("Downloading [")
    });
    let is_step = || {
        let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let said = rest.split_once(' ').filter(|(time, _)| is_number(time)).map_or(rest, |(_, said)| said);
        (is_number(number) && (said.starts_with('[') || STARTS.begin(said))).then_some(())
    };
    of_image || is_step().is_some()
}

/// A row of a table with a frame: `│ These components will be installed. │`.
fn is_cell(line: &str) -> bool {
    line.chars().nth(1).is_some() && line.starts_with(FRAMES) && line.ends_with(FRAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_from_messages() {
        for line in [
            "Compiling plm v0.3.1 (/w)",
            "Downloading torch (800MB)",
            "Resolving dependencies...",
            "⠙ resolving dependencies",
            "Building [=====>   ] 3/20: syn",
            "Blocking waiting for file lock on package cache",
            "remote: Counting objects: 100% (9/9), done.",
            "go: downloading github.com/x/y v1.2.3",
            "> Task :compileJava",
            "a2abf6c4d29d: Pull complete",
            "a9edb18cadd1: Downloading [=====>     ]  10MB/20MB",
            "#5 [2/4] RUN apt-get update",
            "#5 0.231 Get:1 http://deb.example/debian bookworm InRelease [151 kB]",
            "│     These components will be installed.     │",
            "   45% ━━━━━━━━━━━━━",
            "[INFO] Scanning for projects...",
        ] {
            assert!(is_progress(line), "{line}");
        }
        for line in [
            "Compilation error on file lib/a.ex",
            "Download of a.zip was not possible",
            "error: could not compile `plm`",
            "│ Error: Invalid reference",
            "#5 0.231 E: Unable to locate package x",
            "#12 no such stage",
            "[ERROR] no goal",
            "Getting a lock was not possible",
            "x = [1, 2]",
            "a | b",
            "Pulled out",
            "",
        ] {
            assert!(!is_progress(line), "{line}");
        }
    }
}
