//! What to do as the log shows it: what worked in the place of the failed calls.

use gephost_gene::run_log::Correction;

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::{Group, Member, counted, is_local};
use crate::command::paths::base;
use crate::findings::advice::{proof, servers};
use crate::measures::groups::Failure;
use crate::worked::installs;
use crate::worked::patches::{FEWER_LINES, is_short};
use crate::worked::waiting::{Remedy, Way};

impl Group {
    /// What was found for these failures in this way, if it was for most of them; the newest last.
    fn remedies<'a>(&self, around: Around<'a>, way: Way) -> Option<(Vec<&'a Remedy>, u32)> {
        let found = self.members.iter().filter_map(|member| around.next.of(member.event, way));
        let found: Vec<&Remedy> = found.collect();
        let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
        (count > 0 && count.saturating_mul(2) >= self.failures).then_some((found, count))
    }

    /// An instruction, if more than one call speaks for what these failures were cured by in this way; if only one does, the call.
    fn told(&self, around: Around<'_>, way: Way, instruction: &str, count: u32) -> String {
        let cured: Vec<u64> = self.events().into_iter().filter(|event| around.next.of(*event, way).is_some()).collect();
        let alone = cured.iter().rev().map(|event| around.next.alone(*event)).collect::<Option<Vec<_>>>();
        let Some(commands) = alone.filter(|_| around.next.successes(cured.iter().copied()) < 2) else {
            return format!("{instruction}: a later call worked that way{}", self.often(count));
        };
        match commands.first().filter(|command| !command.is_empty()) {
            Some(command) => format!("what worked next: `{command}`"),
            None => format!("what worked next, after other changes: {instruction}"),
        }
    }

    /// Of how many failures something holds: nothing is said if there is one.
    fn often(&self, count: u32) -> String {
        if self.failures == 1 { String::new() } else { format!(", after {count} of {} failures", self.failures) }
    }

    /// The same, of what was not seen after the failures.
    pub(super) fn of_cases(&self, count: u32) -> String {
        if count == self.failures { String::new() } else { format!(", in {count} of {} cases", self.failures) }
    }

    pub(super) fn corrections<'a>(&self, around: Around<'a>) -> impl Iterator<Item = &'a Correction> {
        self.members.iter().filter_map(move |member| around.corrections.get(member.event))
    }

    /// What the error itself says of its remedy.
    pub(super) fn stated(&self, around: Around<'_>) -> Option<String> {
        Some(self.remedies(around, Way::Stated)?.0.last()?.text.clone())
    }

    /// What touched a word of the error in the calls that worked.
    pub(super) fn worded(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Word)?;
        Some(self.told(around, Way::Word, &told.last()?.text, count))
    }

    /// How a program was started that was not found.
    pub(super) fn started(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Start)?;
        let last = told.last()?;
        let instruction = format!("run {} instead of {}", last.text, last.before);
        let said = match self.missing(last.before.trim_matches('`')) {
            // Of several programs, the others say nothing of how often it helped.
            failures if failures > 0 && failures < self.failures => {
                let successes = around.next.successes(self.events().into_iter());
                format!("{instruction}: {}", proof(count, failures, successes))
            }
            _ => self.told(around, Way::Start, &instruction, count),
        };
        // What serves for one program says nothing of the others.
        let is_rest = |name: &&str| !told.iter().any(|remedy| remedy.before.trim_matches('`') == *name);
        let rest: Vec<&str> = self.frequent_names().into_iter().filter(is_rest).collect();
        let others = if self.cause == Cause::Program { self.served_by(&rest, around) } else { None };
        Some(match (others, rest.as_slice()) {
            (Some(others), [only]) => format!("{said}; for `{only}`, {others}"),
            (Some(others), _) => format!("{said}; {others}"),
            (None, _) => said,
        })
    }

    /// How many of the failures miss this program.
    fn missing(&self, program: &str) -> u32 {
        let is_missing =
            |member: &&Member| self.cause == Cause::Program && member.names.iter().any(|name| name == program);
        u32::try_from(self.members.iter().filter(is_missing).count()).unwrap_or(u32::MAX)
    }

    /// The tool that changed the same files, where another one was to make them.
    pub(super) fn by_tool(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Tool)?;
        let last = told.last()?;
        let successes = around.next.successes(self.events().into_iter());
        let proof = proof(count, self.failures, successes);
        Some(format!("use {} instead of {} if the file is there: {proof}", last.text, last.before))
    }

    /// The whole command that worked, if more than one thing is new in it.
    pub(super) fn whole(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Whole)?;
        Some(format!("what worked next: {}{}", told.last()?.text, self.often(count)))
    }

    /// What helped against one error, if it was seen after fewer than half of its failures.
    pub(super) fn seldom(&self, around: Around<'_>) -> Option<String> {
        if self.frequent_lines().len() != 1 {
            return None;
        }
        let of = |way| self.members.iter().filter_map(move |member| around.next.of(member.event, way));
        let (way, last) = [Way::Word, Way::Start].into_iter().find_map(|way| Some((way, of(way).next_back()?)))?;
        let what = if last.before.is_empty() {
            last.text.clone()
        } else {
            format!("{} instead of {}", last.text, last.before)
        };
        let count = of(way).filter(|remedy| *remedy == last).count();
        Some(format!("what worked next after {count} of {} failures: {what}", self.failures))
    }

    /// That the same calls worked later as they were. What occurred once and was over then has a finding of its own.
    pub(super) fn unchanged(&self, around: Around<'_>) -> Option<String> {
        if self.failures == 1 {
            return None;
        }
        let (_, count) = self.remedies(around, Way::Unchanged)?;
        Some(format!("the same call worked later, and nothing was seen to change in between{}", self.often(count)))
    }

    /// What was different in the edit of the same file that worked.
    pub(super) fn rewritten(&self, around: Around<'_>) -> Option<String> {
        let (told, _) = self.remedies(around, Way::Rewritten)?;
        let texts = counted(told.iter().map(|remedy| remedy.text.as_str()));
        let (text, count) = *texts.first()?;
        // Edits that expect as few lines failed, too.
        let is_refuted = text == FEWER_LINES && self.newest.iter().any(|failure| is_short(&failure.input));
        (count.saturating_mul(2) >= self.failures && !is_refuted)
            .then(|| format!("{text}: a later call worked that way{}", self.often(count)))
    }

    /// The object that worked in place of the one to which the access was denied.
    pub(super) fn other_object(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Object)?;
        let last = told.last()?;
        let instruction =
            format!("tell the agent to work elsewhere, such as with {} instead of {}", last.text, last.before);
        Some(self.told(around, Way::Object, &instruction, count))
    }

    pub(super) fn with_sudo(&self, around: Around<'_>) -> Option<String> {
        let (_, count) = self.remedies(around, Way::Sudo)?;
        let successes = around.next.successes(self.events().into_iter());
        Some(format!("let the agent run this with `sudo`: {}", proof(count, self.failures, successes)))
    }

    /// How the tool was called when it worked, in the same file.
    pub(super) fn given(&self, around: Around<'_>) -> Option<String> {
        if self.cause.is_about_edits() {
            return None;
        }
        let (told, _) = self.remedies(around, Way::Arguments)?;
        let last = &told.last()?.text;
        let count = u32::try_from(told.iter().filter(|given| given.text == *last).count()).unwrap_or(u32::MAX);
        let of_last = |event: &u64| around.next.of(*event, Way::Arguments).is_some_and(|given| given.text == *last);
        let successes = around.next.successes(self.events().into_iter().filter(of_last));
        let tool = self.callers();
        // What cured the others may be told, too.
        let other =
            self.ran(around).filter(|_| count < self.failures).map(|ran| format!("; or {ran}")).unwrap_or_default();
        (count.saturating_mul(2) >= self.failures)
            .then(|| format!("call {tool} in another way: {last}; {}{other}", proof(count, self.failures, successes)))
    }

    /// How long after the refusal the same call worked.
    pub(super) fn repeated(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Again)?;
        Some(format!(
            "tell the agent to wait and to make the same call again: it worked {}later{}",
            told.last()?.text,
            self.often(count)
        ))
    }

    /// Whether a command cured all of these failures that brings something to the agent's environment.
    pub(super) fn is_cured(&self, around: Around<'_>) -> bool {
        let is_in_the_way =
            matches!(self.cause, Cause::Exists | Cause::PortInUse | Cause::InUse | Cause::Locked | Cause::Busy);
        let cured = |event: &u64| [Way::Ran, Way::Passed].iter().any(|way| around.next.of(*event, *way).is_some());
        !is_in_the_way && self.events().iter().all(cured)
    }

    /// The command that brought what was missing before the same call worked, or went on to another error.
    pub(super) fn ran(&self, around: Around<'_>) -> Option<String> {
        let most = |way| {
            let (told, _) = self.remedies(around, way)?;
            let texts = counted(told.iter().map(|remedy| remedy.text.as_str()));
            let (text, count) = *texts.first()?;
            (count.saturating_mul(2) >= self.failures).then(|| (text.to_owned(), self.often(count)))
        };
        if let Some((text, often)) = most(Way::Ran) {
            return Some(format!("have the agent run {text} first: the same call worked after it{often}"));
        }
        let (text, often) = most(Way::Passed)?;
        Some(format!("have the agent run {text} first: this error did not come again after it{often}"))
    }

    /// Changes that were committed or put aside before git did it.
    pub(super) fn committed(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Git)?;
        Some(format!(
            "have the agent commit or stash its changes first: the same worked after {}{}",
            told.last()?.text,
            self.often(count)
        ))
    }

    /// The files whose edits made the failed calls work.
    pub(super) fn edited(&self, around: Around<'_>) -> Option<String> {
        if self.cause.is_about_edits() || self.cause == Cause::Before {
            return None;
        }
        let works = if self.cause == Cause::Tests { "the tests passed" } else { "it worked" };
        let texts = self.members.iter().filter_map(|member| around.next.of(member.event, Way::Edit));
        let texts = counted(texts.map(|remedy| remedy.text.as_str()));
        if let Some((text, count)) = texts.first().filter(|(_, count)| count.saturating_mul(2) >= self.failures) {
            return Some(format!("the agent edited {text}, then {works}{}", self.often(*count)));
        }
        // The same failure came again until then.
        let last = around.next.of(self.members.last()?.event, Way::Edit)?;
        Some(format!("after the last of these, the agent edited {}, then {works}", last.text))
    }

    /// What to do about a server that does not answer although it was started.
    pub(super) fn served(&self, around: Around<'_>) -> Option<String> {
        let is_local = self.frequent_names().iter().any(|host| is_local(host));
        if self.cause != Cause::Network || !is_local {
            return None;
        }
        let count = around.next.served(&self.events());
        (count > 0 && count.saturating_mul(2) >= self.failures).then(|| {
            format!(
                "have the agent read what the server printed before it starts it again: one had been started in the same session{}",
                self.of_cases(count)
            )
        })
    }

    /// What to do about credentials that were refused, if the same session got in with them.
    pub(super) fn refused(&self, around: Around<'_>) -> Option<String> {
        let count = if self.cause == Cause::Login { around.next.refused(&self.events()) } else { 0 };
        (count > 0 && count.saturating_mul(2) >= self.failures).then(|| {
            format!(
                "look at what changed on the other side: the same session got into this account without a new login{}",
                self.of_cases(count)
            )
        })
    }

    /// The server that answered the same call, if most of these asked the same other one.
    pub(super) fn other_server(&self, around: Around<'_>) -> Option<String> {
        let servers =
            |correction: &'_ Correction| servers(correction).map(|(one, other)| (one.to_owned(), other.to_owned()));
        let (before, after) = self.corrections(around).filter_map(servers).last()?;
        let count = |fits: &dyn Fn(&Failure) -> bool| self.newest.iter().filter(|failure| fits(failure)).count();
        let asks = count(&|failure| failure.input.contains(before.as_str()));
        (asks * 2 >= count(&|_| true))
            .then(|| format!("ask `{after}` instead of `{before}`: the same call worked there next"))
    }

    /// The step that made later what was not found.
    pub(super) fn made(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Made)?;
        Some(format!("have the agent run {} first: it made this path later{}", told.last()?.text, self.often(count)))
    }

    /// Whether later calls show where all these paths are, or made them.
    pub(super) fn is_found(&self, around: Around<'_>) -> bool {
        let all = |way| self.members.iter().all(|member| around.next.of(member.event, way).is_some());
        all(Way::Elsewhere) || all(Way::Made)
    }

    /// The path of the same file with which later calls worked.
    pub(super) fn elsewhere(&self, around: Around<'_>) -> Option<String> {
        let (found, count) = self.remedies(around, Way::Elsewhere)?;
        let last = found.last()?;
        let paths = counted(found.iter().map(|remedy| remedy.text.as_str()));
        let (path, _) = paths.first()?;
        let is_one = found
            .iter()
            .all(|other| base(&other.text) == base(&last.text) && base(&other.before) == base(&last.before));
        let path = format!("`{path}` instead of `{}`", last.before);
        Some(if is_one {
            let often =
                if count == self.failures { String::new() } else { format!(", after {count} of {}", self.failures) };
            format!("use the path {path}: a later call found it{often}")
        } else {
            format!(
                "look where a file is before its path is used: a later call found it elsewhere after {count} of {} failures, such as \
                 {path}",
                self.failures
            )
        })
    }

    /// What to do if the call right before writes what is read.
    pub(super) fn too_early(&self, around: Around<'_>) -> Option<String> {
        if self.cause != Cause::Path {
            return None;
        }
        let count = around.written.early(&self.events());
        (count > 0 && count.saturating_mul(2) >= self.failures).then(|| {
            let which = if count == self.failures { "each of these".to_owned() } else { format!("{count} of {}", self.failures) };
            format!(
                "have the agent write a file first, and read it in the next step: {which} came right after a call that writes \
                 the file"
            )
        })
    }

    /// The commands that installed what was missing, later in the same sessions.
    pub(super) fn installed(&self, around: Around<'_>) -> Option<String> {
        if !matches!(self.cause, Cause::Program | Cause::Module | Cause::Error) {
            return None;
        }
        let found = self.members.iter().filter_map(|member| around.next.of(member.event, Way::Install));
        let mut commands: Vec<&str> = Vec::new();
        for found in found {
            if !commands.contains(&found.text.as_str()) {
                commands.push(&found.text);
            }
        }
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let shown = commands.get(..commands.len().min(2)).unwrap_or_default();
        let lacks = |name: &&str| !commands.iter().any(|command| installs::names(command, name));
        let missing = if self.cause == Cause::Error { Vec::new() } else { self.frequent_names() };
        let rest: Vec<&str> = missing.into_iter().filter(lacks).take(3).collect();
        let (it, they) = if shown.len() == 1 { ("it", "it") } else { ("them", "they") };
        (!shown.is_empty()).then(|| {
            let rest = if rest.is_empty() { String::new() } else { format!("; install {}, too", quoted(&rest)) };
            format!(
                "run {} when the agent's environment is set up: the agent ran {it} later, and {they} worked{rest}",
                quoted(shown)
            )
        })
    }

    /// The advice, with a call that did the same and worked.
    pub(super) fn with_example(&self, advice: String, around: Around<'_>) -> String {
        let is_work =
            matches!(self.cause, Cause::Tests | Cause::Problems | Cause::Before | Cause::Scratch | Cause::Unparsed)
                || self.cause.is_about_edits();
        let may_be_work = matches!(self.cause, Cause::Error | Cause::Silent);
        let worked: Vec<&str> = self.members.iter().filter_map(|member| around.next.instead(member.event)).collect();
        let count = u32::try_from(worked.len()).unwrap_or(u32::MAX);
        let instead = worked
            .last()
            .filter(|_| count.saturating_mul(2) >= self.failures && !is_work && (!may_be_work || advice.is_empty()));
        if let Some(example) = instead {
            let often = if self.failures == 1 {
                String::new()
            } else {
                format!(" after {count} of {} failures", self.failures)
            };
            let tells = format!("the agent then ran `{example}`, which worked{often}");
            return if advice.is_empty() { tells } else { format!("{advice}; {tells}") };
        }
        let example = self.members.iter().rev().find_map(|member| around.next.of(member.event, Way::Example));
        match example {
            Some(example) if advice.is_empty() => format!(
                "say in the agent's instructions how `{}` is called here; this worked later: `{}`",
                self.program(),
                example.text
            ),
            Some(example) => format!("{advice}; this worked later: `{}`", example.text),
            None => advice,
        }
    }
}
