//! Failures in groups: one group for each cause and what tells it apart, whatever the last line of the output says.
//!
//! A group is the list of its failures. Whatever is said of a group is counted over this list, so that no count can
//! disagree with another one. Memory is bounded for any log: [`MAX_GROUPS`] groups with [`MAX_MEMBERS`] failures each, and
//! [`MAX_ALL`] in all. Failures beyond these limits are only counted.

pub(crate) mod announced;
pub(crate) mod aside;
pub(crate) mod audits;
pub(crate) mod backslashes;
pub(crate) mod base;
pub(crate) mod classify;
pub(crate) mod effects;
pub(crate) mod exit_code;
pub(crate) mod expected;
pub(crate) mod explaining;
pub(crate) mod inside;
pub(crate) mod ordered;
pub(crate) mod other_shell;
pub(crate) mod own;
pub(crate) mod program;
pub(crate) mod quotes;
pub(crate) mod refine;
pub(crate) mod removal;
pub(crate) mod replacing;
pub(crate) mod scratch;
pub(crate) mod silence;
pub(crate) mod told;
pub(crate) mod unasked;
pub(crate) mod watching;
pub(crate) mod written;

use gephost_gene::run_log::FailureKind;

use crate::by_number::ByNumber;
use crate::call::{Call, hash};
use crate::cause::{Cause, Key};
use crate::causes::classify::Classified;
use crate::causes::inside::inside;
use crate::causes::scratch::{is_in_library, mistake};
use crate::command::paths::are_near;
use crate::measures::groups::{Failure, Groups, Newest};
use crate::order::{self, by_count, sort_by};
use crate::output::arity;
use crate::output::cause_line::{Weight, is_summary, is_thrown};
pub(crate) use crate::output::host::is_local;
use crate::output::line::{collapsed, common, has_id, hash_beside_call, is_number, normal_hash, untagged};
use crate::output::names;
use crate::output::places::is_assigned;
use crate::output::provider::login;
use crate::output::test_errors::class_of_tests;

/// Most groups. When there are more, those with a single failure are dropped.
pub(crate) const MAX_GROUPS: usize = 2048;
/// Most failures that a group keeps, and most that all groups keep.
const MAX_MEMBERS: usize = 10_000;
const MAX_ALL: usize = 50_000;
/// The most frequent lines of a group, of which equal ones are counted together.
const MAX_EQUAL: usize = 64;

/// Bytes of commands that are compared if nothing else tells them apart.
const MAX_COMPARED: usize = 256;

/// One failure of a group.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// Number of the event.
    pub(crate) event: u64,
    pub(crate) session: u32,
    pub(crate) program: String,
    /// The host or the container in which the program runs; empty if it runs where the agent does.
    pub(crate) place: String,
    pub(crate) names: Vec<String>,
    /// The line that explains it, and the hash of its normal form.
    pub(crate) line: String,
    pub(crate) key: u64,
    step: Option<String>,
    /// The log does not name the tool, as for exceptions outside of any call.
    pub(crate) tool_is_unknown: bool,
    suggestion: Option<String>,
    is_shared: bool,
    /// Whether the log cut its output.
    is_cut: bool,
    /// Whether the shell got `\!` in place of `!`.
    pub(crate) is_escaped: bool,
    is_of_scratch: bool,
    /// Whether code that is not the project's raised it.
    pub(crate) is_in_library: bool,
    /// Whether the name that is not known stands on the left of an assignment.
    pub(crate) is_assigned: bool,
    /// The class of the error of the first failing test, without its module; empty if none is named.
    pub(crate) class: String,
    /// The hash of the tool and of what its message says beside the words of the call.
    pub(crate) sentence: Option<u64>,
    /// How many arguments the program takes, in words, if it got more. Empty if it is not known.
    takes: &'static str,
}

/// The failures of one cause.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) cause: Cause,
    /// All failures, also those beyond the limits.
    pub(crate) failures: u32,
    /// In the order of the log.
    pub(crate) members: Vec<Member>,
    /// The kind of the newest failure.
    pub(crate) kind: FailureKind,
    /// The weight of the newest failure's line.
    pub(crate) weight: Weight,
    pub(crate) newest: Newest,
    /// Path and line in the project's source that the newest failure points at.
    pub(crate) place: Option<(String, u32)>,
    /// Whether the shell died after a command that removed something.
    pub(crate) follows_removal: bool,
    /// A step of refused commands that ran in another call; empty if none is known.
    pub(crate) allowed: String,
    /// The folders in which the rest of paths is that are not found because of the folder in front of them.
    pub(crate) moved_to: Vec<String>,
    /// What helps against a cause that stands above several.
    pub(crate) parts: Vec<String>,
}

/// All groups, by the hash of their cause and what tells it apart.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    groups: ByNumber<Group>,
    members: usize,
    left_out: u64,
}

impl Causes {
    /// Adds one failure.
    pub(crate) fn add(&mut self, call: &Call<'_>, failure: &Classified<'_>, identity: Option<u64>) {
        let key = match failure.cause {
            // Nothing shows that unlike commands have the same reason.
            Cause::Silent if failure.program.is_empty() => {
                let start = call.input.get(..call.input.floor_char_boundary(MAX_COMPARED)).unwrap_or_default();
                hash(key(failure), &normal_hash(start).to_le_bytes())
            }
            _ => key(failure),
        };
        if self.groups.len() >= MAX_GROUPS && !self.groups.has(key) {
            self.make_room();
        }
        let group = self.groups.get_or_insert(key, || Group::of(failure));
        group.failures = group.failures.saturating_add(1);
        if group.newest.push(call, failure.line, identity) {
            group.kind = call.kind;
            group.weight = failure.weight;
            group.place = failure.place.map(|(path, line)| (path.to_owned(), line));
        }
        if group.members.len() < MAX_MEMBERS && self.members < MAX_ALL {
            self.members += 1;
            group.members.push(Member::of(call, failure));
        }
    }

    /// Drops the groups with one failure; if there are none, the smallest ones.
    fn make_room(&mut self) {
        let before = self.groups.len();
        let mut least = 1;
        while self.groups.len() >= MAX_GROUPS {
            self.groups.retain(|group| group.failures > least);
            least = least.saturating_mul(2);
        }
        self.members = self.groups.iter().map(|(_, group)| group.members.len()).sum();
        self.left_out += (before - self.groups.len()) as u64;
    }

    /// The groups, by their key.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (u64, &Group)> {
        self.groups.iter().map(|(key, group)| (*key, group))
    }

    /// How many groups exceeded the limit.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// The part of the hash of a group that its cause gives. Findings are named by it, so it stays when causes are added.
pub(crate) fn of_cause(cause: Cause) -> u64 {
    hash(0, cause.about().kind.as_bytes())
}

/// The hash that tells the groups apart.
fn key(failure: &Classified<'_>) -> u64 {
    let cause = of_cause(failure.cause);
    let name = || failure.names.first().map_or("", String::as_str);
    match failure.cause.about().key {
        // A server on this machine has another reason not to answer than one elsewhere.
        _ if failure.cause == Cause::Network => hash(cause, &[u8::from(is_local(name()))]),
        Key::None => match object(failure) {
            "" => cause,
            object => hash(cause, object.as_bytes()),
        },
        // What a provider of models lacks, in whatever words.
        Key::Line if failure.cause == Cause::Login && login(name()).is_some() => hash(cause, name().as_bytes()),
        // The same refusal of one account, whatever the host is called.
        Key::Line if let Some((account, refusal)) = refused(failure) => {
            hash(hash(cause, account.as_bytes()), refusal.as_bytes())
        }
        // Runs that say nothing have the same reason only if they end in the same way.
        Key::Program if failure.cause == Cause::Silent => {
            let of_program = hash(cause, failure.program.as_bytes());
            match failure.line.trim() {
                _ if failure.is_cut => hash(of_program, b"cut"),
                code if code.starts_with("Exit code ") && code != "Exit code 1" => hash(of_program, code.as_bytes()),
                _ => of_program,
            }
        }
        Key::Program => hash(cause, failure.program.as_bytes()),
        Key::Name => hash(cause, name().as_bytes()),
        // What only says that a step failed has another reason in each program.
        Key::Line if is_summary(failure.line) => {
            hash(hash(cause, &of_line(failure).to_le_bytes()), failure.program.as_bytes())
        }
        Key::Line => hash(cause, &of_line(failure).to_le_bytes()),
    }
}

/// The kind of object that a failure is about, if its cause can have several: what is to be read is not what is to be written
/// or to be run, and PowerShell is not another shell.
fn object(failure: &Classified<'_>) -> &'static str {
    let line = failure.line.trim_start();
    match failure.cause {
        Cause::Path if line.contains("cannot create ") => "written",
        Cause::Path if is_run(line) => "run",
        Cause::Shell if is_of_powershell(&failure.program) => "powershell",
        _ => "",
    }
}

/// Whether a program is PowerShell, whatever it runs.
pub(crate) fn is_of_powershell(program: &str) -> bool {
    matches!(program.split(' ').next(), Some("powershell" | "powershell.exe" | "pwsh"))
}

/// Whether a shell does not find the file that it was to run: `bash: a/b.sh: No such file or directory`.
fn is_run(line: &str) -> bool {
    let Some((shell, rest)) = line.split_once(": ") else { return false };
    let shell = shell.rsplit('/').next().unwrap_or(shell);
    let path = rest.rsplit_once(": ").map_or(rest, |(path, _)| path);
    let path = path.strip_prefix("line ").and_then(|path| path.split_once(": ")).map_or(path, |(_, path)| path);
    matches!(shell, "bash" | "sh" | "zsh" | "dash") && path.contains('/') && !path.contains(": ")
}

/// The account and the words of `account@host: Permission denied (publickey).`
fn refused<'f>(failure: &'f Classified<'_>) -> Option<(&'f str, &'f str)> {
    let (account, rest) = failure.line.split_once('@').filter(|_| failure.cause == Cause::Login)?;
    // The name that a forge gives to all of its users is no account.
    let (_, refusal) = rest.split_once(": Permission denied ").filter(|_| account != "git")?;
    Some((account, refusal))
}

/// The hash of the line's normal form. What follows below a known sentence does not tell errors apart.
fn of_line(failure: &Classified<'_>) -> u64 {
    let line = failure.line;
    normal_hash(if failure.weight == Weight::Typical { line.lines().next().unwrap_or(line) } else { line })
}

impl Member {
    fn of(call: &Call<'_>, failure: &Classified<'_>) -> Self {
        let mut line = String::new();
        collapsed(&untagged(failure.line), &mut line);
        let (program, place) = inside(call, failure).unwrap_or_else(|| (failure.program.clone(), String::new()));
        Self {
            event: call.event,
            session: call.session,
            names: failure
                .names
                .iter()
                .map(|name| if *name == failure.program { &program } else { name })
                .cloned()
                .collect(),
            program,
            place,
            line,
            key: of_line(failure),
            step: failure.step.clone(),
            tool_is_unknown: call.name.is_empty(),
            suggestion: failure.suggestion.map(str::to_owned),
            is_shared: failure.is_shared,
            is_cut: failure.is_cut,
            is_escaped: failure.is_escaped,
            is_of_scratch: failure.is_of_scratch,
            is_in_library: is_in_library(call.output),
            is_assigned: is_assigned(call.output),
            class: if failure.cause == Cause::Tests { class_of_tests(call.output).to_owned() } else { String::new() },
            sentence: matches!(failure.cause, Cause::Error | Cause::Silent)
                .then(|| hash_beside_call(failure.line, call.input))
                .flatten()
                .map(|sentence| hash(hash(sentence, call.name.as_bytes()), failure.cause.about().kind.as_bytes())),
            takes: if failure.cause == Cause::Argument {
                arity::takes(call.output, failure.names.first().map_or("", String::as_str), call.input)
            } else {
                ""
            },
        }
    }
}

impl Member {
    /// Whether the paths of two failures are about one file or folder.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        matches!((self.names.first(), other.names.first()), (Some(one), Some(other)) if are_near(one, other))
    }

    /// Whether a pattern of file names matched no file.
    pub(crate) fn is_pattern(&self) -> bool {
        self.line.contains("no matches found")
    }

    /// Whether the line is a program's complaint about its options or arguments, in words that name none of them.
    pub(crate) fn says_how_it_is_called(&self) -> bool {
        const SAYS: [&str; 11] = [
            "nvalid usage",
            "rg(s), ",
            "equired flag",
            "issing required arg",
            "issing required option",
            "required arguments were not provided",
            "arguments are required",
            "oo many arguments",
            "oo few arguments",
            "requires an argument",
            "xpected one argument",
        ];
        let is_raised = is_thrown(&self.line) && !self.line.starts_with("Error: ");
        !is_raised && SAYS.iter().any(|words| self.line.contains(words))
    }

    /// What the tool asks whether it was meant: `Did you mean "a"?`
    pub(crate) fn meant(&self) -> Option<&str> {
        let asks = |text: &&str| {
            text.starts_with("Did you mean ") && !text.contains("mean this") && !text.contains("mean one of")
        };
        self.suggestion.as_deref().filter(asks)
    }

    /// Takes the step that failed for the program, if that is not known.
    pub(crate) fn name_by_step(&mut self) {
        if let Some(step) = self.step.as_ref().filter(|_| self.program.is_empty()) {
            self.program.clone_from(step);
        }
    }

    /// The class of the exception that a mistake in a script of the agent's own raised.
    pub(crate) fn mistake(&self) -> Option<&str> {
        mistake(&self.line).filter(|_| self.is_of_scratch)
    }
}

impl Group {
    fn of(failure: &Classified<'_>) -> Self {
        Self {
            cause: failure.cause,
            failures: 0,
            members: Vec::new(),
            kind: FailureKind::None,
            weight: failure.weight,
            newest: Newest::default(),
            place: None,
            follows_removal: false,
            allowed: String::new(),
            moved_to: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Takes the failures out that fit, into a group of another cause. `None` if none fits.
    pub(crate) fn split_off(&mut self, cause: Cause, fits: &dyn Fn(&Member) -> bool) -> Option<Self> {
        let (own, rest): (Vec<Member>, Vec<Member>) = self.members.drain(..).partition(|member| fits(member));
        self.members = rest;
        if own.is_empty() {
            return None;
        }
        let mut events: Vec<u64> = own.iter().map(|member| member.event).collect();
        order::sort(&mut events);
        let newest = self.latest().map(|failure| failure.event);
        let mut other = Self { cause, members: own, ..self.clone() };
        other.newest.retain(|event| events.binary_search(&event).is_ok());
        self.newest.retain(|event| events.binary_search(&event).is_err());
        // The place is that of the newest failure of all.
        let is_own = newest.is_some_and(|event| events.binary_search(&event).is_ok());
        let elsewhere = if is_own { &mut *self } else { &mut other };
        elsewhere.place = None;
        other.failures = u32::try_from(other.members.len()).unwrap_or(u32::MAX);
        self.failures = self.failures.saturating_sub(other.failures);
        Some(other)
    }

    /// Adds the failures of another group.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.failures = self.failures.saturating_add(other.failures);
        self.members.extend(other.members.iter().cloned());
        sort_by(&mut self.members, |a, b| a.event.cmp(&b.event));
        self.members.truncate(MAX_MEMBERS);
        self.newest.merge(&other.newest);
        // What holds of one of them may not hold of the other.
        self.place = None;
    }

    /// The numbers of the events, ascending.
    pub(crate) fn events(&self) -> Vec<u64> {
        self.members.iter().map(|member| member.event).collect()
    }

    /// The program of all failures; of different ones what they have in common, which may be nothing.
    pub(crate) fn program(&self) -> &str {
        let mut programs = self.members.iter().map(|member| member.program.as_str());
        let Some(one) = programs.next() else { return "" };
        programs.fold(one, |common, program| {
            let word = |name: &str| name.find(' ').unwrap_or(name.len());
            if common == program {
                return common;
            }
            let head = common.get(..word(common)).unwrap_or_default();
            if program.get(..word(program)) == Some(head) { head } else { "" }
        })
    }

    /// The hosts and containers in which programs failed, the most frequent first.
    pub(crate) fn frequent_places(&self) -> Vec<&str> {
        let places = self.members.iter().map(|member| member.place.as_str());
        counted(places.filter(|place| !place.is_empty())).into_iter().map(|(place, _)| place).collect()
    }

    /// The programs that are known, the most frequent first.
    pub(crate) fn frequent_programs(&self) -> Vec<&str> {
        let programs = self.members.iter().map(|member| member.program.as_str());
        counted(programs.filter(|program| !program.is_empty())).into_iter().map(|(program, _)| program).collect()
    }

    /// The names in the messages, and how often each was seen; the most frequent first.
    pub(crate) fn counted_names(&self) -> Vec<(&str, u32)> {
        counted(self.members.iter().flat_map(|member| member.names.iter().map(String::as_str)))
    }

    /// Whether each failure has a name of its own.
    pub(crate) fn has_unlike_names(&self) -> bool {
        self.failures > 1 && self.counted_names().len() >= self.members.len()
    }

    /// Whether paths have nothing in common.
    pub(crate) fn has_unlike_paths(&self) -> bool {
        self.has_unlike_names() && !self.members.windows(2).any(|pair| pair[0].is_near(&pair[1]))
    }

    /// How many arguments the program takes, in words, if that is known of each of the failures.
    pub(crate) fn takes(&self) -> Option<&'static str> {
        let mut all = self.members.iter().map(|member| member.takes);
        let first = all.next().filter(|takes| !takes.is_empty())?;
        all.try_fold(first, |known, takes| match takes {
            "" => None,
            takes => Some(if takes == known { known } else { arity::MORE }),
        })
    }

    /// The names, the most frequent first.
    pub(crate) fn frequent_names(&self) -> Vec<&str> {
        self.counted_names().into_iter().map(|(name, _)| name).collect()
    }

    /// The steps of chains and scripts that failed, and how often; the most frequent first.
    pub(crate) fn frequent_steps(&self) -> Vec<(&str, u32)> {
        counted(self.members.iter().filter_map(|member| member.step.as_deref()))
    }

    /// What the lines of all failures have in common.
    pub(crate) fn common_line(&self) -> String {
        let mut lines = self.members.iter().map(|member| member.line.as_str());
        let first = lines.next().unwrap_or_default().to_owned();
        lines.fold(first, |all, line| common(&all, line))
    }

    /// The words that stand where the lines of all failures differ first, each once.
    pub(crate) fn differing_words(&self) -> Vec<String> {
        let common = self.common_line();
        let Some(at) = common.split(' ').position(|word| word == "…") else { return Vec::new() };
        let mut shown: Vec<String> = Vec::new();
        for (word, _) in counted(self.members.iter().filter_map(|member| member.line.split(' ').nth(at))) {
            let is_name = !has_id(word) && !is_number(word.trim_matches(['(', ')', ':', ';', '#', '=']));
            // Paths that differ only in what is not shown are one name.
            let name = names::shown(word.trim_matches(['(', ')', ',', ';', ':']))
                .filter(|name| is_name && !shown.contains(name));
            shown.extend(name);
        }
        shown
    }

    /// The different lines with how often each was seen, the most frequent first. Of lines with the same normal form, it is
    /// what they have in common.
    pub(crate) fn frequent_lines(&self) -> Vec<(String, u32)> {
        let mut lines: ByNumber<(String, u32)> = ByNumber::default();
        for member in &self.members {
            let known = lines.get_or_insert(member.key, || (member.line.clone(), 0));
            known.0 = common(&known.0, &member.line);
            known.1 += 1;
        }
        // Different lines may have the same in common.
        let mut equal: Vec<(String, u32)> = Vec::new();
        for (line, count) in by_count(lines.into_values()) {
            match equal.iter_mut().take(MAX_EQUAL).find(|(known, _)| *known == line) {
                Some((_, known)) => *known += count,
                None => equal.push((line, count)),
            }
        }
        by_count(equal.into_iter())
    }

    /// What the failing tool suggests, and after how many failures.
    pub(crate) fn frequent_suggestion(&self) -> Option<(&str, u32)> {
        counted(self.members.iter().filter_map(|member| member.suggestion.as_deref())).into_iter().next()
    }

    /// How many sessions have such a failure.
    pub(crate) fn sessions(&self) -> usize {
        order::different(self.members.iter().map(|member| u64::from(member.session)))
    }

    /// How many sessions have a failure with this name.
    pub(crate) fn sessions_with(&self, name: &str) -> usize {
        let own = self.members.iter().filter(|member| member.names.iter().any(|known| known == name));
        order::different(own.map(|member| u64::from(member.session)))
    }

    /// Whether a call asked for the help of a subcommand or an option that does not exist: asking is how to find that out.
    pub(crate) fn is_probe(&self) -> bool {
        let asks = |failure: &Failure| failure.input.contains(" --help") || failure.input.contains(" help ");
        matches!(self.cause, Cause::Subcommand | Cause::OptionRefused) && self.latest().is_some_and(asks)
    }

    /// Whether all failures name files that a formatter would change, and nothing else.
    pub(crate) fn is_of_format(&self) -> bool {
        self.cause == Cause::Error && self.members.iter().all(|member| member.line.contains("ould reformat"))
    }

    /// Whether all failures are those of scripts that the agent wrote for one use.
    pub(crate) fn is_of_scratch(&self) -> bool {
        self.members.iter().all(|member| member.is_of_scratch)
    }

    /// Whether all failures are mistakes in such scripts.
    pub(crate) fn is_of_mistakes(&self) -> bool {
        self.cause != Cause::Quotes && self.members.iter().all(|member| member.mistake().is_some())
    }

    /// Whether nothing is known of these failures but that the log cuts their outputs.
    pub(crate) fn is_cut(&self) -> bool {
        self.cause == Cause::Silent && self.members.iter().all(|member| member.is_cut)
    }

    /// Test runs whose line is the error of most failing tests.
    pub(crate) fn shared(&self) -> u32 {
        u32::try_from(self.members.iter().filter(|member| member.is_shared).count()).unwrap_or(u32::MAX)
    }

    /// Whether the same call succeeded after each of the newest failures.
    pub(crate) fn is_resolved(&self, groups: &Groups) -> bool {
        self.newest.iter().all(|failure| groups.is_resolved(failure))
    }

    /// The newest failure.
    pub(crate) fn latest(&self) -> Option<&Failure> {
        self.newest.iter().next()
    }
}

/// How often each text is there, the most frequent first.
pub(crate) fn counted<'t>(mut texts: impl Iterator<Item = &'t str>) -> Vec<(&'t str, u32)> {
    counted_of(&mut texts)
}

/// One copy for all iterators.
#[inline(never)]
fn counted_of<'t>(texts: &mut dyn Iterator<Item = &'t str>) -> Vec<(&'t str, u32)> {
    let mut counts: Vec<(&str, u32)> = texts.map(|text| (text, 1)).collect();
    sort_by(&mut counts, |a, b| a.0.cmp(b.0));
    counts.dedup_by(|next, known| {
        known.1 += u32::from(next.0 == known.0);
        next.0 == known.0
    });
    by_count(counts.into_iter())
}
