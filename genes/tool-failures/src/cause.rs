//! The causes that this gene knows: how each is called, what is behind it, and what helps.
//!
//! A cause is what failures share, whatever their last line says. [`Cause::about`] has one row for each.

use gephost_gene::Severity::{self, High, Info, Low, Medium};
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
    Forbidden,
    /// The agent's own tool does not run a command, whatever is allowed.
    Refused,
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
    /// Tests that fail without the agent's changes, too.
    Before,
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
    /// A module of the project itself that an import does not find.
    OwnModule,
    /// A patch that does not fit the files, applied by a command and not by the agent's tool for edits.
    Patch,
    /// A request to the model that got no answer, because the connection broke or never was.
    ModelConnection,
    /// A call that failed inside the agent's sandbox, and worked with a wider permission.
    Escalated,
    /// An argument, and no option, that a program does not take.
    Argument,
    /// A here-document whose end word does not stand alone on a line.
    HereDocument,
    /// A server that closes the connection before it has answered.
    Reset,
    /// A program whose options, subcommands or arguments are wrong in different ways.
    Misuse,
    /// A program that fails for another reason each time.
    Several,
    /// A patch whose lines the tool does not find, in this form or in this order.
    PatchLines,
    /// A patch that the tool cannot read.
    PatchForm,
    /// A patch with more than one operation on a file.
    PatchTwice,
    /// Lines for a POSIX shell that `make` or a script of a package manager gives to cmd.exe.
    PosixRecipe,
    /// An edit that the tool refuses, because the file would not parse behind it.
    EditSyntax,
    /// An account that has no money or quota left.
    Credits,
    /// A server whose certificate the program does not trust.
    Certificate,
    /// A path whose backslashes Bash took away.
    Backslashes,
    /// A script or data in an argument, whose quotes PowerShell changed.
    Quotes,
    /// A folder that the agent removed itself.
    Removed,
    /// Programs of an environment that are called without its folder.
    NotActive,
    /// Several paths with a wrong folder at their front.
    Front,
    /// Several paths without the folder that belongs at their front.
    NoFront,
    /// A run that waits for changes of files, and commands that are sent to its shell.
    Watches,
    /// An environment without Python, or without packages that the project needs.
    Python,
    /// A sandbox that forbids connections and folders.
    Confined,
    /// A function of a shell that is called where no file defines it.
    Function,
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
    cause: Cause,
    /// The kind of the finding, and its GEP signal.
    pub(crate) kind: &'static str,
    pub(crate) key: Key,
    /// What the names are, in the plural; empty if there are none.
    pub(crate) names: &'static str,
    /// The title. `{p}` is the program, `{n}` the names; with `|` the part before it is for one name, the other part for
    /// several or none.
    pub(crate) title: &'static str,
    /// What helps, if the log does not show what helped; empty if nothing helps in general.
    pub(crate) advice: &'static str,
    pub(crate) severity: Severity,
}

const fn about(
    cause: Cause,
    kind: &'static str,
    key: Key,
    names: &'static str,
    title: &'static str,
    advice: &'static str,
    severity: Severity,
) -> About {
    About { cause, kind, key, names, title, advice, severity }
}

/// What is known of each cause, in the order of [`Cause`].
static ABOUT: [About; 86] = [
    about(
        Cause::EditText,
        "edit_text_missing",
        Key::None,
        "files",
        "edits expect text that is not in the file",
        "tell the agent to read the lines again right before it edits them, and to match fewer lines",
        Medium,
    ),
    about(
        Cause::EditUnread,
        "edit_unread",
        Key::None,
        "files",
        "files are edited before they are read",
        "tell the agent to read a file before its first edit, also after its context was compacted",
        Low,
    ),
    about(
        Cause::EditStale,
        "edit_stale",
        Key::None,
        "files",
        "files change between reading and editing them",
        "tell the agent to read a file again before it edits it, if anything else may have changed it (a formatter, a hook, a script)",
        Low,
    ),
    about(
        Cause::EditAmbiguous,
        "edit_ambiguous",
        Key::None,
        "files",
        "edits match more than one place",
        "tell the agent to include the lines around the place, or to replace all places on purpose",
        Low,
    ),
    about(
        Cause::EditNothing,
        "edit_changes_nothing",
        Key::None,
        "files",
        "edits change nothing",
        "tell the agent to look at the file before it repeats an edit",
        Low,
    ),
    about(
        Cause::TooLarge,
        "input_too_large",
        Key::None,
        "files",
        "a file or an output is too large to be read at once",
        "tell the agent to search first, and to read a part with offset and limit",
        Low,
    ),
    about(
        Cause::Parameters,
        "tool_parameters",
        Key::Program,
        "parameters",
        "`{p}` is called with wrong parameters: {n}|`{p}` is called with wrong parameters",
        "name the parameters of this tool in the agent's instructions",
        Low,
    ),
    about(
        Cause::Denied,
        "approval_needed",
        Key::None,
        "commands",
        "calls need an approval that nobody gave: {n}",
        "allow the commands that are harmless in the agent's permissions, and tell the agent to ask for the others",
        Medium,
    ),
    about(
        Cause::Forbidden,
        "permission_rule",
        Key::None,
        "commands",
        "the agent's permission rules refuse calls: {n}",
        "allow what is harmless in the agent's settings, or say in its instructions what to do instead",
        Medium,
    ),
    about(
        Cause::Refused,
        "refused_command",
        Key::None,
        "commands",
        "the agent's tool does not run commands of a kind: {n}",
        "say in the agent's instructions which commands its tool does not run, and what to run instead",
        Medium,
    ),
    about(
        Cause::Overload,
        "provider_limits",
        Key::None,
        "",
        "the model's provider refused requests: overloaded, or a limit was reached",
        "configure a second model to fall back to, or run fewer agents at once; if the account's own limit was reached, raise it",
        High,
    ),
    about(
        Cause::Login,
        "login_missing",
        Key::Line,
        "callers",
        "not logged in, or credentials refused: {n}",
        "log in on this machine, or pass the credentials into the agent's environment",
        High,
    ),
    about(
        Cause::Network,
        "network",
        Key::None,
        "hosts",
        "a server cannot be reached: {n}|servers cannot be reached: {n}",
        "start the server before this step, and wait until it answers",
        Medium,
    ),
    about(
        Cause::PortInUse,
        "port_in_use",
        Key::None,
        "ports",
        "a port is already in use: {n}|ports are already in use: {n}",
        "tell the agent to stop the servers that it starts, or to use a free port",
        Medium,
    ),
    about(
        Cause::Memory,
        "out_of_memory",
        Key::Program,
        "",
        "`{p}` ran out of memory",
        "give the step more memory, or make it do less at once",
        High,
    ),
    about(
        Cause::Disk,
        "disk_full",
        Key::None,
        "",
        "the disk is full",
        "free some space; nothing else will work before that",
        High,
    ),
    about(
        Cause::Locked,
        "locked",
        Key::None,
        "",
        "a lock is already taken",
        "tell the agent not to run these steps at the same time, and to remove a lock that a killed process left",
        Low,
    ),
    about(
        Cause::Conflict,
        "git_conflict",
        Key::None,
        "",
        "git could not merge without conflicts",
        "tell the agent to bring its branch up to date before it starts, and how conflicts are resolved here",
        Medium,
    ),
    about(
        Cause::Diverged,
        "git_diverged",
        Key::None,
        "",
        "git could not fast-forward",
        "tell the agent to work on a branch of its own, or to use `git pull --rebase`",
        Medium,
    ),
    about(
        Cause::Damaged,
        "git_damaged",
        Key::None,
        "",
        "a git repository is damaged: objects are missing or cannot be read",
        "fetch the objects again from the remote, or make a new clone; then look at `git fsck`",
        High,
    ),
    about(
        Cause::PushRejected,
        "git_push_rejected",
        Key::None,
        "",
        "git push was rejected",
        "tell the agent to fetch and rebase before it pushes, and to push to a branch of its own",
        Medium,
    ),
    about(
        Cause::Uncommitted,
        "git_uncommitted",
        Key::None,
        "",
        "git stopped because of changes that are not committed",
        "tell the agent to look at `git status` first, and to commit before it switches, pulls or merges",
        Low,
    ),
    about(
        Cause::NothingToCommit,
        "git_nothing_to_commit",
        Key::None,
        "",
        "git had nothing to commit",
        "tell the agent to look at `git status` before it commits",
        Low,
    ),
    about(
        Cause::GitName,
        "git_name_unknown",
        Key::None,
        "names",
        "git does not know a name: {n}|git does not know names: {n}",
        "tell the agent to list branches and files before it names one",
        Low,
    ),
    about(
        Cause::Exists,
        "already_exists",
        Key::None,
        "callers",
        "calls stopped because something already exists: {n}",
        "tell the agent to check for it first, or to use a name of its own",
        Low,
    ),
    about(
        Cause::Hook,
        "git_hook",
        Key::None,
        "checks",
        "a git hook refused the commit or the push: {n}",
        "tell the agent to run the hook's checks before it commits",
        Medium,
    ),
    about(
        Cause::Folder,
        "wrong_folder",
        Key::None,
        "programs",
        "commands do not find what they need in the folder where they run: {n}",
        "say in the agent's instructions from which folder each command runs",
        Medium,
    ),
    about(
        Cause::Script,
        "missing_script",
        Key::Program,
        "scripts",
        "`{p}` has no script or target {n}|`{p}` is asked for scripts or targets that do not exist: {n}",
        "list the scripts that exist in the agent's instructions",
        Medium,
    ),
    about(
        Cause::Subcommand,
        "unknown_subcommand",
        Key::Program,
        "subcommands",
        "`{p}` has no subcommand {n}|`{p}` is called with subcommands that it does not have: {n}",
        "say in the agent's instructions which subcommand serves, or point to the program's help",
        Low,
    ),
    about(
        Cause::OptionRefused,
        "option_refused",
        Key::Program,
        "options",
        "`{p}` refuses the option {n}|`{p}` refuses options: {n}",
        "say in the agent's instructions which option serves instead",
        Low,
    ),
    about(
        Cause::Versions,
        "wrong_version",
        Key::Program,
        "versions",
        "`{p}` needs another version: {n}|`{p}` complains about versions: {n}",
        "install the version that the project asks for, or pin it in the project",
        High,
    ),
    about(
        Cause::Program,
        "missing_program",
        Key::Name,
        "programs",
        "the program {n} is not installed, or not on the PATH|programs are not installed, or not on the PATH: {n}",
        "install what is missing where the agent works, or say in its instructions that this machine has none",
        Medium,
    ),
    about(
        Cause::Wrapped,
        "wrapped_command",
        Key::Name,
        "wrappers",
        "commands fail behind {n}, and work without it",
        "tell the agent to run these commands as they are",
        Medium,
    ),
    about(
        Cause::Unwrapped,
        "unwrapped_command",
        Key::Name,
        "wrappers",
        "commands fail alone, and work behind {n}",
        "say in the agent's instructions that the project's programs are started this way",
        Medium,
    ),
    about(
        Cause::Module,
        "missing_module",
        Key::Program,
        "modules",
        "the module {n} is missing when `{p}` runs|modules are missing when `{p}` runs: {n}",
        "install what is missing before the agent starts, or say in its instructions which environment to use",
        Medium,
    ),
    about(
        Cause::Shell,
        "shell_syntax",
        Key::None,
        "",
        "the shell could not read the command",
        "tell the agent to put scripts, and texts with quotes or special characters, into a file",
        Low,
    ),
    about(
        Cause::NoTests,
        "no_tests_found",
        Key::Program,
        "tests",
        "`{p}` found no tests to run: {n}",
        "tell the agent to list the tests first, or to run the whole file",
        Low,
    ),
    about(
        Cause::Terminal,
        "terminal_missing",
        Key::Program,
        "",
        "`{p}` asks for input or a terminal, and gets none",
        "say in the agent's instructions which option or input answers in advance, such as `--yes`",
        Medium,
    ),
    about(
        Cause::Timeout,
        "timeout",
        Key::Program,
        "limits",
        "`{p}` did not end within its time limit",
        "allow it more time, or tell the agent to run it in the background and to look at its output",
        Medium,
    ),
    about(
        Cause::Access,
        "access_denied",
        Key::None,
        "paths",
        "access is denied: {n}",
        "give the agent's user access, or say in the agent's instructions where to work instead; \
                 if the agent runs in a sandbox, allow it there",
        Medium,
    ),
    about(
        Cause::Path,
        "missing_path",
        Key::None,
        "paths",
        "a path does not exist: {n}|paths do not exist: {n}",
        "",
        Low,
    ),
    about(
        Cause::Tests,
        "failing_tests",
        Key::Program,
        "tests",
        "`{p}` fails in the test {n}|`{p}` has failing tests: {n}",
        "",
        Medium,
    ),
    about(
        Cause::Problems,
        "reported_problems",
        Key::Program,
        "problems",
        "`{p}` reports problems: {n}",
        "name the rules that are broken most often in the agent's instructions, and have it run this check after each \
                 change",
        Medium,
    ),
    about(
        Cause::Before,
        "failing_before",
        Key::None,
        "tests",
        "tests fail with and without the agent's changes: {n}",
        "repair these tests or their environment before the agent starts, or tell the agent to leave them out",
        Medium,
    ),
    about(Cause::Error, "error_signature", Key::Line, "", "", "", Medium),
    about(Cause::Silent, "silent_failure", Key::Program, "", "`{p}` fails without a message", "", Info),
    about(
        Cause::RateLimit,
        "rate_limited",
        Key::None,
        "callers",
        "requests were refused because of a rate limit: {n}",
        "tell the agent to wait before it asks again and to ask for less, or use an account with a higher limit",
        Medium,
    ),
    about(
        Cause::Outside,
        "no_git_repository",
        Key::None,
        "commands",
        "git runs outside of a repository: {n}",
        "say in the agent's instructions in which folder the repository is, or that there is none",
        Low,
    ),
    about(
        Cause::Package,
        "unknown_package",
        Key::Program,
        "packages",
        "`{p}` finds no package {n}|`{p}` finds no packages: {n}",
        "tell the agent to search the registry for a package before it installs it",
        Low,
    ),
    about(
        Cause::Schema,
        "unknown_column",
        Key::None,
        "names",
        "a query names {n}, which the database does not have|queries name what the database does not have: {n}",
        "tell the agent to read the schema before it writes a query",
        Low,
    ),
    about(
        Cause::Variable,
        "empty_variable",
        Key::Name,
        "variables",
        "the shell variable {n} is empty",
        "set it in the agent's environment, or tell the agent to write the path out",
        Low,
    ),
    about(
        Cause::OtherShell,
        "other_shell",
        Key::None,
        "commands",
        "commands are written for another shell than the one that runs them: {n}",
        "say in the agent's instructions which shell its tool runs, and how paths are written there",
        Medium,
    ),
    about(
        Cause::Busy,
        "shell_busy",
        Key::None,
        "",
        "commands are sent to a shell in which another one still runs",
        "tell the agent to stop such a command first, or to start what runs long in the background or with a time \
                 limit",
        Medium,
    ),
    about(
        Cause::Sandbox,
        "sandbox_failed",
        Key::None,
        "",
        "the agent's sandbox could not start commands",
        "start the agent in a sandbox mode that works on this machine, or update the agent: until then it cannot \
                 run or read anything",
        High,
    ),
    about(
        Cause::DeadShell,
        "shell_dead",
        Key::None,
        "commands",
        "the agent's shell runs nothing any more: even {n} fails|the agent's shell runs nothing any more: even \
                 {n} fail",
        "start the agent's shell again; tell the agent to do so when a command that cannot fail does",
        High,
    ),
    about(
        Cause::InUse,
        "file_in_use",
        Key::None,
        "files",
        "a file cannot be replaced, because another program has it open: {n}|files cannot be replaced, because \
                 another program has them open: {n}",
        "tell the agent to stop the program that uses the file, such as a development server, before this step",
        Medium,
    ),
    about(
        Cause::Serves,
        "server_in_foreground",
        Key::Program,
        "",
        "`{p}` starts a server, which runs until it is stopped",
        "tell the agent to start it in the background, to wait until it answers, and to stop it afterwards",
        Low,
    ),
    about(
        Cause::Unparsed,
        "file_unparsable",
        Key::None,
        "files",
        "Python cannot parse {n}|Python cannot parse files: {n}",
        "tell the agent to look whether a file parses right after each edit (`python -m py_compile FILE`), and to undo \
                 the edit if it does not",
        Medium,
    ),
    about(
        Cause::WrongModule,
        "wrong_module_name",
        Key::Program,
        "modules",
        "`{p}` does not find the module {n}, which the command names|`{p}` does not find modules that the commands name: {n}",
        "say in the agent's instructions how tests and settings are named here",
        Medium,
    ),
    about(
        Cause::Scratch,
        "scratch_scripts",
        Key::None,
        "exceptions",
        "scripts that the agent wrote itself fail: {n}",
        "",
        Low,
    ),
    about(
        Cause::OwnModule,
        "own_module_not_found",
        Key::None,
        "modules",
        "an import does not find {n}, which the project has as a folder or file|imports do not find what the \
                 project has as folders or files: {n}",
        "say in the agent's instructions from which folder code runs, or which folder belongs on the module path (such \
                 as PYTHONPATH)",
        Medium,
    ),
    about(
        Cause::Patch,
        "patch_rejected",
        Key::None,
        "files",
        "a patch does not fit {n}|a patch does not fit these files: {n}",
        "make the patch again from the files as they are; `git apply -R --check` tells whether they have the change already",
        Medium,
    ),
    about(
        Cause::ModelConnection,
        "model_connection",
        Key::None,
        "providers",
        "requests to the model's provider got no answer: {n}",
        "check whether this machine reaches the provider (network, proxy, its status page), or configure a second model to \
                 fall back to",
        Medium,
    ),
    about(
        Cause::Escalated,
        "sandbox_permission",
        Key::None,
        "programs",
        "calls fail inside the agent's sandbox and worked outside of it: {n}",
        "allow these programs, or the network that they need, in the sandbox, or let the agent ask for the permission at once",
        High,
    ),
    about(
        Cause::Argument,
        "argument_refused",
        Key::Program,
        "arguments",
        "`{p}` does not take the argument {n}|`{p}` does not take arguments: {n}",
        "look at how many arguments its help allows, and call it once for each of them if it takes only one",
        Low,
    ),
    about(
        Cause::HereDocument,
        "here_document_open",
        Key::None,
        "end words",
        "a here-document does not end: {n} does not stand alone on its line|here-documents do not end: {n} do not stand alone on their lines",
        "tell the agent to put nothing behind the end word on its line and to end the command with a line break, or \
                 to write such texts with its tool for files",
        Medium,
    ),
    about(
        Cause::Reset,
        "connection_closed",
        Key::None,
        "hosts",
        "a server closes the connection: {n}|servers close the connection: {n}",
        "look at what the server itself logs: it was reached, and did not answer",
        Medium,
    ),
    about(Cause::Misuse, "called_wrongly", Key::Program, "arguments", "`{p}` is called in wrong ways", "", Low),
    about(Cause::Several, "different_failures", Key::Program, "", "`{p}` fails in different ways", "", Low),
    about(
        Cause::PatchLines,
        "patch_lines_missing",
        Key::None,
        "files",
        "patches have lines that the tool does not find in the file, in this form and order",
        "tell the agent to copy the lines of a patch from the file as it is now, in the order of the file, and to make \
                 several small patches of a large one",
        Medium,
    ),
    about(
        Cause::PatchForm,
        "patch_unreadable",
        Key::None,
        "files",
        "patches do not have the form that the tool reads",
        "show the form of a patch in the agent's instructions: the message says which line is wrong",
        Low,
    ),
    about(
        Cause::PatchTwice,
        "patch_twice",
        Key::None,
        "files",
        "one patch has several operations on one file",
        "tell the agent to use one operation for each file in a patch: to update the file, or to delete and add it in two \
                 patches",
        Low,
    ),
    about(
        Cause::PosixRecipe,
        "posix_recipe",
        Key::None,
        "commands",
        "lines for a POSIX shell are run by cmd.exe: {n}",
        "have the agent run this in Git Bash, or put the folder `usr\\bin` of Git for Windows on the PATH, so that `sh` is \
                 found",
        Medium,
    ),
    about(
        Cause::EditSyntax,
        "edit_breaks_syntax",
        Key::None,
        "files",
        "edits are refused, because the file would have a syntax error",
        "tell the agent to look at the lines around the edit first, and to keep their indentation and brackets",
        Medium,
    ),
    about(
        Cause::Credits,
        "credits_used_up",
        Key::None,
        "callers",
        "an account has no credits left: {n}",
        "pay for more credits, or tell the agent what to use instead: asking again does not help",
        High,
    ),
    about(
        Cause::Certificate,
        "untrusted_certificate",
        Key::None,
        "hosts",
        "the certificate of a server is not trusted: {n}|the certificates of servers are not trusted: {n}",
        "give the program the certificate of the authority that signs here, such as a company's proxy (`SSL_CERT_FILE`, \
                 `REQUESTS_CA_BUNDLE`, `NODE_EXTRA_CA_CERTS`, `curl --cacert`, `git config http.sslCAInfo`)",
        Medium,
    ),
    about(
        Cause::Backslashes,
        "lost_backslashes",
        Key::None,
        "paths",
        "Bash takes the backslashes out of a path: {n}|Bash takes the backslashes out of paths: {n}",
        "tell the agent to write paths of Windows with `/`, or in single quotes: Bash takes an unquoted `\\` away",
        Medium,
    ),
    about(
        Cause::Quotes,
        "broken_quotes",
        Key::None,
        "programs",
        "PowerShell breaks the quotes inside an argument of {n}|PowerShell breaks the quotes inside arguments of programs: {n}",
        "tell the agent to put a script or data with quotes into a file, or to pipe it in as a here-string (a line `@'`, the \
                 text, a line `'@ | python -`): in PowerShell `\\\"` ends an argument",
        Medium,
    ),
    about(
        Cause::Removed,
        "removed_by_agent",
        Key::None,
        "folders",
        "the agent removed a folder that it then needed: {n}|the agent removed folders that it then needed: {n}",
        "forbid recursive removal outside of the project in the agent's permissions, and tell the agent to look whether it still \
                 needs a folder, also by another spelling of its path, before it removes it",
        High,
    ),
    about(
        Cause::NotActive,
        "environment_not_active",
        Key::None,
        "programs",
        "programs are called without the folder of their environment: {n}",
        "say in the agent's instructions in which environment the programs of this project are",
        Medium,
    ),
    about(
        Cause::Front,
        "wrong_path_front",
        Key::None,
        "folders",
        "paths that are looked for in {n} are not there",
        "",
        Medium,
    ),
    about(
        Cause::NoFront,
        "missing_path_front",
        Key::None,
        "folders",
        "paths are given without {n} in front of them",
        "",
        Medium,
    ),
    about(
        Cause::Watches,
        "watch_mode",
        Key::Program,
        "",
        "`{p}` waits for changes of files, and does not end",
        "tell the agent to run it once, and not in its watch mode: with `CI=true` in front, or with the option for that (`vitest \
                 run`, `jest --watchAll=false`)",
        Low,
    ),
    about(
        Cause::Python,
        "python_environment",
        Key::None,
        "programs and modules",
        "Python, or a package that the project needs, is not found: {n}",
        "say in the agent's instructions which Python has the project's packages (such as `.venv/bin/python`, `uv run python`), or \
                 make that environment before the agent starts",
        Medium,
    ),
    about(
        Cause::Confined,
        "sandbox_refuses",
        Key::None,
        "paths and hosts",
        "the system forbids connections and folders that commands need: {n}",
        "let the agent's sandbox reach the network and write to these folders, or let the agent run these steps outside of it",
        Medium,
    ),
    about(
        Cause::Function,
        "shell_function_missing",
        Key::None,
        "functions",
        "a shell function is not defined where it is called: {n}|shell functions are not defined where they are called: {n}",
        "tell the agent to load the file that defines a function in the same call that uses it, and to look whether that worked: \
                 functions of an earlier call may be gone",
        Medium,
    ),
];

const _: () = {
    let mut at = 0;
    while at < ABOUT.len() {
        assert!(ABOUT[at].cause as usize == at, "the rows are in the order of the causes");
        at += 1;
    }
};

impl Cause {
    /// What is known of it.
    pub(crate) fn about(self) -> &'static About {
        &ABOUT[self as usize]
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
