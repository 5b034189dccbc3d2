//! The program that prints a model's key, such as `pass show openai`: named in the user's own config, never in a
//! repository's. Owns no file; what the program prints is handed on and kept nowhere.

use std::ffi::OsString;
use std::io::{self, Read};
use std::process::Stdio;

use crate::spawn;

/// The most bytes that are read of what it prints.
const MAX_PRINTED: u64 = 16 << 10;

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyCommandError {
    /// No word.
    #[error("it names no program")]
    Nothing,
    /// It cannot be run.
    #[error("start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It failed. What it printed may be half a key, and is not told.
    #[error("{program} ended with {status}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
    },
    /// It printed no text, or more than a key.
    #[error("{program} printed more than {MAX_PRINTED} bytes, or no text")]
    NoKey {
        /// The program.
        program: String,
    },
}

/// Runs a program with its arguments, and no shell, to its end, and gives what it printed. It sees `environment` and the
/// terminal's standard error, where it may ask the person for something.
pub fn run(words: &[String], environment: &[(OsString, OsString)]) -> Result<String, KeyCommandError> {
    let (program, arguments) = words.split_first().ok_or(KeyCommandError::Nothing)?;
    let start = |source| KeyCommandError::Start { program: program.clone(), source };
    let mut command = spawn::command(program);
    command.args(arguments).envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    spawn::keep_descriptors();
    let mut child = command.spawn().map_err(start)?;
    let mut printed = Vec::new();
    let read = child.stdout.take().map(|stdout| stdout.take(MAX_PRINTED + 1).read_to_end(&mut printed));
    // The pipe is closed by now: a program that prints on and on ends by that.
    let status = child.wait().map_err(start)?;
    read.transpose().map_err(start)?;
    if printed.len() as u64 > MAX_PRINTED {
        return Err(KeyCommandError::NoKey { program: program.clone() });
    }
    if !status.success() {
        return Err(KeyCommandError::Failed { program: program.clone(), status: status.to_string() });
    }
    String::from_utf8(printed).map_err(|_| KeyCommandError::NoKey { program: program.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Result<String, KeyCommandError> {
        let path = (OsString::from("PATH"), OsString::from("/usr/local/bin:/usr/bin:/bin"));
        run(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), &[path])
    }

    #[test]
    fn what_it_prints_is_the_key_and_no_shell_reads_the_words() {
        assert_eq!(words(&["printf", "%s", "$(id); k"]).unwrap(), "$(id); k");
    }

    #[test]
    fn what_fails_or_prints_on_and_on_gives_no_key() {
        assert!(matches!(words(&[]), Err(KeyCommandError::Nothing)));
        assert!(matches!(words(&["no-such-program-here"]), Err(KeyCommandError::Start { .. })));
        assert!(matches!(words(&["false"]), Err(KeyCommandError::Failed { .. })));
        assert!(matches!(words(&["yes"]), Err(KeyCommandError::NoKey { .. })));
        assert!(matches!(words(&["printf", "\\377"]), Err(KeyCommandError::NoKey { .. })));
    }
}
