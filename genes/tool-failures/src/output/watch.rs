//! Runs that do not end, because they wait for changes of files: the watch mode of test runners, compilers and builds.

use crate::output::vocabulary::Words;

/// What such a run shows at the end of its output.
static WAITS: Words = Words::of(&[
    "atching for file changes",
    "aiting for file changes",
    "atching for changes",
    "aiting for changes",
    "ress q to quit",
    "ress `q` to quit",
    "ress h to show help",
    "in watch mode",
    "Watch Usage",
    "to quit watch mode",
    "clean exit - waiting",
    "app crashed - waiting for file",
]);
/// Only the end of an output shows what a run waits for, in bytes.
const END_BYTES: usize = 600;

/// Whether the end of an output shows that the run waits for changes of files.
pub(crate) fn waits_for_changes(output: &str) -> bool {
    let end = output.get(output.ceil_char_boundary(output.len().saturating_sub(END_BYTES))..);
    end.is_some_and(|end| WAITS.are_in(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_in_watch_mode_says_so_at_its_end() {
        for output in [
            " FAIL  Tests failed. Watching for file changes...\n       press h to show help, press q to quit",
            "Found 0 errors. Watching for file changes.",
            "Watch Usage\n \u{203a} Press a to run all tests.\n \u{203a} Press q to quit watch mode.",
            "[nodemon] clean exit - waiting for changes before restart",
            "Starting compilation in watch mode...",
            "webpack compiled successfully\nwaiting for changes",
            "INFO: Watching for changes in /w",
        ] {
            assert!(waits_for_changes(output), "{output}");
        }
        let early = format!("Watching for file changes\n{}", "a line of another run\n".repeat(40));
        for output in ["", "3 passed", "Command timed out after 2m", "press any key", "I watch the changes", &early] {
            assert!(!waits_for_changes(output), "{output}");
        }
    }
}
