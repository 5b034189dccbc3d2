//! Reading a command line, as far as judging needs it: which programs it runs, in what order, and whether their exit
//! codes can be lost. Not a shell: what it cannot read it takes for a program of no known role.

mod role;
mod split;

pub(super) use role::Role;
use role::{role, without_prefixes};
use split::{Join, split};

/// A part of a command line, and what it printed.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) command: Command,
    pub(super) output: &'t str,
    /// What follows does not ask how it ended.
    pub(super) code_lost: bool,
}

#[derive(Debug, Clone)]
struct Step {
    join: Join,
    role: Role,
    words: Vec<String>,
}

/// A command line, step by step.
#[derive(Debug)]
pub(super) struct Command {
    steps: Vec<Step>,
}

/// Most bytes and steps of a command line that are read; scripts are longer than any decision needs.
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

    /// The role of the step whose code is the line's. `x | head` and `x | wc -l` end with a filter, whose code it is.
    pub(super) fn last_role(&self) -> Option<Role> {
        self.steps.last().map(|step| step.role)
    }

    /// Whether nothing before the last step can have ended the line. `a && b && grep` with code 1 may have stopped
    /// at `a`, which a quiet output does not tell apart; what `a` printed does.
    pub(super) fn earlier_steps_are_quiet(&self, said: &str) -> bool {
        let chained = self.steps.iter().any(|step| step.join == Join::And);
        let earlier = self.steps.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let harmless = |step: &Step| !matches!(step.role, Role::Judge | Role::Other);
        !chained || said.is_empty() || earlier.iter().all(harmless)
    }

    /// Whether every step only shows, searches, compares, asks or prints.
    pub(super) fn only_looks(&self) -> bool {
        self.steps.iter().all(|step| !matches!(step.role, Role::Judge | Role::Other))
    }

    /// `A && echo yes || echo no`: the line asks, whatever the answer.
    pub(super) fn is_check(&self) -> bool {
        self.steps.windows(2).any(|pair| {
            pair.iter().map(|step| step.join).eq([Join::And, Join::Or]) && pair.iter().all(|step| step.is("echo"))
        })
    }

    /// Whether a step tests, lints or builds.
    pub(super) fn runs_a_judge(&self) -> bool {
        self.steps.iter().any(|step| step.role == Role::Judge)
    }

    /// Whether a step makes a commit.
    pub(super) fn commits(&self) -> bool {
        self.steps.iter().any(|step| step.is("git") && step.words.iter().any(|word| word == "commit"))
    }

    /// The code that a last `echo $?` tells, and the command before it.
    pub(super) fn told_code(&self, output: &str) -> Option<(Self, i64)> {
        let (last, before) = self.steps.split_last()?;
        let echoes = last.is("echo") && last.join == Join::Then && last.words.iter().any(|word| word.ends_with("$?"));
        let line = output.trim_end().lines().next_back().filter(|_| echoes)?;
        let digits = line.rsplit(|c: char| !c.is_ascii_digit()).next()?;
        Some((Self { steps: before.to_vec() }, digits.parse().ok()?))
    }

    /// The command cut at each `echo` whose words stand as a line of the output, with what each part printed.
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

    /// Whether the code of a step that can fail is lost: piped on, followed by `||` or `;`, or in the background.
    pub(super) fn hides_codes(&self) -> bool {
        let after = self.steps.iter().skip(1);
        self.steps.iter().zip(after).any(|(step, next)| {
            matches!(step.role, Role::Judge | Role::Other) && matches!(next.join, Join::Pipe | Join::Or | Join::Then)
        })
    }

    /// Programs that only show something, and whose code is lost; `last_lost` says whether the last one's is.
    pub(super) fn hidden_looks(&self, last_lost: bool) -> impl Iterator<Item = &[String]> {
        let after = self.steps.iter().skip(1).map(|next| hides(next.join)).chain([last_lost]);
        let hidden = |(step, hidden): &(&Step, bool)| !matches!(step.role, Role::Judge | Role::Other) && *hidden;
        self.steps.iter().zip(after).filter(hidden).map(|(step, _)| step.words.as_slice())
    }

    /// Whether a step shows a file or a log of its own accord, not as a filter: the trouble that is read may stand in
    /// there.
    pub(super) fn shows_a_file(&self) -> bool {
        const SHOWS: [&str; 10] = ["cat", "tail", "head", "less", "sed", "grep", "rg", "nl", "bat", "jq"];
        self.steps.iter().any(|step| step.join != Join::Pipe && SHOWS.iter().any(|program| step.is(program)))
    }
}

/// Whether a step that is followed this way gives its code to nobody.
fn hides(next: Join) -> bool {
    matches!(next, Join::Pipe | Join::Or | Join::Then)
}

/// What stands before and after the first line that is this one.
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
    /// The line that an `echo` of nothing but plain words prints.
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
        use Role::{Compare, Judge, Look, Other, Question, Quiet, Search};
        assert_eq!(roles("cd /a && go test ./... 2>&1 | tail -20"), [Quiet, Judge, Look]);
        assert_eq!(roles("FOO=1 timeout 30 npx vitest run || true"), [Judge, Quiet]);
        assert_eq!(roles("git -C /r diff; git grep x | head"), [Compare, Search, Look]);
        assert_eq!(roles("grep 'a && b | c' f > out.txt"), [Search]);
        assert_eq!(roles("command -v foo"), [Question]);
        assert_eq!(roles("python - <<'EOF'\nimport a; b | c\nEOF\nls"), [Other, Look]);
        assert_eq!(roles("npm run lint:fix & sleep 1"), [Judge, Quiet]);
        assert_eq!(roles("sed -i s/a/b/ f; sed -n 1p f"), [Other, Look]);
        assert_eq!(roles("gh run view 3 --log-failed"), [Look]);
        assert_eq!(roles("# a comment; pytest\nls"), [Look]);
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
        assert!(Command::read("git rev-parse x && echo yes || echo no").is_check());
        assert!(!Command::read("./x || echo failed").is_check());
    }

    #[test]
    fn garbage_is_read_too() {
        for line in ["", "'", "\"\\", "<<", "<<<", "((((", "a <<E", "||&&;;|", "\\", "$(", "> > >", "if ! then"] {
            let _ = Command::read(line);
        }
        assert_eq!(Command::read(&"a|".repeat(100_000)).steps.len(), MAX_STEPS);
    }
}
