//! One fault, whatever printed it: groups whose errors name the same fault of the same thing are one group.
//!
//! What most messages name is in their cause and its names (`output/sentences`). Here are the faults for which programs have
//! several wordings without such a name.

use crate::call::hash;
use crate::cause::Cause;
use crate::causes::{Group, Member, is_local, of_cause};
use crate::command::shell::INTERPRETERS;
use crate::findings::keyed::{Keyed, gather, join_by};
use crate::output::provider::login;

const MODULES: &str = "ES modules and CommonJS are mixed";
const ENCODING: &str = "text is read or written in another encoding than UTF-8";
const OWNER: &str = "git refuses a repository that belongs to another user";
const AUTHOR: &str = "git does not know the name and the email of the author";
const DOCKER: &str = "the Docker daemon does not answer";

/// Parts of messages, and the fault that each of them names.
const FAULTS: [(&str, &str); 22] = [
    ("Cannot use import statement outside a module", MODULES),
    ("Cannot use 'import.meta' outside a module", MODULES),
    ("Unexpected token 'export'", MODULES),
    ("is not defined in ES module scope", MODULES),
    ("ERR_REQUIRE_ESM", MODULES),
    ("require() of ES Module", MODULES),
    ("'ascii' codec can't ", ENCODING),
    ("'charmap' codec can't ", ENCODING),
    ("'gbk' codec can't ", ENCODING),
    ("'latin-1' codec can't ", ENCODING),
    ("'cp1252' codec can't ", ENCODING),
    ("'cp932' codec can't ", ENCODING),
    ("'cp949' codec can't ", ENCODING),
    ("'cp950' codec can't ", ENCODING),
    ("detected dubious ownership in repository", OWNER),
    ("fatal: unsafe repository (", OWNER),
    ("Please tell me who you are", AUTHOR),
    ("unable to auto-detect email address", AUTHOR),
    ("empty ident name", AUTHOR),
    ("Is the docker daemon running", DOCKER),
    ("docker.sock: connect: no such file", DOCKER),
    ("pipe/docker_engine", DOCKER),
];

/// The parts of messages about a wrong version, and the runtime whose version it is.
const RUNTIMES: [(&str, &str); 9] = [
    ("nsupported engine", "Node.js"),
    ("ngine \"node\"", "Node.js"),
    ("Node.js", "Node.js"),
    ("version of node", "Node.js"),
    ("requires a different Python", "Python"),
    ("Python requirement", "Python"),
    ("requires go >= ", "Go"),
    ("requires rustc ", "Rust"),
    ("our Ruby version is ", "Ruby"),
];

/// Programs whose calls have nothing in common but their first word.
const UNLIKE: [&str; 7] = ["git", "ssh", "curl", "wget", "docker", "make", "sudo"];

fn named(table: &[(&str, &'static str)], line: &str) -> Option<&'static str> {
    table.iter().find(|(part, _)| line.contains(part)).map(|(_, fault)| *fault)
}

/// The groups, with those in one group that have one fault of one thing.
pub(crate) fn with_faults(all: Vec<Keyed>) -> Vec<Keyed> {
    let all = with_nameless_servers(all);
    join_by(all, &|group| {
        let subject = match group.cause {
            Cause::Error => group.fault()?,
            Cause::Versions => group.runtime()?,
            Cause::Memory => head(group)?,
            // The same parameter is wrong at several tools.
            Cause::Parameters if !group.program().is_empty() => match group.frequent_names()[..] {
                [name] => name,
                _ => return None,
            },
            // An account of a provider of models has a group of its own already.
            Cause::Login if !group.frequent_names().iter().any(|name| login(name).is_some()) => {
                head(group).filter(|head| !UNLIKE.contains(head) && !INTERPRETERS.contains(head))?
            }
            _ => return None,
        };
        Some(hash(of_cause(group.cause), subject.as_bytes()))
    })
}

/// The program of all failures, without what it runs.
fn head(group: &Group) -> Option<&str> {
    group.program().split(' ').next().filter(|head| !head.is_empty())
}

/// The groups, with refused connections that name no server in the group of the servers on this machine, if the session was
/// refused there, too.
fn with_nameless_servers(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let is_local = |member: &Member| member.names.first().is_some_and(|host| is_local(host));
    let is_own = |group: &Group| group.cause == Cause::Network && group.members.iter().all(is_local);
    let Some(at) = all.iter().position(|(_, group)| is_own(group)) else { return all };
    let (key, mut own) = all.swap_remove(at);
    let sessions: Vec<u32> = own.members.iter().map(|member| member.session).collect();
    let belongs = |member: &Member| {
        member.names.is_empty() && member.line.contains("efused") && sessions.contains(&member.session)
    };
    if let Some(nameless) = gather(&mut all, Cause::Network, Cause::Network, &belongs) {
        own.absorb(&nameless);
    }
    all.push((key, own));
    all
}

impl Group {
    /// The fault that all errors name, if they name it in several wordings.
    pub(crate) fn several_wordings(&self) -> Option<&'static str> {
        self.fault().filter(|_| self.cause == Cause::Error && self.frequent_lines().len() > 1)
    }

    /// The programs that were called, as they are named in a sentence.
    pub(crate) fn callers(&self) -> String {
        const MOST: usize = 3;
        let programs = match self.program() {
            "" => self.frequent_programs(),
            program => vec![program],
        };
        let shown: Vec<String> = programs.iter().take(MOST).map(|program| format!("`{program}`")).collect();
        match &shown[..] {
            [] => "the tool".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    }

    /// The runtime of which all messages want another version, if several programs say so.
    pub(crate) fn wanted_runtime(&self) -> Option<&'static str> {
        self.runtime().filter(|_| self.cause == Cause::Versions && self.program().is_empty())
    }

    fn fault(&self) -> Option<&'static str> {
        self.of_all(&FAULTS)
    }

    fn runtime(&self) -> Option<&'static str> {
        self.of_all(&RUNTIMES)
    }

    /// What a table names for the lines of all failures, if it is the same for all of them.
    fn of_all(&self, table: &[(&str, &'static str)]) -> Option<&'static str> {
        let mut named = self.members.iter().map(|member| named(table, &member.line));
        let first = named.next()??;
        named.all(|other| other == Some(first)).then_some(first)
    }
}
