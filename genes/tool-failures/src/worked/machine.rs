//! What the calls of the log show of the machine: which programs run there, which do not, where the agent is not root, and on
//! which packages the project depends.
//!
//! Memory is bounded: [`MAX_PROGRAMS`] programs, [`MAX_SESSIONS`] sessions and [`MAX_PACKAGES`] packages.

use crate::by_number::{ByNumber, Numbers};
use crate::call::{Call, hash};
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::command::paths::base;
use crate::command::shell::{Act, acts};
use crate::output::host::host;
use crate::output::names::names_word;
use crate::output::vocabulary::Words;
use crate::worked::act::{Worked, is_error};

const MAX_PROGRAMS: usize = 4096;
const MAX_SESSIONS: usize = 4096;
const MAX_PACKAGES: usize = 4096;
const MAX_TIMED: usize = 4096;
const MAX_HOSTS: usize = 4096;
const MAX_SCRIPTS: usize = 64;
const MAX_SCRIPT: usize = 40;
/// If so many different commands at the end of a session did not end in time, their shell is the reason.
const STUCK: u32 = 3;
/// Only this many bytes of an input are read for the host that it names.
const INPUT_BYTES: usize = 512;
/// Only this many bytes of an output are read.
const READ_BYTES: usize = 16_384;

/// How programs say that only root may do something.
static FOR_ROOT: Words =
    Words::of(&["EACCES", "ermission denied", "re you root", "must be root", "uperuser privilege"]);

/// How systems say that a process may make no connection.
static FORBIDS: Words = Words::of(&[
    "forbidden by its access permissions",
    "os error 10013",
    "connect EPERM",
    "connect: operation not permitted",
    "connect EACCES",
]);

/// How a failed call shows that the agent runs in a sandbox.
static CONFINES: Words = Words::of(&[
    "read-only sandbox",
    "by the sandbox",
    "by sandbox",
    "sandbox denied",
    "sandbox: deny",
    "outside of the sandbox",
    "seatbelt",
    "MachPortRendezvousServer",
]);

/// The newest commands of a session, none of which ended in time.
#[derive(Debug, Clone, Copy, Default)]
struct TimedOut {
    count: u32,
    /// The hash of the first one's program.
    program: u64,
    are_different: bool,
}

/// What is known of the machine.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    /// The hashes of programs that ran, however they ended.
    runs: Numbers,
    /// The hashes of programs that were not found.
    lacks: Numbers,
    /// Sessions whose agent is not root.
    bound: Numbers,
    /// Sessions in which git refused a folder because another user owns it.
    of_others: Numbers,
    /// Sessions in which the system forbade a connection.
    cut_off: Numbers,
    /// The hashes of the packages on which projects depend.
    packages: Numbers,
    /// The scripts of the newest package.json that a call showed.
    scripts: Vec<String>,
    /// The sessions in which commands did not end in time, and those since the last one that ended.
    timed_out: ByNumber<TimedOut>,
    /// After how many milliseconds the calls were ended that did not end in time.
    ended_after: ByNumber<u32>,
    /// Sessions that run in a sandbox.
    confined: Numbers,
    /// The hashes of the hosts that a call reached.
    reached: Numbers,
}

impl Machine {
    /// Adds a call that worked.
    pub(crate) fn work(&mut self, worked: &Worked<'_>) {
        let call = worked.call;
        // Behind `||` and in a chain with `;`, a program need not have run.
        let hides = || ["||", "/dev/null"].iter().any(|words| call.input.contains(words));
        if !worked.acts.is_empty() && !hides() {
            let may_lack = call.output.contains("not found");
            for act in worked.acts.iter().filter(|act| !may_lack || !says_missing(call.output, act.step.program)) {
                self.run(act);
            }
        }
        // A text that has an address does not ask its server, and the whole output may be long.
        let asks = |act: &Act<'_>| {
            matches!(act.step.program, "curl" | "wget" | "http" | "xh")
                || act.step.program == "git" && act.step.task() == "clone"
        };
        let begins_with_error = || call.output.lines().next().is_some_and(is_error);
        let input = call.input.get(..call.input.floor_char_boundary(INPUT_BYTES)).unwrap_or_default();
        if (worked.acts.iter().any(asks) || call.name.contains("etch"))
            && !hides()
            && !call.input.ends_with('&')
            && !begins_with_error()
            && let Some(host) = host(input)
        {
            self.reached.insert(hash(0, host.as_bytes()), MAX_HOSTS);
        }
        // What a tool for files does needs no shell.
        if !worked.acts.is_empty() {
            self.timed_out.remove(u64::from(call.session));
        }
        if says_user(call) {
            self.bound.insert(u64::from(call.session), MAX_SESSIONS);
        }
        self.read_packages(call);
    }

    /// Adds a call that failed.
    pub(crate) fn fail(&mut self, call: &Call<'_>, failure: &Classified<'_>) {
        if call.output.contains("dubious ownership") {
            self.of_others.insert(u64::from(call.session), MAX_SESSIONS);
        }
        if failure.cause == Cause::Timeout {
            self.time_out(call, failure);
        } else if !may_not_run(failure.cause) {
            self.timed_out.remove(u64::from(call.session));
        }
        if CONFINES.are_in(failure.line) {
            self.confined.insert(u64::from(call.session), MAX_SESSIONS);
        }
        if failure.cause == Cause::Network && FORBIDS.are_in(call.output) {
            self.cut_off.insert(u64::from(call.session), MAX_SESSIONS);
        }
        // The Python that looked for a module is there.
        if failure.line.contains("No module named ") {
            acts(call.input).last().into_iter().for_each(|act| self.start(act));
        }
        match failure.cause {
            Cause::Program => {
                for name in &failure.names {
                    self.lacks.insert(key(name), MAX_PROGRAMS);
                }
            }
            Cause::Access if FOR_ROOT.are_in(failure.line) => {
                self.bound.insert(u64::from(call.session), MAX_SESSIONS);
            }
            cause if !may_not_run(cause) => {
                let first = failure.program.split(' ').next().unwrap_or_default();
                if let Some(act) = acts(call.input).iter().rfind(|act| act.step.program == first) {
                    self.run(act);
                }
            }
            _ => {}
        }
    }

    /// A command that did not end in time.
    fn time_out(&mut self, call: &Call<'_>, failure: &Classified<'_>) {
        if self.timed_out.len() < MAX_SESSIONS || self.timed_out.has(u64::from(call.session)) {
            let program = key(&failure.program);
            let known =
                self.timed_out.get_or_insert(u64::from(call.session), || TimedOut { program, ..TimedOut::default() });
            known.count = known.count.saturating_add(1);
            known.are_different |= known.program != program;
        }
        if let Some(ms) = call.duration_ms.filter(|ms| *ms > 0.0 && self.ended_after.len() < MAX_TIMED) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a longer time is as long")]
            self.ended_after.insert(call.event, ms as u32);
        }
    }

    /// What stands in front of a program and ran: `python3 -m`, `npx`.
    fn start(&mut self, act: &Act<'_>) {
        for word in act.prefixes().iter().filter(|word| !word.contains('=') && !word.starts_with('-')) {
            self.runs.insert(key(word), MAX_PROGRAMS);
        }
    }

    /// A step that ran: its program, and what refusals call it: `git push`, `rm -rf`.
    fn run(&mut self, act: &Act<'_>) {
        self.start(act);
        let program = key(act.program());
        let (first, second) = (act.arguments().first(), act.arguments().get(1));
        let with = |before: u64, word: &str| hash(before, word.as_bytes());
        let task =
            Some(act.step.task()).filter(|task| !task.is_empty()).map(|task| task.split(' ').fold(program, with));
        let one = first.map(|word| with(program, word));
        let two = one.zip(second).map(|(one, word)| with(one, word));
        for known in [Some(program), task, one, two].into_iter().flatten() {
            self.runs.insert(known, MAX_PROGRAMS);
        }
    }

    /// Whether a call of the log ran this program.
    pub(crate) fn runs(&self, program: &str) -> bool {
        self.runs.has(key(program))
    }

    /// Whether a call of the log did not find this program, and none ran it.
    pub(crate) fn lacks(&self, program: &str) -> bool {
        self.lacks.has(key(program)) && !self.runs(program)
    }

    /// Whether the log shows that the agent of this session is not root.
    pub(crate) fn is_bound(&self, session: u32) -> bool {
        self.bound.has(u64::from(session))
    }

    /// Whether git refused a folder in this session because another user owns it.
    pub(crate) fn is_of_others(&self, session: u32) -> bool {
        self.of_others.has(u64::from(session))
    }

    /// Whether the system forbade a connection in this session: no server was asked.
    pub(crate) fn is_cut_off(&self, session: u32) -> bool {
        self.cut_off.has(u64::from(session))
    }

    /// Whether the last commands of a session did not end in time, whatever they were.
    pub(crate) fn is_stuck(&self, session: u32) -> bool {
        self.timed_out.get(u64::from(session)).is_some_and(|known| known.count >= STUCK && known.are_different)
    }

    /// After how many milliseconds a call was ended that did not end in time, if the log says it.
    pub(crate) fn ended_after(&self, event: u64) -> Option<u32> {
        self.ended_after.get(event).copied()
    }

    /// Whether a call of the log reached this host.
    pub(crate) fn reaches(&self, host: &str) -> bool {
        self.reached.has(hash(0, host.as_bytes()))
    }

    /// Whether the log shows that the agent of this session runs in a sandbox.
    pub(crate) fn is_confined(&self, session: u32) -> bool {
        self.confined.has(u64::from(session)) || self.is_cut_off(session)
    }

    /// Whether a list of dependencies names this package.
    pub(crate) fn is_package(&self, name: &str) -> bool {
        self.packages.has(key(name))
    }

    /// The scripts of the newest package.json that a call showed.
    pub(crate) fn scripts(&self) -> &[String] {
        &self.scripts
    }

    /// Reads the scripts and the dependencies that a package.json lists.
    fn read_packages(&mut self, call: &Call<'_>) {
        let output = call.output.get(..call.output.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        if call.input.contains("package.json")
            && let Some((_, list)) = output.split_once("\"scripts\": {")
        {
            // A command may have any character, but a line ends with each of them.
            let names = list.lines().map(unnumbered).take_while(|line| !line.starts_with('}')).filter_map(script_of);
            self.scripts = names.take(MAX_SCRIPTS).map(str::to_owned).collect();
        }
        for (_, list) in output.match_indices("ependencies\"").filter_map(|(at, _)| output.get(at..)?.split_once('{')) {
            let list = list.split('}').next().unwrap_or_default();
            for name in list.split('"').skip(1).step_by(4).filter(|name| !name.is_empty() && !name.contains(' ')) {
                self.packages.insert(key(name), MAX_PACKAGES);
            }
        }
    }
}

/// A line without the number that a tool puts in front of it.
fn unnumbered(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '→' | '|' | ':'))
        .trim_end()
}

/// The name of a script in a line of package.json: `"build": "tsc",`.
fn script_of(line: &str) -> Option<&str> {
    let (name, command) = line.strip_prefix('"')?.split_once('"')?;
    let is_name = !name.is_empty() && name.len() <= MAX_SCRIPT && !name.contains(['`', ' ']);
    (is_name && command.trim_start().starts_with(':')).then_some(name)
}

/// Whether an output says that this program was not found.
fn says_missing(output: &str, program: &str) -> bool {
    output.lines().any(|line| line.contains("not found") && names_word(line, program))
}

/// Whether a program may not have run at all, if a call failed for this cause.
fn may_not_run(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Program
            | Cause::OtherShell
            | Cause::Shell
            | Cause::Path
            | Cause::Folder
            | Cause::Access
            | Cause::Denied
            | Cause::Forbidden
            | Cause::Refused
            | Cause::Sandbox
            | Cause::DeadShell
            | Cause::Busy
            | Cause::HereDocument
            | Cause::Backslashes
            | Cause::Parameters
            | Cause::Removed
            | Cause::Unwrapped
            | Cause::NotActive
            | Cause::Silent
    )
}

/// Whether a call asked who the user is, and the answer is another one than root.
fn says_user(call: &Call<'_>) -> bool {
    let asks = |word: &str| call.input.trim() == word;
    let said = call.output.trim();
    asks("whoami") && !said.is_empty() && said != "root" && !said.contains(char::is_whitespace)
        || (asks("id") || asks("id -u") && said != "0") && !said.contains("uid=0") && !said.is_empty()
}

/// The hash of a program, with what stands behind it in its name: `git push`.
fn key(name: &str) -> u64 {
    let (program, rest) = name.split_once(' ').map_or((name, None), |(program, rest)| (program, Some(rest)));
    let program = hash(0, base(program).trim_matches(['"', '\'']).as_bytes());
    rest.map_or(program, |rest| rest.split(' ').fold(program, |before, word| hash(before, word.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(calls: &[(&str, &str)]) -> Machine {
        let mut machine = Machine::default();
        for (input, output) in calls {
            machine.work(&Worked::of(&Call { input, output, failed: false, ..Call::FAILED }, true));
        }
        machine
    }

    #[test]
    fn what_ran_is_there() {
        for (input, program, runs) in [
            ("python3 -c 1", "python3", true),
            ("cd a && /usr/bin/python3 a.py | tail", "python3", true),
            ("python3 a.py || true", "python3", false),
            ("command -v python3 2>/dev/null", "python3", false),
            ("ls python3", "python3", false),
            ("node -e 1", "node", true),
        ] {
            assert_eq!(after(&[(input, "fine")]).runs(program), runs, "{input}");
        }
        assert!(!after(&[("python3 a.py; ls", "bash: python3: command not found")]).runs("python3"));
    }

    #[test]
    fn what_refusals_call_a_step_is_known() {
        let machine = after(&[("cd a && npm install --cache x && git -C b push", "fine")]);
        for (name, runs) in [
            ("npm", true),
            ("npm install", true),
            ("npm install --cache", true),
            ("npm ci", false),
            ("git push", true),
            ("rm -rf", false),
        ] {
            assert_eq!(machine.runs(name), runs, "{name}");
        }
    }

    #[test]
    fn who_is_not_root_is_known() {
        for (input, output, is_bound) in [
            ("whoami", "claude", true),
            ("whoami", "root", false),
            ("id", "uid=1000(a) gid=1000(a)", true),
            ("id", "uid=0(root) gid=0(root)", false),
            ("id -u", "1000", true),
            ("id -u", "0", false),
            ("ls", "claude", false),
        ] {
            assert_eq!(after(&[(input, output)]).is_bound(0), is_bound, "{input}: {output}");
        }
    }

    #[test]
    fn the_scripts_of_the_newest_package_are_known() {
        let first = "{\n  \"scripts\": {\n    \"a\": \"x\"\n  }\n}";
        let numbered = "     3→  \"scripts\": {\n     4→    \"build\": \"tsc && echo }\",\n     5→    \"test:e2e\": \"y\"\n     6→  },\n     7→  \"b\": \"c\"";
        let machine = after(&[("cat package.json", first), ("cat a/package.json", numbered)]);
        assert_eq!(machine.scripts(), ["build", "test:e2e"]);
        assert!(after(&[("cat a", "\"scripts\": {")]).scripts().is_empty());
    }

    #[test]
    fn a_list_of_dependencies_names_packages() {
        let list = "{\n  \"name\": \"w\",\n  \"dependencies\": {\n    \"ags\": \"*\",\n    \"gnim\": \"^1\"\n  },\n  \"devDependencies\": { \"x-y\": \"1\" }\n}";
        let machine = after(&[("cat package.json", list)]);
        let known = |name: &str| machine.is_package(name);
        assert!(known("ags") && known("gnim") && known("x-y"));
        assert!(!known("w") && !known("*") && !known("^1") && !known("name"));
    }
}
