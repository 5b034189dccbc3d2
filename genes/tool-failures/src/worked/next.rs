//! What worked next: for each failed call, the later call of its session that did the same and worked, and what explains that.
//!
//! A failed call waits, with what it was and what it said. Each later call of its session is compared with it by the rows of
//! [`RULES`], the best first. A row holds only if the later call shows that it worked, and if the failure does not come again:
//! then what was found for it is forgotten, and it waits anew. What the agent did in between, such as an edit or an install,
//! explains a success better than an option that differs; [`Between`] keeps it.
//!
//! Memory is bounded: [`MAX_OPEN`] failed calls are known, with [`MAX_BYTES`] bytes of each text, and [`MAX_FOUND`] remedies.

use std::cell::OnceCell;

use gephost_gene::run_log::{Correction, Difference};

use crate::by_number::ByNumber;
use crate::call::{Call, hash, is_editor};
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::command::paths::base;
use crate::command::remote::remote;
use crate::command::shell::Act;
use crate::order::{self, push_newest};
use crate::output::line::normal_hash;
use crate::output::names::{file, names_word};
use crate::output::vocabulary::Words;
use crate::worked::act::{Worked, asks, has_same_script, is_same, of_failure};
use crate::worked::added::Added;
use crate::worked::between::{Between, Does};
use crate::worked::looked::Looked;
use crate::worked::proof::{is_controlled, is_unchanged, lasts, proven, shown};
use crate::worked::rules::{RULES, Rule, found_elsewhere, installs_it, not_started, stated};
use crate::worked::steps::named_cure;
use crate::worked::tried::Tried;
use crate::worked::waiting::{Remedy, Waiting, Way};

const MAX_OPEN: usize = 64;
const MAX_FOUND: usize = 4096;
/// Most steps that are known to have helped nothing.
const MAX_VAIN: usize = 4;
/// Most bytes of a command that are kept, and of an output in which names are looked for.
const MAX_BYTES: usize = 4096;
/// After how many calls that worked a server may be started to which a failed call looked.
const NEXT_CALLS: u32 = 4;
/// Longest command that is shown as an example, in bytes.
const MAX_EXAMPLE: usize = 120;

/// What commands have in common that may show into which account a session got.
static SAYS_WHO: Words = Words::of(&["ssh ", ASKS_WHO[0], ASKS_WHO[1], ASKS_WHO[2]]);
/// The ends of commands that ask who is logged in.
const ASKS_WHO: [&str; 3] = ["whoami", "auth status", "get-caller-identity"];

/// What is known of all failed calls.
#[derive(Debug, Default)]
pub(crate) struct Next {
    open: Vec<Waiting>,
    /// By the number of the failed call.
    found: ByNumber<Remedy>,
    /// Sessions in which a server was started.
    servers: Vec<u32>,
    /// Failed calls that reached no server, after one had been started.
    served: Vec<u64>,
    /// Failed calls that only ask whether the program is there which they did not find.
    probes: Vec<u64>,
    /// Failed calls that reached no server, before one was started.
    started: Vec<u64>,
    /// Accounts that a session got into without a login since: the host of `ssh`, or the program that said who is logged in.
    accounts: Vec<(u32, String)>,
    /// Calls whose credentials were refused, although their session got into the same account with them.
    refused: Vec<u64>,
    /// The commands that the host found to have worked next, by the number of the failed call.
    instead: ByNumber<String>,
    /// The calls that worked and to which a remedy is owed, by the number of the failed call.
    worked: ByNumber<u64>,
    /// The commands of those for which nothing else speaks, as they are shown.
    alone: ByNumber<String>,
    tried: Tried,
    looked: Looked,
}

impl Next {
    /// Adds a failed call. Returns the failed calls that were the same, and whose correction by the host it disproves.
    pub(crate) fn fail(&mut self, call: &Call<'_>, failure: &Classified<'_>, key: u64, missing: &str) -> Vec<u64> {
        let (mut disproved, mut vain) = (Vec::new(), Vec::new());
        for open in self.open.iter_mut().filter(|open| open.session == call.session && open.key == key) {
            if self.found.get(open.event).is_some_and(|remedy| remedy.way != Way::Stated) {
                self.found.remove(open.event);
            }
            if std::mem::take(&mut open.is_loose) {
                self.instead.remove(open.event);
                disproved.push(open.event);
            }
            let between = std::mem::take(&mut open.between);
            for step in open.vain.drain(..).chain(between.steps()) {
                if vain.len() < MAX_VAIN && !vain.contains(&step) {
                    vain.push(step);
                }
            }
            open.vain.clone_from(&vain);
            (open.rank, open.calls, open.came_again) = (RULES.len(), 0, true);
            (open.added, open.is_reformed, open.lasts) = (None, false, false);
        }
        // What was edited before is not all that it took: the same command now fails in another way.
        let begin = begin(call.input);
        for open in self.open.iter_mut().filter(|open| open.session == call.session && open.key != key) {
            let is_again = open.input == begin && open.tool == call.name;
            open.between.is_half |= is_again;
            let is_open = is_again && self.found.len() < MAX_FOUND && self.found.get(open.event).is_none();
            if let Some(cure) = if is_open { named_cure(open) } else { None } {
                self.found.insert(open.event, Remedy::of(Way::Passed, format!("`{cure}`")));
            }
        }
        self.pass(call);
        let not_started = if failure.cause == Cause::Network { not_started(call.output) } else { None };
        let may_be_served = failure.cause == Cause::Network && not_started.is_none();
        if may_be_served && self.servers.contains(&call.session) && self.served.len() < MAX_FOUND {
            self.served.push(call.event);
        }
        if failure.cause == Cause::Program && self.probes.len() < MAX_FOUND && asks_for(call.input, &failure.names) {
            self.probes.push(call.event);
        }
        if failure.cause == Cause::Login {
            let is_of = |account: &str| is_of_account(call.input, failure.line, account);
            if self.accounts.iter().any(|(session, account)| *session == call.session && is_of(account)) {
                self.refuse(call.event);
            }
        }
        self.tried.fail(call, failure);
        self.looked.fail(call, failure, missing);
        let waiting = Waiting {
            session: call.session,
            event: call.event,
            time: call.time,
            key,
            calls: 0,
            tool: call.name.to_owned(),
            input: start(call.input),
            output: start(call.output),
            line: start(failure.line),
            cause: failure.cause,
            program: failure.program.clone(),
            names: failure.names.clone(),
            missing: missing.to_owned(),
            own: Between::of(&Call { failed: false, ..*call }, Does::of(call.input)),
            between: Between::default(),
            vain,
            added: None,
            act: OnceCell::new(),
            step: OnceCell::new(),
            rank: RULES.len(),
            is_loose: false,
            came_again: false,
            is_reformed: false,
            lasts: false,
        };
        push_newest(&mut self.open, waiting, MAX_OPEN);
        if let Some(text) = stated(call.output).or(not_started).filter(|_| self.found.len() < MAX_FOUND) {
            self.found.insert(call.event, Remedy::of(Way::Stated, text));
        }
        disproved
    }

    /// Adds a call that worked. Returns the failed calls that worked with it as they were, so that the host's correction was not
    /// needed.
    pub(crate) fn work(&mut self, worked: &Worked<'_>, runs_commands: bool) -> Vec<u64> {
        let call = worked.call;
        self.looked.work(call);
        self.pass(call);
        let may_tell = runs_commands && SAYS_WHO.are_in(call.input);
        if !may_tell && !self.open.iter().any(|open| open.session == call.session) {
            return Vec::new();
        }
        self.tried.work(worked);
        if let Some(account) = account(worked).filter(|_| may_tell) {
            self.reach(call.session, account);
        }
        if worked.is_under_way() {
            return Vec::new();
        }
        let needless = self.withdraw(worked);
        for at in 0..self.open.len() {
            let Some(open) = self.open.get_mut(at).filter(|open| open.session == call.session) else { continue };
            open.calls = open.calls.saturating_add(1);
            let (calls, rank) = (open.calls, open.rank);
            let rules = RULES.iter().enumerate().take(rank).filter(|(_, rule)| calls <= rule.calls);
            let Some(open) = self.open.get(at) else { continue };
            let proof = |rule: &Rule| proven((rule.find)(open, worked)?, open, worked, &self.open);
            let remedy = { rules }.find_map(|(rank, rule)| Some((rank, proof(rule)?)));
            if let Some((rank, remedy)) = remedy.filter(|_| self.found.len() < MAX_FOUND) {
                self.find(at, rank, remedy, worked);
            }
        }
        needless
    }

    /// Keeps what a call shows to have helped a failed one.
    fn find(&mut self, at: usize, rank: usize, remedy: Remedy, worked: &Worked<'_>) {
        let Some(open) = self.open.get_mut(at) else { return };
        open.rank = rank;
        open.is_reformed |= remedy.way.is_of_form();
        open.lasts |= lasts(worked.call.input);
        if is_controlled(&remedy, open) {
            self.alone.remove(open.event);
        } else {
            self.alone.insert(open.event, shown(worked.call.input));
        }
        self.worked.insert(open.event, worked.call.event);
        self.found.insert(open.event, remedy);
    }

    /// Forgets the other form of each failed call that now works as it was. What lies between the two may be the reason.
    fn withdraw(&mut self, worked: &Worked<'_>) -> Vec<u64> {
        let mut needless = Vec::new();
        let may_be = |open: &&mut Waiting| open.session == worked.call.session && open.is_reformed && !open.lasts;
        for open in self.open.iter_mut().filter(may_be).filter(|open| is_unchanged(open, worked)) {
            if self.found.get(open.event).is_some_and(|remedy| remedy.way.is_of_form()) {
                self.found.remove(open.event);
                open.rank = RULES.len();
            }
            self.instead.remove(open.event);
            (open.is_reformed, open.is_loose) = (false, false);
            needless.push(open.event);
        }
        needless
    }

    /// How many calls worked after these failures: one may come after several.
    pub(crate) fn successes(&self, failures: impl Iterator<Item = u64>) -> u32 {
        let mut worked: Vec<u64> = failures.filter_map(|failed| self.worked.get(failed).copied()).collect();
        order::sort(&mut worked);
        worked.dedup();
        u32::try_from(worked.len()).unwrap_or(u32::MAX)
    }

    /// Adds a call that failed for another reason than a path: the paths in it are there.
    pub(crate) fn find_paths(&mut self, call: &Call<'_>) {
        let worked = Worked::of(call, false);
        for open in self.open.iter().filter(|open| open.session == call.session && open.rank == RULES.len()) {
            let remedy = found_elsewhere(open, &worked).and_then(|remedy| proven(remedy, open, &worked, &self.open));
            if let Some(remedy) = remedy.filter(|_| self.found.len() < MAX_FOUND) {
                self.found.insert(open.event, remedy);
            }
        }
    }

    /// Whether the difference that the host found explains that a call worked in place of a failed one.
    pub(crate) fn credits(&mut self, correction: &Correction, worked: &Worked<'_>) -> bool {
        let call = worked.call;
        let Some(open) = self.open.iter_mut().find(|open| open.event == correction.failed) else { return true };
        let touches = names_word(&open.line, &correction.before) || names_word(&open.line, &correction.after);
        let is_bound = match correction.difference {
            Difference::Directory | Difference::Path => is_bound_to_a_place(open.cause),
            Difference::TimeLimit => open.cause == Cause::Timeout,
            _ => false,
        };
        let is_explained = touches || is_bound || open.between.is_empty();
        // `X` became `X-sdk`: nothing says that the one is the other. `python3` is `python`.
        let rest = correction.after.strip_prefix(&correction.before).unwrap_or_default();
        let grew = !touches
            && !correction.before.is_empty()
            && rest.contains(|c: char| c.is_alphabetic())
            && correction.difference != Difference::Path;
        let does_the_same = match correction.difference {
            Difference::Program | Difference::Directory | Difference::TimeLimit => of_failure(open).is_none_or(|act| {
                correction.difference == Difference::Program
                    || worked.shown(|other| is_same(open, &act, other)).is_some()
            }),
            Difference::Subcommand => true,
            _ => of_failure(open).is_none_or(|act| worked.shown(|other| is_same(open, &act, other)).is_some()),
        };
        let credits = is_explained
            && !grew
            && does_the_same
            && !worked.has_error()
            && !worked.is_under_way()
            && !installs_it(open, worked)
            && !asks(worked, &open.input)
            && has_same_script(&open.input, call.input);
        if let Some(made) = made_environment(open, correction).filter(|_| self.found.len() < MAX_FOUND) {
            self.found.insert(correction.failed, Remedy::of(Way::Ran, format!("`{made}`")));
            return false;
        }
        // The same work in another folder is other work, unless the error is about a place.
        let is_other_work = correction.difference == Difference::Directory
            && !correction.before.is_empty()
            && !correction.after.is_empty()
            && !touches
            && !is_bound_to_a_place(open.cause);
        let credits = credits && !is_other_work;
        open.is_loose = credits && !touches;
        let is_form = !matches!(
            correction.difference,
            Difference::Repeated
                | Difference::Later
                | Difference::ReadBefore
                | Difference::Whitespace
                | Difference::TimeLimit
        );
        open.is_reformed |= credits && is_form;
        open.lasts |= lasts(call.input);
        // The program ran both times: another way to write it explains nothing, where the folder differs as well.
        let is_same_program = correction.difference == Difference::Program
            && base(&correction.before) == base(&correction.after)
            && !matches!(open.cause, Cause::Program | Cause::Module | Cause::OwnModule | Cause::WrongModule);
        let folder =
            Some(call).filter(|_| credits && is_same_program).and_then(|call| other_folder(&open.input, call.input));
        if let Some(folder) = folder.filter(|_| self.found.len() < MAX_FOUND) {
            self.found.insert(correction.failed, Remedy::of(Way::Word, format!("run it in `{folder}`")));
        }
        let is_short = |text: &str| text.len() <= MAX_EXAMPLE && !text.contains('\n') && !text.contains("||");
        let command = call.input.trim();
        if credits && touches && is_short(command) && self.instead.len() < MAX_FOUND {
            self.instead.insert(correction.failed, command.to_owned());
        }
        credits
    }

    /// The command that worked next, if nothing but this call speaks for the remedy of a failed call; empty if it is long.
    pub(crate) fn alone(&self, event: u64) -> Option<&str> {
        self.alone.get(event).map(String::as_str)
    }

    /// What the sessions did after a failure.
    pub(crate) fn tried(&self) -> &Tried {
        &self.tried
    }

    /// How many of these failures came right after a look at what they are about.
    pub(crate) fn looked(&self, events: &[u64]) -> u32 {
        self.looked.before(events)
    }

    /// What to do about a failed call, if it is of this kind.
    pub(crate) fn of(&self, event: u64, way: Way) -> Option<&Remedy> {
        self.found.get(event).filter(|remedy| remedy.way == way)
    }

    /// How many of these failed calls reached no server, although the session had started one.
    pub(crate) fn served(&self, events: &[u64]) -> u32 {
        u32::try_from(events.iter().filter(|event| self.served.contains(event)).count()).unwrap_or(u32::MAX)
    }

    /// Whether all these failed calls only ask whether a program is there.
    pub(crate) fn are_probes(&self, events: &[u64]) -> bool {
        !events.is_empty() && events.iter().all(|event| self.probes.contains(event))
    }

    /// Whether a server was started next after all these failed calls.
    pub(crate) fn are_started(&self, events: &[u64]) -> bool {
        !events.is_empty() && events.iter().all(|event| self.started.contains(event))
    }

    /// The command that worked in place of a failed one, and differs in a word that its error names.
    pub(crate) fn instead(&self, event: u64) -> Option<&str> {
        self.instead.get(event).map(String::as_str)
    }

    /// A session got into an account: so it did before, if it has not logged in since.
    fn reach(&mut self, session: u32, account: String) {
        let is_refused = |open: &&Waiting| {
            let is_of = is_of_account(&open.input, &open.line, &account);
            open.session == session && open.cause == Cause::Login && is_of && !open.between.logs_in
        };
        let refused: Vec<u64> = self.open.iter().filter(is_refused).map(|open| open.event).collect();
        for event in refused {
            self.refuse(event);
        }
        let known = (session, account);
        if self.accounts.len() < MAX_FOUND && !self.accounts.contains(&known) {
            self.accounts.push(known);
        }
    }

    fn refuse(&mut self, event: u64) {
        if self.refused.len() < MAX_FOUND && !self.refused.contains(&event) {
            self.refused.push(event);
        }
    }

    /// How many of these calls had their credentials refused, although their session got into the same account with them.
    pub(crate) fn refused(&self, events: &[u64]) -> u32 {
        u32::try_from(events.iter().filter(|event| self.refused.contains(event)).count()).unwrap_or(u32::MAX)
    }

    /// What a call changed lies between the failed calls before it and what works after it.
    fn pass(&mut self, call: &Call<'_>) {
        let is_waited_for = self.open.iter().any(|open| open.session == call.session);
        let is_without_server = self.servers.len() < MAX_FOUND && !self.servers.contains(&call.session);
        let has_account = self.accounts.iter().any(|(session, _)| *session == call.session);
        if !is_waited_for && !is_without_server && !has_account {
            return;
        }
        let does = Does::of(call.input);
        if does.serve {
            if is_without_server {
                self.servers.push(call.session);
            }
            let is_next = |open: &&Waiting| {
                !call.failed && open.session == call.session && open.cause == Cause::Network && open.calls <= NEXT_CALLS
            };
            if self.started.len() < MAX_FOUND {
                self.started.extend(self.open.iter().filter(is_next).map(|open| open.event));
            }
        }
        if does.login {
            self.accounts.retain(|(session, _)| *session != call.session);
        }
        if !is_waited_for {
            return;
        }
        let seen = Between::of(call, does);
        if seen.tells_nothing() {
            return;
        }
        let added = if !call.failed && is_editor(call.name) { Added::of(call.input) } else { None };
        // The same call again lies not between itself and what it does.
        let begin = begin(call.input);
        for open in self.open.iter_mut().filter(|open| open.session == call.session && open.input != begin) {
            let first = open.program.split(' ').next().filter(|first| !first.is_empty());
            let is_again = first.is_some_and(|first| call.input.contains(first));
            if let Some(name) = added.as_ref().and_then(|added| added.named_in(&open.line)) {
                open.added = Some(name);
            }
            if is_again { open.between.add(&seen.without(&open.own)) } else { open.between.add(&seen) }
        }
    }
}

/// The folder to which a command changes first, if the other command does not.
fn other_folder<'a>(failed: &str, worked: &'a str) -> Option<&'a str> {
    let folder = |input: &'a str| {
        let (folder, _) = input.trim_start().strip_prefix("cd ")?.split_once("&&")?;
        Some(folder.trim().trim_matches(['"', '\'']))
    };
    let folder = folder(worked).filter(|folder| !folder.is_empty() && folder.len() <= MAX_EXAMPLE)?;
    let stays = !failed.contains("cd ") || !failed.contains(folder);
    (stays && !folder.contains(['$', ';', '|', '\n'])).then_some(folder)
}

/// The account that a call shows to be open: the host of `ssh`, or the program that says who is logged in.
fn account(worked: &Worked<'_>) -> Option<String> {
    let says_who = |act: &Act<'_>| {
        let words = act.arguments().join(" ");
        ASKS_WHO.iter().any(|asks| words.split(" -").next().is_some_and(|words| words.ends_with(asks)))
    };
    let act = worked.shown(|act| act.step.program == "ssh" || says_who(act))?;
    let account = remote(act).map_or(act.step.program, |(host, _)| host);
    (account.len() <= MAX_EXAMPLE).then(|| account.to_owned())
}

/// What tells failures apart: what is missing, or else the message, the first name in it, and the file that a tool works on.
pub(crate) fn key(failure: &Classified<'_>, input: &str) -> u64 {
    let name = failure.names.first().map_or(0, |name| hash(1, name.as_bytes()));
    if matches!(failure.cause, Cause::Program | Cause::Module) && name != 0 {
        return name;
    }
    let file = if input.trim_start().starts_with('{') { file(input) } else { None };
    normal_hash(failure.line) ^ name ^ file.map_or(0, |file| hash(2, file.as_bytes()))
}

/// Whether a failure may be about the folder or the path of a call.
fn is_bound_to_a_place(cause: Cause) -> bool {
    cause.is_about_paths()
        || matches!(
            cause,
            Cause::Script
                | Cause::Module
                | Cause::OwnModule
                | Cause::NoTests
                | Cause::Outside
                | Cause::GitName
                | Cause::Program
        )
}

/// Whether a command asks whether these programs are there: `which x`, `x --version`.
fn asks_for(input: &str, names: &[String]) -> bool {
    let asks = |name: &String| {
        let before = ["which ", "command -v ", "type ", "where ", "Get-Command "];
        let behind = [" --version", " -V", " -v ", " version"];
        before.iter().any(|words| input.contains(&format!("{words}{name}")))
            || behind.iter().any(|words| input.contains(&format!("{name}{words}")))
    };
    !names.is_empty() && names.iter().all(asks)
}

/// As much of a text as is kept.
fn begin(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default()
}

/// The step in between that made the environment in which a program then worked: before, there was none to call it in.
fn made_environment(open: &Waiting, correction: &Correction) -> Option<String> {
    let is_of_environment = correction.difference == Difference::Program && correction.after.contains("venv");
    let makes = |step: &&String| ["-m venv", "uv venv", "virtualenv "].iter().any(|words| step.contains(words));
    open.between.cures.iter().find(makes).filter(|_| is_of_environment).cloned()
}

fn start(text: &str) -> String {
    begin(text).to_owned()
}

/// Whether credentials of this account were refused. A command that runs on another host names that one, whatever refuses it.
fn is_of_account(input: &str, line: &str, account: &str) -> bool {
    let is_host = account.contains(['@', '.']);
    names_word(line, account) || !is_host && names_word(input, account)
}
