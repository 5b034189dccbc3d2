//! Commands that installed what an earlier call of the session had missed.
//!
//! Memory is bounded: [`MAX_OPEN`] missing names wait, and [`MAX_FOUND`] commands are kept.

use crate::by_event::ByEvent;
use crate::call::Call;
use crate::cause::Cause;
use crate::classify::Classified;

const MAX_OPEN: usize = 128;
const MAX_FOUND: usize = 1024;
/// Most bytes of a command that is shown.
const MAX_COMMAND: usize = 80;
/// What the commands that install something have in common.
const INSTALLS: [&str; 6] = [" install ", " add ", " get ", "uv sync", " ci", "npx playwright"];

/// What was missing, and what installed it.
#[derive(Debug, Default)]
pub(crate) struct Installs {
    /// Session, number of the failed call, and the name.
    open: Vec<(u32, u64, String)>,
    /// By the number of the failed call.
    found: ByEvent<Installed>,
}

/// What was missing in a session, and the command that installed it.
#[derive(Debug)]
struct Installed {
    session: u32,
    name: String,
    command: String,
}

impl Installs {
    /// Adds a call that failed. A command after which the same name is missing again has not installed it: it may have been
    /// another interpreter's.
    pub(crate) fn fail(&mut self, call: &Call<'_>, failure: &Classified<'_>) {
        // What a package itself raises may be cured by another version of it.
        let raising = if failure.cause == Cause::Error { package(call.output) } else { None };
        let raising: Vec<String> = raising.into_iter().map(str::to_owned).collect();
        let names = if matches!(failure.cause, Cause::Program | Cause::Module) { &failure.names } else { &raising };
        for name in names {
            let mut wrong = Vec::new();
            self.found.retain(|event, found| {
                let is_wrong = event != call.event && found.session == call.session && found.name == *name;
                if is_wrong {
                    wrong.push(event);
                }
                !is_wrong
            });
            for event in wrong.into_iter().chain([call.event]) {
                if self.open.len() >= MAX_OPEN {
                    self.open.remove(0);
                }
                self.open.push((call.session, event, name.clone()));
            }
        }
    }

    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if self.open.is_empty() || !INSTALLS.iter().any(|words| call.input.contains(words)) {
            return;
        }
        let bare = |piece: &'_ str| piece.find(" 2>").or_else(|| piece.find(" >")).unwrap_or(piece.len());
        let pieces =
            || call.input.split(['\n', ';', '|', '&']).filter_map(|piece| piece.get(..bare(piece))).map(str::trim);
        let pieces: Vec<&str> = pieces()
            .filter(|piece| piece.len() <= MAX_COMMAND && INSTALLS.iter().any(|words| piece.contains(words)))
            .collect();
        let found = &mut self.found;
        self.open.retain(|(session, event, name)| {
            let command = pieces.iter().find(|piece| names(piece, name)).filter(|_| *session == call.session);
            if let Some(command) = command.filter(|_| found.len() < MAX_FOUND) {
                let installed = Installed { session: *session, name: name.clone(), command: (*command).to_owned() };
                found.insert(*event, installed);
            }
            command.is_none()
        });
    }

    /// The commands that installed what these calls missed, each once.
    pub(crate) fn of(&self, events: &[u64]) -> Vec<&str> {
        let mut commands: Vec<&str> = Vec::new();
        for found in events.iter().filter_map(|event| self.found.get(*event)) {
            if !commands.contains(&found.command.as_str()) {
                commands.push(&found.command);
            }
        }
        commands
    }
}

/// The installed package in which an exception was raised: that of the innermost place.
fn package(output: &str) -> Option<&str> {
    let (_, place) = output.rsplit_once("File \"")?;
    let (_, inside) = place.split('"').next()?.split_once("site-packages")?;
    inside.trim_start_matches(['/', '\\']).split(['/', '\\']).next().filter(|name| !name.is_empty())
}

/// Whether a command names what was missing: `pip install python-docx` does not name `docx`, but `pip install "yaml>=6"` does
/// name `yaml`.
fn names(command: &str, missing: &str) -> bool {
    let same = |a: char, b: char| a.eq_ignore_ascii_case(&b) || matches!((a, b), ('-' | '_', '-' | '_'));
    let missing = missing.split(['.', '/']).next().unwrap_or(missing);
    let words = command.split([' ', '"', '\'', '=', '<', '>', '[', ',', '~', '@']);
    words.into_iter().any(|word| {
        word.len() == missing.len() && !word.is_empty() && word.chars().zip(missing.chars()).all(|(a, b)| same(a, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_that_raised_an_exception_is_known_by_its_folder() {
        let inside = r#"  File "C:\v\Lib\site-packages\sqlalchemy\util\a.py", line 3"#;
        assert_eq!(package(inside), Some("sqlalchemy"));
        assert_eq!(package("  File \"/v/site-packages/a/b.py\", line 1\n  File \"/w/a.py\", line 2"), None);
    }

    #[test]
    fn what_was_installed_is_known_by_its_name() {
        for (command, missing, is_named) in [
            ("pip install openpyxl", "openpyxl", true),
            ("pip install 'PyYAML' \"scikit_learn>=1\"", "scikit-learn", true),
            ("uv add typing_extensions==4", "typing-extensions", true),
            ("pip install python-docx", "docx", false),
            ("apt-get install -y file", "fil", false),
            ("npm install", "express", false),
        ] {
            assert_eq!(names(command, missing), is_named, "{command}");
        }
    }
}
