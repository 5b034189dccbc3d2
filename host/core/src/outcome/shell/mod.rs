//! Reads a command line as far as judging needs it: which programs it runs, in what order, and whether their exit codes
//! can be lost. This is not a shell: a program that it does not recognise has no special role.

mod role;
mod split;

pub(super) use role::Role;
use role::role;
pub(crate) use role::without_prefixes;
pub(crate) use split::{Join, split};

/// A part of a command line, and its output.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) command: Command,
    pub(super) output: &'t str,
    /// Whether what follows ignores its exit code.
    pub(super) code_lost: bool,
}

#[derive(Debug, Clone)]
struct Step {
    join: Join,
    role: Role,
    words: Vec<String>,
}

/// A command line, split into steps.
#[derive(Debug)]
pub(super) struct Command {
    steps: Vec<Step>,
}

/// Most bytes and steps of a command line that are read. Longer scripts do not change the judgement.
const MAX_BYTES: usize = 16 * 1024;
const MAX_STEPS: usize = 256;

impl Command {
    pub(super) fn read(line: &str) -> Self {
        let line = line.get(..line.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        let mut steps = Vec::new();
        for (join, words) in split(line) {
            let words = without_prefixes(words);
            if !words.is_empty() && steps.len() < MAX_STEPS {
                steps.push(Step { join, role: role(&words), words });
            }
        }
        Self { steps }
    }

    /// The role of the last step, whose exit code is that of the line. `x | head` and `x | wc -l` end with a filter.
    pub(super) fn last_role(&self) -> Option<Role> {
        self.steps.last().map(|step| step.role)
    }

    /// Whether no step before the last can have ended the line. With code 1, `a && b && grep` may have stopped at `a`.
    /// An empty output does not show where it stopped; output of `a` does.
    pub(super) fn earlier_steps_are_quiet(&self, output: &str) -> bool {
        let chained = self.steps.iter().any(|step| step.join == Join::And);
        let earlier = self.steps.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let harmless = |step: &Step| !matches!(step.role, Role::Check | Role::Other);
        !chained || output.is_empty() || earlier.iter().all(harmless)
    }

    /// Whether every step only shows, searches, compares, asks or prints.
    pub(super) fn only_reads(&self) -> bool {
        self.steps.iter().all(|step| !matches!(step.role, Role::Check | Role::Other))
    }

    /// Whether the line has the form `A && echo yes || echo no`: it asks a question, so either answer is a success.
    pub(super) fn prints_yes_or_no(&self) -> bool {
        self.steps.windows(2).any(|pair| {
            pair.iter().map(|step| step.join).eq([Join::And, Join::Or]) && pair.iter().all(|step| step.is("echo"))
        })
    }

    /// Whether a step tests, lints or builds.
    pub(super) fn runs_check(&self) -> bool {
        self.steps.iter().any(|step| step.role == Role::Check)
    }

    /// Whether a step makes a commit.
    pub(super) fn commits(&self) -> bool {
        self.steps.iter().any(|step| step.is("git") && step.words.iter().any(|word| word == "commit"))
    }

    /// The exit code that a final `echo $?` printed, and the command before it.
    pub(super) fn echoed_code(&self, output: &str) -> Option<(Self, i64)> {
        let (last, before) = self.steps.split_last()?;
        let echoes = last.is("echo") && last.join == Join::Then && last.words.iter().any(|word| word.ends_with("$?"));
        let line = output.trim_end().lines().next_back().filter(|_| echoes)?;
        let digits = line.rsplit(|c: char| !c.is_ascii_digit()).next()?;
        Some((Self { steps: before.to_vec() }, digits.parse().ok()?))
    }

    /// Splits the command at each `echo` whose text is a line of the output. Each part gets the output printed before
    /// that line.
    pub(super) fn sections<'t>(&self, output: &'t str) -> Vec<Section<'t>> {
        let mut sections = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut rest = output;
        for step in &self.steps {
            let cut = step.printed().and_then(|line| at_line(rest, &line));
            match cut {
                Some((before, after)) => {
                    let code_lost = step.join == Join::Then;
                    let command = Self { steps: std::mem::take(&mut steps) };
                    sections.push(Section { command, output: before, code_lost });
                    rest = after;
                }
                None => steps.push(step.clone()),
            }
        }
        sections.push(Section { command: Self { steps }, output: rest, code_lost: false });
        sections
    }

    /// Whether the exit code of a step that can fail is lost: the step is followed by a pipe, `||` or `;`, or runs in
    /// the background.
    pub(super) fn hides_codes(&self) -> bool {
        let after = self.steps.iter().skip(1);
        self.steps.iter().zip(after).any(|(step, next)| {
            matches!(step.role, Role::Check | Role::Other) && matches!(next.join, Join::Pipe | Join::Or | Join::Then)
        })
    }

    /// Steps that only show something and whose exit code is lost. `last_lost` says whether that of the last step is.
    pub(super) fn readers_with_lost_code(&self, last_lost: bool) -> impl Iterator<Item = &[String]> {
        let after = self.steps.iter().skip(1).map(|next| loses_code(next.join)).chain([last_lost]);
        let lost = |(step, lost): &(&Step, bool)| !matches!(step.role, Role::Check | Role::Other) && *lost;
        self.steps.iter().zip(after).filter(lost).map(|(step, _)| step.words.as_slice())
    }

    /// Whether a step shows a file or a log itself, not as a filter. Error lines in the output may come from that file.
    pub(super) fn shows_a_file(&self) -> bool {
        const SHOWS: [&str; 10] = ["cat", "tail", "head", "less", "sed", "grep", "rg", "nl", "bat", "jq"];
        self.steps.iter().any(|step| step.join != Join::Pipe && SHOWS.iter().any(|program| step.is(program)))
    }
}

/// Whether the exit code of a step is lost if it is joined to the next one in this way.
fn loses_code(next: Join) -> bool {
    matches!(next, Join::Pipe | Join::Or | Join::Then)
}

/// The text before and after the first line that equals `line`.
fn at_line<'t>(output: &'t str, line: &str) -> Option<(&'t str, &'t str)> {
    let mut at = 0;
    for found in output.split_inclusive('\n') {
        let end = at + found.len();
        if found.trim() == line {
            return Some((output.get(..at)?, output.get(end..)?));
        }
        at = end;
    }
    None
}

impl Step {
    /// The line that an `echo` of plain words prints.
    fn printed(&self) -> Option<String> {
        let words = self.words.iter().skip(1).filter(|word| !matches!(word.as_str(), "-e" | "-n"));
        let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
        let plain = !line.contains(['$', '`', '\\']) && !line.trim().is_empty();
        (self.is("echo") && self.join != Join::Pipe && plain).then(|| line.trim().to_owned())
    }

    fn is(&self, program: &str) -> bool {
        self.words.first().is_some_and(|word| word == program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(line: &str) -> Vec<Role> {
        Command::read(line).steps.into_iter().map(|step| step.role).collect()
    }

    #[test]
    fn steps_and_roles() {
        use Role::{Check, Compare, Other, Question, Quiet, Search, Show};
        assert_eq!(roles("cd /a && go test ./... 2>&1 | tail -20"), [Quiet, Check, Show]);
        assert_eq!(roles("FOO=1 timeout 30 npx vitest run || true"), [Check, Quiet]);
        assert_eq!(roles("git -C /r diff; git grep x | head"), [Compare, Search, Show]);
        assert_eq!(roles("grep 'a && b | c' f > out.txt"), [Search]);
        assert_eq!(roles("command -v foo"), [Question]);
        assert_eq!(roles("python - <<'EOF'\nimport a; b | c\nEOF\nls"), [Other, Show]);
        assert_eq!(roles("npm run lint:fix & sleep 1"), [Check, Quiet]);
        assert_eq!(roles("sed -i s/a/b/ f; sed -n 1p f"), [Other, Show]);
        assert_eq!(roles("gh run view 3 --log-failed"), [Show]);
        assert_eq!(roles("# a comment; pytest\nls"), [Show]);
    }

    #[test]
    fn codes_that_are_lost() {
        assert!(Command::read("make test | tail").hides_codes());
        assert!(Command::read("./x || true").hides_codes());
        assert!(Command::read("./x; echo done").hides_codes());
        assert!(!Command::read("cd a && ./x && echo done").hides_codes());
        assert!(!Command::read("cat a | head").hides_codes());
    }

    #[test]
    fn checks_are_seen() {
        assert!(Command::read("git rev-parse x && echo yes || echo no").prints_yes_or_no());
        assert!(!Command::read("./x || echo failed").prints_yes_or_no());
    }

    #[test]
    fn garbage_is_read_too() {
        for line in ["", "'", "\"\\", "<<", "<<<", "((((", "a <<E", "||&&;;|", "\\", "$(", "> > >", "if ! then"] {
            let _ = Command::read(line);
        }
        assert_eq!(Command::read(&"a|".repeat(100_000)).steps.len(), MAX_STEPS);
    }
}
