//! What helps against a cause in one program, if more can be said than in general.

use crate::analysis::Around;
use crate::cause::{Cause, WHITE_SPACE};
use crate::causes::audits;
use crate::causes::other_shell::{in_posix, in_powershell};
use crate::causes::{Group, Member, counted, is_local, is_of_powershell};
use crate::command::hidden::hides_messages;
use crate::command::shell::{Step, steps};
use crate::findings::directions::LOOK_FIRST;
use crate::findings::instead_of::Calls;
use crate::findings::{instead_of, packages, plugins};
use crate::measures::groups::Failure;
use crate::output::cause_line::is_summary;
use crate::output::named::changes_folder;
use crate::output::names;
use crate::output::provider::{login, start};
use crate::output::removed;
use crate::worked::arguments::limit;

/// What helps against errors of a compiler, whose codes are no rules of the project.
const COMPILER_ADVICE: &str =
    "have the agent compile after each change, and fix what the compiler reports before it goes on";
/// What linters report under the name of a rule, and is an error of the compiler or the parser.
const NO_RULES: [&str; 5] = ["typecheck", "E999", "E902", "invalid-syntax", "syntax-error"];
/// Sessions in which paths do not exist that have nothing in common, from which on the agent is told to look first.
const GUESSING_SESSIONS: usize = 3;
/// What helps if several servers on other machines cannot be reached in one session.
const OUTAGE_ADVICE: &str = "look at the network of the agent's machine first (names, proxy, firewall, sandbox): several servers could not be reached in one session";
/// What helps against what an audit of dependencies finds.
const AUDIT_ADVICE: &str = "update these packages to versions without the vulnerability, or say in the agent's instructions which of them may \
     stay: the audit ends with an error code as long as one is left";
/// What helps against what `git diff --check` reports.
const WHITE_SPACE_ADVICE: &str = "have the agent remove the white space at the ends of lines and files before it commits, or exclude files that a \
     program writes from the check (`.gitattributes`: `-whitespace`)";

impl Group {
    /// Whether Claude Code says that a rule of its settings refuses the call.
    fn is_of_settings(&self) -> bool {
        const SAYS: [&str; 3] = ["Permission to use ", "by your permission settings", " has been denied."];
        self.latest().is_some_and(|failure| SAYS.iter().any(|words| failure.line.contains(words)))
    }

    /// Two names of what was refused most often by itself, or else together with other programs of the same call.
    fn refused_alone(&self) -> Vec<&str> {
        let alone = self.members.iter().filter(|member| member.names.len() == 1);
        let alone: Vec<&str> = counted(alone.flat_map(|member| &member.names).map(String::as_str))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let mut names = if alone.is_empty() { self.frequent_names() } else { alone };
        names.truncate(2);
        names
    }

    /// What serves in place of programs that are missing.
    pub(super) fn served_by(&self, programs: &[&str], around: Around<'_>) -> Option<String> {
        let are_bound = self.members.iter().any(|member| around.machine.is_bound(member.session));
        let calls = Calls { are_bound, run_own: self.runs_own_script(around) };
        instead_of::advice(programs, around.machine, calls)
    }

    /// What helps against this cause in this program, if more can be said than in general.
    pub(super) fn specific(&self, around: Around<'_>) -> Option<String> {
        if let Some(advice) = self.of_surroundings(around) {
            return Some(advice);
        }
        let (program, named) = (self.program(), self.frequent_names());
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        match self.cause {
            Cause::Problems if is_audit(program) => Some(AUDIT_ADVICE.to_owned()),
            Cause::Problems if named == [WHITE_SPACE] => Some(WHITE_SPACE_ADVICE.to_owned()),
            // That a compiler reports what is not finished yet is how the agent works: there is no advice.
            Cause::Problems if matches!(program, "tsc" | "rustc") && self.sessions() < 2 => Some(String::new()),
            Cause::Problems if matches!(program, "tsc" | "rustc") => Some(self.check().map_or_else(
                || COMPILER_ADVICE.to_owned(),
                |check| {
                    format!("have the agent run `{check}` after each change, and fix what it reports before it goes on")
                },
            )),
            Cause::Problems if !named.is_empty() => {
                let check = self.check().unwrap_or_else(|| program.to_owned());
                let rules: Vec<&str> = named.iter().copied().filter(|name| !NO_RULES.contains(name)).collect();
                if rules.is_empty() {
                    return Some(format!("have the agent run `{check}` after each change: what it reports first does not compile or parse"));
                }
                let most = rules.get(..rules.len().min(2)).unwrap_or_default();
                let verb = if most.len() == 1 { "is" } else { "are" };
                Some(format!(
                    "have the agent run `{check}` after each change, and say in its instructions how code satisfies {}, which \
                     {verb} broken most often",
                    quoted(most)
                ))
            }
            Cause::OptionRefused if let Some(advice) = plugins::advice(program, &named) => Some(advice),
            Cause::OtherShell
                if self.latest().is_some_and(|failure| !failure.line.contains("external command"))
                    && let Some(advice) = in_powershell(&named) =>
            {
                Some(advice)
            }
            Cause::OtherShell if let Some(advice) = in_posix(&named) => Some(advice),
            Cause::Exists if self.makes_files() => Some(
                "tell the agent to change a file that exists with its tool for edits, or to give a new file another name: this call \
                 overwrites nothing"
                    .to_owned(),
            ),
            Cause::OptionRefused | Cause::Subcommand if !program.is_empty() => Some(format!(
                "look at what `{} --help` lists, and say in the agent's instructions what serves instead of {}",
                program,
                if named.is_empty() { "it".to_owned() } else { quoted(named.get(..named.len().min(2)).unwrap_or_default()) }
            )),
            Cause::Forbidden if self.is_of_settings() => Some(format!(
                "allow {} in `permissions` of `.claude/settings.json` or `.claude/settings.local.json`, or say in the agent's \
                 instructions what to use instead",
                if named.is_empty() { "it".to_owned() } else { quoted(&self.refused_alone()) }
            )),
            Cause::Module if let [name] = named[..] && let Some(successor) = removed::module(name) => {
                Some(successor.to_owned())
            }
            Cause::DeadShell if self.follows_removal => Some(
                "start the agent's shell again; tell the agent to leave a folder before it removes it: the last command \
                 that worked removed one"
                    .to_owned(),
            ),
            Cause::Shell if self.latest().is_some_and(|failure| has_entities(&failure.input)) => Some(
                "have the agent write `<`, `>` and `&` as they are: the command has `&lt;`, `&gt;` or `&amp;` in their place"
                    .to_owned(),
            ),
            Cause::Shell if self.latest().is_some_and(|failure| is_markup(&failure.input)) => Some(
                "look at how the model calls its tools: what it passes as a command is the markup of a call".to_owned(),
            ),
            Cause::Shell if is_of_powershell(program) && !self.calls_powershell() => Some(
                "say in the agent's instructions that its shell is PowerShell: the command is not written for it".to_owned(),
            ),
            Cause::Shell if is_of_powershell(program) && self.latest().is_some_and(|failure| is_expanded(&failure.input)) => Some(
                "have the agent put the command for PowerShell into single quotes: within double quotes the outer shell replaces \
                 `$_` and other variables"
                    .to_owned(),
            ),
            Cause::Shell if is_of_powershell(program) => Some(
                "tell the agent to write a script into a `.ps1` file and to run that with `-File`: quotes inside `-Command` are \
                 read twice"
                    .to_owned(),
            ),
            Cause::Shell if self.is_pattern() => Some(
                "tell the agent to end a pattern that may match nothing with `(N)`, or to use `find`: zsh then runs the \
                 command all the same"
                    .to_owned(),
            ),
            Cause::Access if self.latest().is_some_and(|failure| failure.line.trim_end().ends_with("ermission denied:")) => Some(
                "tell the agent to look at the quotes and variables of its command: the shell was to run an empty name".to_owned(),
            ),
            Cause::Access if self.latest().is_some_and(|failure| failure.line.contains("docker.sock")) => {
                Some("let the agent's user use Docker (the group `docker`), or tell the agent that it has none here".to_owned())
            }
            Cause::Access if self.is_about_what_runs() => Some(format!(
                "make it executable (`chmod +x {}`), or have the agent start it with its interpreter",
                named.get(..1).unwrap_or_default().concat()
            )),
            Cause::Access if self.latest().is_some_and(|failure| is_for_root(&failure.line)) => {
                Some("let the agent run it as root, or install the package for it".to_owned())
            }
            Cause::Terminal if program == "sudo" => Some(
                "allow the agent's user to run these commands with `sudo` without a password, or run them yourself in a \
                 terminal"
                    .to_owned(),
            ),
            Cause::Terminal if self.latest().is_some_and(|failure| failure.line.contains("not a TTY")) => {
                Some("tell the agent to leave out `-t` (`docker exec -i`): its shell has no terminal".to_owned())
            }
            Cause::Terminal if self.latest().is_some_and(|failure| failure.line.contains("assword")) => Some(format!(
                "say in the agent's instructions where it finds the password, and how `{program}` takes it on its command line"
            )),
            Cause::Timeout if self.latest().is_some_and(|failure| follows(&failure.input)) => Some(
                "tell the agent to ask for the lines that are there instead of following the log: without `-f`, and \
                 `pm2 logs` with `--nostream`"
                    .to_owned(),
            ),
            Cause::Timeout if program == "sleep" => {
                Some("tell the agent to wait for a shorter time at once, or to wait in the background".to_owned())
            }
            Cause::Timeout => Some(self.of_time_limit(around)),
            // The program is a dependency of the project, which a script of its package manager starts.
            Cause::Path if self.latest().is_some_and(|failure| changes_folder(&failure.line)) => Some(
                "run first what makes this folder, such as a configure step: a makefile or a script changes into it".to_owned(),
            ),
            Cause::Path if !named.is_empty() && named.iter().all(|path| path.starts_with('<')) => Some(format!(
                "tell the compiler in which folder its headers are (such as with `-I FOLDER`), or install the package that has {}",
                quoted(named.get(..1).unwrap_or_default())
            )),
            Cause::Path if let Some(advice) = of_environment(&named) => Some(advice),
            Cause::Path if self.is_guessed() => Some(LOOK_FIRST.to_owned()),
            Cause::Program if matches!(program.split(' ').next(), Some("npm" | "pnpm" | "yarn" | "bun")) => {
                let manager = program.split(' ').next().unwrap_or_default();
                Some(format!(
                    "install the project's dependencies first (`{manager} install`): its scripts expect this program there"
                ))
            }
            Cause::Module | Cause::Program if named == ["pip"] && self.lacks_module_pip() => Some(
                "make the environment with pip (`python -m ensurepip` adds it), or have the agent install with `uv pip`, which \
                 needs none in there"
                    .to_owned(),
            ),
            Cause::Program => {
                let lacked = self.lacked_as_module();
                let others: Vec<&str> = named.iter().copied().filter(|name| Some(*name) != lacked).collect();
                let serves = self.served_by(&others, around);
                let Some(name) = lacked else { return serves };
                let installed =
                    format!("install `{name}` in the environment that the agent works in: Python does not find it as a module either");
                Some(serves.map_or(installed.clone(), |serves| format!("{installed}; for `{}`, {serves}", others.join("` and `"))))
            }
            Cause::Module if !named.is_empty() && named.iter().all(|name| name.contains(".so")) => {
                Some("install the system's package that has this library (Debian: `apt-file search NAME`)".to_owned())
            }
            Cause::Module if !named.is_empty() && named.iter().all(|name| is_package_name(name)) && is_of_python(program) => Some(format!(
                "install {} in the environment that runs the code, or say in the agent's instructions which one has it (such as \
                 `.venv/bin/python`, `uv run`)",
                packages::quoted(named.get(..named.len().min(2)).unwrap_or_default())
            )),
            Cause::Schema if let Some(advice) = self.latest().and_then(migrations) => Some(advice),
            Cause::Module if program.starts_with("go ") && named.len() == 1 => Some(format!(
                "fetch it with `go get {}`, or correct the import: no module of go.mod has this package",
                named.concat()
            )),
            Cause::PushRejected if self.frequent_lines().iter().any(|(line, _)| is_protected(line)) => Some(
                "tell the agent to push to a branch of its own and to make a pull request: this branch takes no direct push"
                    .to_owned(),
            ),
            Cause::Module if !named.is_empty() && named.iter().all(|name| is_of_project(name)) => Some(format!(
                "correct the import, or the folder in which the code runs: {} is the path of a file, and no package",
                quoted(named.get(..1).unwrap_or_default())
            )),
            Cause::Tests if let Some(test) = self.test_of_sessions() => Some(format!(
                "run `{test}` on a clean checkout before the agent starts: it fails in {} sessions, and if it fails there, too, \
                 it or its environment needs repair",
                self.sessions_with(test)
            )),
            Cause::Tests if self.shared_error().is_some() => Some(match &self.place {
                Some((path, line)) => {
                    format!("repair this error first, starting at {path}:{line}, and run the tests again")
                }
                None => "repair this error first, and run the tests again".to_owned(),
            }),
            Cause::Path if named.len() == 1 && self.sessions() > 1 => Some(if around.told.names_path(named[0]) {
                format!("correct the prompt or the instructions that name {}, or put it in place: it is not there", quoted(&named))
            } else {
                format!(
                    "look for what names {} to the agent, such as its instructions, a skill or a note, and correct it there",
                    quoted(&named)
                )
            }),
            Cause::Path if !named.is_empty() && named.iter().all(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with('-'))) => {
                Some(format!(
                    "look at the options of the program: it takes {} for the name of a file",
                    quoted(named.get(..1).unwrap_or_default())
                ))
            }
            Cause::Path if named.iter().all(|path| path.starts_with(r"C:\tmp\")) && !named.is_empty() => Some(
                "tell the agent to use a folder of the project: `/tmp` of Git Bash is not the `C:\\tmp` in which programs of \
                 Windows look"
                    .to_owned(),
            ),
            Cause::Path if self.is_about_what_runs() => {
                let is_whole = named.first().is_some_and(|path| path.starts_with('/') || path.get(1..2) == Some(":"));
                Some(format!(
                    "say in the agent's instructions how this is built and started here: there is no {}{}",
                    quoted(named.get(..1).unwrap_or_default()),
                    if is_whole { " on its machine" } else { " in the folder where the shell looked" }
                ))
            }
            Cause::Script => self.listing(around.machine),
            Cause::Folder => self.home(),
            Cause::Parameters if let Some(advice) = self.of_parameters() => Some(advice),
            Cause::Parameters if !named.is_empty() && !self.frequent_programs().is_empty() => {
                let shown = named.get(..named.len().min(3)).unwrap_or_default();
                let takes = if program.is_empty() { "take" } else { "takes" };
                Some(format!("say in the agent's instructions how {} {takes} {}", self.callers(), quoted(shown)))
            }
            Cause::Silent
                if !self.says_something() && self.latest().is_some_and(|failure| redirected(&failure.input).is_some()) =>
            {
                self.latest().and_then(|failure| redirected(&failure.input)).map(|file| {
                    format!("have the agent print the end of `{file}` when this fails: what it prints goes there")
                })
            }
            Cause::Silent
                if !self.says_something() && self.latest().is_some_and(|failure| hides_messages(&failure.input)) =>
            {
                Some("have the agent let it print its messages: the command sends them to `/dev/null`".to_owned())
            }
            Cause::Silent if let Some(formatter) = self.latest().and_then(|failure| lists_unformatted(&failure.input)) => Some(format!(
                "have the agent run {formatter} after its changes: the check lists the files that are not formatted"
            )),
            Cause::Silent if !self.says_something() => self.cut_off(&["grep"]),
            Cause::Error
                if self.latest().is_some_and(|failure| is_summary(&failure.line))
                    && let Some(advice) = self.cut_off(&["tail", "head", "grep"]) =>
            {
                Some(advice)
            }
            Cause::Error | Cause::Silent
                if let Some(limit) = self.latest().and_then(|failure| limit(&failure.line)) =>
            {
                Some(format!("say in the agent's instructions that this text may have {limit} characters at most"))
            }
            Cause::Login => named.first().and_then(|provider| login(provider)).map(str::to_owned),
            Cause::ModelConnection => named.first().and_then(|provider| start(provider)).map(str::to_owned),
            Cause::Network if self.has_outage() => Some(OUTAGE_ADVICE.to_owned()),
            Cause::Network if !named.iter().any(|host| is_local(host)) => Some(self.of_remote_servers(&named, around.machine)),
            _ => None,
        }
    }

    /// Whether a session did not reach two servers on other machines, one after the other.
    fn has_outage(&self) -> bool {
        let host = |member: &'_ Member| member.names.first().filter(|host| !is_local(host)).cloned();
        self.members.windows(2).any(|pair| {
            let hosts = (host(&pair[0]), host(&pair[1]));
            pair[0].session == pair[1].session && matches!(hosts, (Some(one), Some(other)) if one != other)
        })
    }

    /// What to do if the newest command shows only what one of these filters lets through.
    fn cut_off(&self, filters: &[&str]) -> Option<String> {
        let input = &self.latest()?.input;
        let filter = filters.iter().find(|filter| input.contains(&format!("| {filter} ")))?;
        Some(format!("have the agent keep more of the output: the command shows only what `{filter}` lets through"))
    }

    /// A missing program that Python did not find as a module either.
    fn lacked_as_module(&self) -> Option<&str> {
        let member = self.members.iter().find(|member| member.line.contains("No module named "))?;
        member.names.first().map(String::as_str).filter(|name| *name != "pip")
    }

    /// Whether the agent's own tool for files was to make one that exists.
    pub(super) fn makes_files(&self) -> bool {
        let is_of_tool = |failure: &Failure| failure.input.starts_with('{') && names::file(&failure.input).is_some();
        self.cause == Cause::Exists
            && self.latest().is_some_and(|failure| failure.line.contains("annot overwrite") || is_of_tool(failure))
    }

    /// Whether the newest command starts PowerShell itself.
    fn calls_powershell(&self) -> bool {
        let calls = |input: &str| ["powershell", "pwsh"].iter().any(|name| input.contains(name));
        self.latest().is_some_and(|failure| calls(&failure.input))
    }

    /// Whether a Python says that it has no pip.
    fn lacks_module_pip(&self) -> bool {
        self.members.iter().any(|member| member.line.contains("No module named pip"))
    }

    /// Whether the agent expects files that are not there, again and again.
    fn is_guessed(&self) -> bool {
        let mut sessions: Vec<u32> = Vec::new();
        for member in &self.members {
            if !sessions.contains(&member.session) {
                sessions.push(member.session);
            }
        }
        sessions.len() >= GUESSING_SESSIONS && self.has_unlike_paths()
    }

    /// The test that fails in the most sessions, if there are several.
    fn test_of_sessions(&self) -> Option<&str> {
        let names = self.frequent_names();
        let most = names.into_iter().rev().max_by_key(|name| self.sessions_with(name))?;
        (self.sessions_with(most) > 1).then_some(most)
    }

    /// The command that runs the check, as the newest failed call had it.
    fn check(&self) -> Option<String> {
        let input = &self.latest()?.input;
        steps(input).iter().rfind(|step| step.checks() || step.tests()).map(Step::name)
    }

    /// Whether the path that does not exist is that of the program itself.
    fn is_about_what_runs(&self) -> bool {
        let names = self.frequent_names();
        let runs = |name: &str| {
            self.latest().is_some_and(|failure| {
                let words: Vec<&str> = failure.input.split_whitespace().collect();
                let is_first =
                    |at: usize| at == 0 || matches!(words.get(at - 1), Some(&("&&" | ";" | "bash" | "sh" | "sudo")));
                words.iter().enumerate().any(|(at, word)| *word == name && is_first(at))
            })
        };
        let is_said_by_shell = self.latest().is_some_and(|failure| {
            let shell = failure.line.split(": ").next().unwrap_or_default();
            let is_shell = matches!(shell.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash"));
            // A container starts a program in the same way.
            is_shell && !failure.line.contains("cd: ") || failure.line.contains("exec: \"")
        });
        names.len() == 1 && names.first().is_some_and(|name| is_said_by_shell && name.starts_with('.') || runs(name))
    }
}

/// Whether a program audits dependencies.
pub(super) fn is_audit(program: &str) -> bool {
    steps(program).iter().any(audits::is_audit)
}

/// What helps if programs are missing in an environment of Python: `.venv/bin/pytest`.
fn of_environment(paths: &[&str]) -> Option<String> {
    let of_path = |path: &'_ str| {
        let mut parts = path.rsplit(['/', '\\']);
        let (program, folder, environment) = (parts.next()?, parts.next()?, parts.next()?);
        let is_environment = matches!(folder, "bin" | "Scripts") && environment.contains("env") && !program.is_empty();
        is_environment.then(|| (program.to_owned(), environment.to_owned()))
    };
    let (program, environment) = of_path(paths.first()?)?;
    // A long path is shown without its folders.
    let is_same = |path: &&str| path.rsplit(['/', '\\']).next() == Some(program.as_str()) && path.contains("bin");
    if !paths.iter().all(is_same) {
        return None;
    }
    Some(if program.starts_with("activate") || program.starts_with("Activate") {
        format!(
            "make the environment `{environment}` before the agent starts, or tell the agent that there is none: nothing activates it"
        )
    } else if program.starts_with("python") {
        format!(
            "make the environment `{environment}` before the agent starts, or have it make it first: there is no Python in it"
        )
    } else {
        format!(
            "install `{program}` in the environment `{environment}` before it is used, and wait until that has ended"
        )
    })
}

/// Whether a command has the entities of HTML where the shell expects the characters.
fn has_entities(input: &str) -> bool {
    ["&gt;", "&lt;", "&amp;"].iter().any(|entity| input.contains(entity))
}

/// Whether a name can be that of a package, and is no path.
pub(super) fn is_package_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// Whether a program is written in Python.
fn is_of_python(program: &str) -> bool {
    let first = program.split(' ').next().unwrap_or_default();
    ["python", "pytest", "pip", "uv", "poetry", "flask", "uvicorn", "celery", "alembic"]
        .iter()
        .any(|name| first.starts_with(name))
}

/// Whether a command begins with the markup by which models call tools: `<parameter name="command">ls`.
fn is_markup(input: &str) -> bool {
    const STARTS: [&str; 6] = ["<parameter", "<function", "<invoke", "<tool_call", "<tool_use", "<command>"];
    STARTS.iter().any(|start| input.trim_start().starts_with(start))
}

/// Whether a command passes a variable of PowerShell through the double quotes of another shell.
fn is_expanded(input: &str) -> bool {
    input.split_once("-Command \"").is_some_and(|(_, command)| command.contains('$'))
}

/// Whether a command shows a log and waits for more.
fn follows(input: &str) -> bool {
    const FOLLOWS: [&str; 5] = ["tail -f", "logs -f", "logs --follow", "journalctl -f", "pm2 logs"];
    FOLLOWS.iter().any(|words| input.contains(words)) && !input.contains("--nostream")
}

/// Whether a line says that only root may do this.
fn is_for_root(line: &str) -> bool {
    ["are you root", "superuser privilege", "as root", "must be root"].iter().any(|words| line.contains(words))
}

/// What brings a database to the state that the code expects, by the framework that names the missing table or column. A
/// migration that fails itself lacks something else.
fn migrations(newest: &Failure) -> Option<String> {
    const FRAMEWORKS: [(&[&str], &str); 4] = [
        (&["django.", "manage.py"], "`python manage.py makemigrations`, `python manage.py migrate`"),
        (&["SQLSTATE[", "artisan "], "`php artisan migrate`"),
        (&["ActiveRecord::", "rails ", "rake "], "`bin/rails db:migrate`"),
        (&["alembic ", "flask db"], "`alembic upgrade head`, `flask db upgrade`"),
    ];
    if newest.input.contains("migrat") || newest.input.contains(" upgrade") {
        return Some(
            "look at the migration that fails: it uses a table or a column that no migration before it has made"
                .to_owned(),
        );
    }
    let is_of = |signs: &[&str]| signs.iter().any(|sign| newest.line.contains(sign) || newest.input.contains(sign));
    let (_, commands) = FRAMEWORKS.iter().find(|(signs, _)| is_of(signs))?;
    Some(format!("apply the migrations first ({commands}): the database is older than the code"))
}

/// What formats the files that a command only lists.
fn lists_unformatted(input: &str) -> Option<&'static str> {
    const LISTS: [(&str, &str); 5] = [
        ("gofmt -l", "`gofmt -w` on its files"),
        ("gofmt -s -l", "`gofmt -s -w` on its files"),
        ("goimports -l", "`goimports -w` on its files"),
        ("gofumpt -l", "`gofumpt -w` on its files"),
        ("shfmt -l", "`shfmt -w` on its files"),
    ];
    LISTS.iter().find(|(words, _)| input.contains(words)).map(|(_, formatter)| *formatter)
}

/// The file to which a command writes what it prints.
fn redirected(input: &str) -> Option<&str> {
    let (_, rest) = input.split_once(" > ")?;
    rest.split_whitespace().next().filter(|file| !file.starts_with("/dev/") && !file.starts_with('&'))
}

/// Whether a remote says that a branch or its rules take no such push.
fn is_protected(line: &str) -> bool {
    ["rotected branch", "hook declined", "rule violations", "GH006", "GH013"].iter().any(|words| line.contains(words))
}

/// Whether a module's name is the path of a file of the project.
fn is_of_project(module: &str) -> bool {
    ["./", "../", "@/", "~/", "#/", "src/", "/"].iter().any(|start| module.starts_with(start))
}
