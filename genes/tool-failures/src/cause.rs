//! The causes that this gene knows: how each is called, what is behind it, and what helps.
//!
//! A cause is what failures share, whatever their last line says. [`Cause::about`] has one row for each.

use gephost_gene::Severity;
use gephost_gene::run_log::FailureKind;

/// The name of the problem that `git diff --check` reports.
pub(crate) const WHITE_SPACE: &str = "white space";

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cause {
    EditText,
    EditUnread,
    EditStale,
    EditAmbiguous,
    EditNothing,
    TooLarge,
    Parameters,
    Denied,
    Overload,
    Login,
    Network,
    PortInUse,
    Memory,
    Disk,
    Locked,
    Conflict,
    Diverged,
    /// Objects of a git repository are missing or broken.
    Damaged,
    PushRejected,
    Uncommitted,
    NothingToCommit,
    GitName,
    Exists,
    Hook,
    Folder,
    Script,
    Subcommand,
    OptionRefused,
    Versions,
    Program,
    /// A command that fails behind another one, and works without it.
    Wrapped,
    /// A command that works only behind another one.
    Unwrapped,
    Module,
    Shell,
    NoTests,
    Terminal,
    Timeout,
    Access,
    Path,
    /// A test run with failing tests.
    Tests,
    /// A compiler or linter that reported problems.
    Problems,
    /// Several errors of one program that no other cause explains.
    Several,
    /// An error that is known by its line only.
    Error,
    /// A program that failed and said nothing.
    Silent,
    // The place of a cause is part of the ids of its findings, so new ones come last.
    /// A server other than the model's provider refused a request because of its limits.
    RateLimit,
    /// A command of git outside of any repository.
    Outside,
    /// A package that the registry does not have.
    Package,
    /// A column, table or database that does not exist.
    Schema,
    /// A variable of the shell that is empty.
    Variable,
    /// A command for another shell than the one that runs it.
    OtherShell,
    /// A command for a shell in which the one before still runs.
    Busy,
    /// The agent's sandbox starts no command.
    Sandbox,
    /// The agent's shell runs nothing any more.
    DeadShell,
    /// A file that another program has open.
    InUse,
    /// A server that was started in the foreground.
    Serves,
    /// A file of source code whose syntax is broken.
    Unparsed,
    /// A name in a command that is no module: a label of tests or a settings module.
    WrongModule,
    /// Scripts that the agent wrote for one use, and which raised different exceptions.
    Scratch,
}

/// What tells the groups of one cause apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// Nothing: there is one group.
    None,
    /// The program that failed.
    Program,
    /// The name in the message.
    Name,
    /// The normal form of the line.
    Line,
}

/// What is known of a cause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    /// The kind of the finding, and its GEP signal.
    pub(crate) kind: &'static str,
    pub(crate) key: Key,
    /// What the names are, in the plural; empty if there are none.
    pub(crate) names: &'static str,
    /// The title. `{p}` is the program, `{n}` the names; with `|` the part before it is for one name, the other part for
    /// several or none.
    pub(crate) title: &'static str,
    pub(crate) hypothesis: &'static str,
    /// What helps, if the log does not show what helped; empty if nothing helps in general.
    pub(crate) advice: &'static str,
    pub(crate) severity: Severity,
}

const fn about(
    kind: &'static str,
    key: Key,
    names: &'static str,
    title: &'static str,
    hypothesis: &'static str,
    advice: &'static str,
    severity: Severity,
) -> About {
    About { kind, key, names, title, hypothesis, advice, severity }
}

impl Cause {
    /// What is known of it.
    pub(crate) fn about(self) -> About {
        use Severity::{High, Info, Low, Medium};
        match self {
            Self::EditText => about(
                "edit_text_missing",
                Key::None,
                "files",
                "edits expect text that is not in the file",
                "the agent remembers the file wrongly, or the file has changed since the agent read it",
                "tell the agent to read the lines again right before it edits them, and to match fewer lines",
                Medium,
            ),
            Self::EditUnread => about(
                "edit_unread",
                Key::None,
                "files",
                "files are edited before they are read",
                "the agent's tool refuses to edit a file that was not read in this session",
                "tell the agent to read a file before its first edit, also after its context was compacted",
                Low,
            ),
            Self::EditStale => about(
                "edit_stale",
                Key::None,
                "files",
                "files change between reading and editing them",
                "a formatter, a build or a person changes files while the agent works on them",
                "tell the agent to read a file again after a formatter or a commit hook ran",
                Low,
            ),
            Self::EditAmbiguous => about(
                "edit_ambiguous",
                Key::None,
                "files",
                "edits match more than one place",
                "the text to replace is too short to be unique in the file",
                "tell the agent to include the lines around the place, or to replace all places on purpose",
                Low,
            ),
            Self::EditNothing => about(
                "edit_changes_nothing",
                Key::None,
                "files",
                "edits change nothing",
                "the agent repeats an edit that it already made, or old and new text are the same",
                "tell the agent to look at the file before it repeats an edit",
                Low,
            ),
            Self::TooLarge => about(
                "input_too_large",
                Key::None,
                "files",
                "a file or an output is too large to be read at once",
                "the agent asks for a whole file or an unlimited output",
                "tell the agent to search first, and to read a part with offset and limit",
                Low,
            ),
            Self::Parameters => about(
                "tool_parameters",
                Key::Program,
                "parameters",
                "`{p}` is called with wrong parameters: {n}|`{p}` is called with wrong parameters",
                "the agent leaves out a parameter that the tool needs, or invents one",
                "name the parameters of this tool in the agent's instructions",
                Low,
            ),
            Self::Denied => about(
                "approval_needed",
                Key::None,
                "commands",
                "calls need an approval that nobody gave: {n}",
                "the agent's permissions do not allow these calls, and no person was there to allow them",
                "allow the commands that are harmless in the agent's permissions, and tell the agent to ask for the others",
                Medium,
            ),
            Self::Overload => about(
                "provider_limits",
                Key::None,
                "",
                "the model's provider refused requests: overloaded, or a limit was reached",
                "the provider has no capacity, or the account has used up its limit",
                "raise the limit, run fewer agents at once, or configure a second model to fall back to",
                High,
            ),
            Self::RateLimit => about(
                "rate_limited",
                Key::Program,
                "",
                "`{p}` was refused because of a rate limit",
                "the server takes only so many requests in a time, from this account or this address",
                "tell the agent to wait before it asks again and to ask for less, or use an account with a higher limit",
                Medium,
            ),
            Self::Login => about(
                "login_missing",
                Key::Program,
                "",
                "`{p}` is not logged in, or its credentials are refused",
                "the agent's environment lacks the credentials that a person's shell has",
                "log in on this machine, or pass the credentials into the agent's environment",
                High,
            ),
            Self::Network => about(
                "network",
                Key::None,
                "hosts",
                "a server cannot be reached: {n}|servers cannot be reached: {n}",
                "the server does not run, or the network does not let the agent reach it",
                "start the server before this step, and wait until it answers",
                Medium,
            ),
            Self::PortInUse => about(
                "port_in_use",
                Key::None,
                "",
                "the port of a server is already in use",
                "a server of an earlier step still runs",
                "tell the agent to stop the servers that it starts, or to use a free port",
                Medium,
            ),
            Self::Memory => about(
                "out_of_memory",
                Key::Program,
                "",
                "`{p}` ran out of memory",
                "the step needs more memory than the machine or the limit gives",
                "give the step more memory, or make it do less at once",
                High,
            ),
            Self::Disk => about(
                "disk_full",
                Key::None,
                "",
                "the disk is full",
                "caches, logs or build results fill the disk",
                "free some space; nothing else will work before that",
                High,
            ),
            Self::Locked => about(
                "locked",
                Key::None,
                "",
                "a lock is held by another process",
                "two processes use the same repository, database or package manager at once",
                "tell the agent not to run these steps at the same time",
                Low,
            ),
            Self::Conflict => about(
                "git_conflict",
                Key::None,
                "",
                "git could not merge without conflicts",
                "both sides changed the same lines",
                "tell the agent to bring its branch up to date before it starts, and how conflicts are resolved here",
                Medium,
            ),
            Self::Diverged => about(
                "git_diverged",
                Key::None,
                "",
                "git could not fast-forward",
                "the local branch and its remote branch both have commits that the other lacks",
                "tell the agent to work on a branch of its own, or to use `git pull --rebase`",
                Medium,
            ),
            Self::Damaged => about(
                "git_damaged",
                Key::None,
                "",
                "a git repository is damaged: objects are missing or cannot be read",
                "a process was killed while it wrote, two processes wrote at once, or a clone that shares its objects is gone",
                "fetch the objects again from the remote, or make a new clone; then look at `git fsck`",
                High,
            ),
            Self::PushRejected => about(
                "git_push_rejected",
                Key::None,
                "",
                "git push was rejected",
                "the remote branch has commits that the local one lacks, or it is protected",
                "tell the agent to fetch and rebase before it pushes, and to push to a branch of its own",
                Medium,
            ),
            Self::Uncommitted => about(
                "git_uncommitted",
                Key::None,
                "",
                "git stopped because of changes that are not committed",
                "the checkout has local changes that the command would overwrite",
                "tell the agent to look at `git status` first, and to commit before it switches, pulls or merges",
                Low,
            ),
            Self::NothingToCommit => about(
                "git_nothing_to_commit",
                Key::None,
                "",
                "git had nothing to commit",
                "the changes were committed before, or were never added",
                "tell the agent to look at `git status` before it commits",
                Low,
            ),
            Self::GitName => about(
                "git_name_unknown",
                Key::None,
                "names",
                "git does not know a name: {n}|git does not know names: {n}",
                "the branch, tag, commit or path does not exist in this clone",
                "tell the agent to list branches and files before it names one",
                Low,
            ),
            Self::Exists => about(
                "already_exists",
                Key::Program,
                "",
                "`{p}` stopped because something already exists",
                "an earlier step or session has made it",
                "tell the agent to check for it first, or to use a name of its own",
                Low,
            ),
            Self::Hook => about(
                "git_hook",
                Key::None,
                "",
                "a git hook refused the commit or the push",
                "the hook runs checks that the agent did not run before",
                "tell the agent to run the hook's checks before it commits",
                Medium,
            ),
            Self::Outside => about(
                "no_git_repository",
                Key::None,
                "commands",
                "git runs outside of a repository: {n}",
                "the folder belongs to no git repository: none was made here, or the shell is in another folder",
                "say in the agent's instructions in which folder the repository is, or that there is none",
                Low,
            ),
            Self::Folder => about(
                "wrong_folder",
                Key::None,
                "programs",
                "commands run in the wrong folder: {n}|commands run in the wrong folder: {n}",
                "the agent assumes another working directory than the one its shell is in",
                "say in the agent's instructions from which folder each command runs",
                Medium,
            ),
            Self::Script => about(
                "missing_script",
                Key::Program,
                "scripts",
                "`{p}` has no script or target {n}|`{p}` is asked for scripts or targets that do not exist: {n}",
                "the agent guesses the name of a script",
                "list the scripts that exist in the agent's instructions",
                Medium,
            ),
            Self::Subcommand => about(
                "unknown_subcommand",
                Key::Program,
                "subcommands",
                "`{p}` has no subcommand {n}|`{p}` is called with subcommands that it does not have: {n}",
                "the agent knows another version of this program",
                "say in the agent's instructions which subcommand serves, or point to the program's help",
                Low,
            ),
            Self::OptionRefused => about(
                "option_refused",
                Key::Program,
                "options",
                "`{p}` refuses the option {n}|`{p}` refuses options: {n}",
                "the agent knows another version of this program, or the one of another operating system",
                "say in the agent's instructions which option serves instead",
                Low,
            ),
            Self::Versions => about(
                "wrong_version",
                Key::Program,
                "versions",
                "`{p}` needs another version: {n}|`{p}` complains about versions: {n}",
                "the machine has another version of a tool than the project needs",
                "install the version that the project asks for, or pin it in the project",
                High,
            ),
            Self::Program => about(
                "missing_program",
                Key::Name,
                "programs",
                "the program {n} is not installed, or not on the PATH|programs are not installed, or not on the PATH: {n}",
                "the agent expects a program that this machine does not have",
                "install what is missing, or say in the agent's instructions what serves instead",
                Medium,
            ),
            Self::Wrapped => about(
                "wrapped_command",
                Key::Name,
                "wrappers",
                "commands fail behind {n}, and work without it",
                "what is in front of the command changes how it is started, or does not know it",
                "tell the agent to run these commands as they are",
                Medium,
            ),
            Self::Unwrapped => about(
                "unwrapped_command",
                Key::Name,
                "wrappers",
                "commands fail alone, and work behind {n}",
                "the project's programs are in an environment that this opens",
                "say in the agent's instructions that the project's programs are started this way",
                Medium,
            ),
            Self::Module => about(
                "missing_module",
                Key::Program,
                "modules",
                "the module {n} is missing when `{p}` runs|modules are missing when `{p}` runs: {n}",
                "the dependency is not installed in the environment that the command uses",
                "install the project's dependencies first, or say which environment to use",
                Medium,
            ),
            Self::Package => about(
                "unknown_package",
                Key::Program,
                "packages",
                "`{p}` is asked for the package {n}, which does not exist|`{p}` is asked for packages that do not exist: {n}",
                "the agent guesses the name or the version of a package, or the configured registry does not have it",
                "tell the agent to search the registry for a package before it installs it",
                Low,
            ),
            Self::Schema => about(
                "unknown_column",
                Key::None,
                "names",
                "a query names {n}, which the database does not have|queries name what the database does not have: {n}",
                "the agent guesses the names of columns and tables, or the database lacks a migration",
                "tell the agent to read the schema before it writes a query",
                Low,
            ),
            Self::Variable => about(
                "empty_variable",
                Key::Name,
                "variables",
                "the shell variable {n} is empty",
                "the agent's shell does not set it, or another call set it, which a new shell does not see",
                "set it in the agent's environment, or tell the agent to write the path out",
                Low,
            ),
            Self::OtherShell => about(
                "other_shell",
                Key::None,
                "commands",
                "commands are written for another shell than the one that runs them: {n}",
                "the agent's tool runs another shell than the agent assumes",
                "say in the agent's instructions which shell its tool runs, and how paths are written there",
                Medium,
            ),
            Self::Busy => about(
                "shell_busy",
                Key::None,
                "",
                "commands are sent to a shell in which another one still runs",
                "a command that does not end, or asks for something, keeps the shell of the agent's tool busy",
                "tell the agent to stop such a command first, or to start what runs long in the background or with a time \
                 limit",
                Medium,
            ),
            Self::Sandbox => about(
                "sandbox_failed",
                Key::None,
                "",
                "the agent's sandbox could not start commands",
                "the program that isolates the agent's commands does not work on this machine, so none of them ran",
                "start the agent in a sandbox mode that works on this machine, or update the agent: until then it cannot \
                 run or read anything",
                High,
            ),
            Self::DeadShell => about(
                "shell_dead",
                Key::None,
                "commands",
                "the agent's shell runs nothing any more: even {n} fails|the agent's shell runs nothing any more: even \
                 {n} fail",
                "the shell's process has died, or the folder in which it was is gone",
                "start the agent's shell again; tell the agent to do so when a command that cannot fail does",
                High,
            ),
            Self::InUse => about(
                "file_in_use",
                Key::None,
                "files",
                "a file cannot be replaced, because another program has it open: {n}|files cannot be replaced, because \
                 another program has them open: {n}",
                "a development server, an editor or a test in watch mode uses the file, which Windows then locks",
                "tell the agent to stop the program that uses the file, such as a development server, before this step",
                Medium,
            ),
            Self::Serves => about(
                "server_in_foreground",
                Key::Program,
                "",
                "`{p}` starts a server, which runs until it is stopped",
                "the agent waits for the end of a program that does not end",
                "tell the agent to start it in the background, to wait until it answers, and to stop it afterwards",
                Low,
            ),
            Self::Unparsed => about(
                "file_unparsable",
                Key::None,
                "files",
                "Python cannot parse {n}|Python cannot parse files: {n}",
                "an edit left the file with broken syntax, or quotes and line ends changed on the way through the shell",
                "tell the agent to look whether a file parses right after each edit (`python -m py_compile FILE`), and to undo \
                 the edit if it does not",
                Medium,
            ),
            Self::WrongModule => about(
                "wrong_module_name",
                Key::Program,
                "modules",
                "`{p}` is asked for {n}, which is no module here|`{p}` is asked for modules that do not exist: {n}",
                "the agent guesses how tests or settings are named here",
                "say in the agent's instructions how tests and settings are named here",
                Medium,
            ),
            Self::Scratch => about(
                "scratch_scripts",
                Key::None,
                "exceptions",
                "scripts that the agent wrote for one use raise exceptions: {n}",
                "the script assumes something of data or of an interface that is not so, or it reproduces an error on purpose",
                "tell the agent to print a small part of the data before it writes a script for it, and to keep what it runs \
                 again in a file",
                Low,
            ),
            Self::Shell => about(
                "shell_syntax",
                Key::None,
                "",
                "the shell could not read the command",
                "quotes, brackets or wildcards in the command mean something to the shell",
                "tell the agent to put texts with quotes or special characters into a file, and patterns into quotes",
                Low,
            ),
            Self::NoTests => about(
                "no_tests_found",
                Key::Program,
                "tests",
                "`{p}` found no tests to run: {n}",
                "the path or the filter matches no test",
                "tell the agent to list the tests first, or to run the whole file",
                Low,
            ),
            Self::Terminal => about(
                "terminal_missing",
                Key::Program,
                "",
                "`{p}` asks for a terminal, and the agent has none",
                "the program wants to ask something, or to show a screen",
                "say in the agent's instructions which option or input answers in advance, such as `--yes`",
                Medium,
            ),
            Self::Timeout => about(
                "timeout",
                Key::Program,
                "limits",
                "`{p}` did not end within its time limit",
                "the work takes longer than the limit, or it waits for something that never happens",
                "run a smaller part, or run it in the background and look at its output",
                Medium,
            ),
            Self::Access => about(
                "access_denied",
                Key::None,
                "paths",
                "access is denied: {n}",
                "the agent's user may not read, write or run this",
                "grant the access, or say in the agent's instructions where to work instead",
                Medium,
            ),
            Self::Path => about(
                "missing_path",
                Key::None,
                "paths",
                "a path does not exist: {n}|paths do not exist: {n}",
                "the agent guesses paths, or assumes another working directory",
                "",
                Low,
            ),
            Self::Tests => about(
                "failing_tests",
                Key::Program,
                "tests",
                "`{p}` fails in the test {n}|`{p}` has failing tests: {n}",
                "the code does not do what these tests expect",
                "",
                Medium,
            ),
            Self::Problems => about(
                "reported_problems",
                Key::Program,
                "problems",
                "`{p}` reports problems: {n}",
                "the agent writes code that the project's checks refuse",
                "name the rules that are broken most often in the agent's instructions, and have it run this check after each \
                 change",
                Medium,
            ),
            Self::Several => about(
                "failing_program",
                Key::Program,
                "",
                "`{p}` fails, each time with another message",
                "this program is called in a way that it does not take, or several things are wrong",
                "",
                Low,
            ),
            Self::Error => about("error_signature", Key::Line, "", "", "", "", Medium),
            Self::Silent => about(
                "silent_failure",
                Key::Program,
                "",
                "`{p}` fails without a message",
                "the command ends with an exit code that stands for a result, or its messages go elsewhere",
                "",
                Info,
            ),
        }
    }

    /// The cause of a failure whose output has no known sentence.
    pub(crate) fn of_kind(kind: FailureKind) -> Self {
        match kind {
            FailureKind::TestFailure => Self::Tests,
            FailureKind::CompileLint => Self::Problems,
            FailureKind::Timeout => Self::Timeout,
            FailureKind::EditMismatch => Self::EditText,
            _ => Self::Error,
        }
    }
}
