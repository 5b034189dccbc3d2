//! What the call itself says of a known sentence: the same words have another cause in another command.

use crate::call::Call;
use crate::cause::Cause;
use crate::causes::backslashes;
use crate::causes::other_shell;
use crate::command::paths::changes_to;
use crate::command::server::is_server;
use crate::command::shell::{Step, document, pieces};
use crate::output::named::{changes_folder, missing_path, port};
use crate::output::names;
use crate::output::refusals;
use crate::output::sentences::Match;
use crate::output::watch::waits_for_changes;

/// The cause of a failure with a known sentence, as the whole call shows it, and the name that it is about if that is not the
/// one in the sentence.
pub(crate) fn refined<'a>(
    call: &Call<'a>,
    line: &'a str,
    found: &Match<'a>,
    steps: &[Step<'_>],
) -> (Cause, Option<&'a str>) {
    let path = || missing_path(line).or_else(|| names::path(line));
    if let Some(variable) = empty_variable(call.input, line, found.cause) {
        return (Cause::Variable, Some(variable));
    }
    if let Some(path) = backslashes::lost(call.input, line, found.cause) {
        return (Cause::Backslashes, Some(path));
    }
    if other_shell::is_recipe(call.input, line, found) {
        return (Cause::PosixRecipe, Some(found.name).filter(|name| !name.is_empty()));
    }
    if let Some(command) = other_shell::command(call.input, line, found) {
        return (Cause::OtherShell, Some(command));
    }
    match found.cause {
        // The shell ran the end word of a here-document, because more stands on its line.
        _ if let Some(word) = end_word(call.input, line) => (Cause::HereDocument, Some(word)),
        Cause::Program if is_function(call.input, found.name) => (Cause::Function, None),
        // A sign is no program, it was meant as text.
        Cause::Program if term(line).is_some_and(|term| !term.contains(char::is_alphanumeric)) => (Cause::Shell, None),
        // Clap and argparse say the same of an option and of a name that is one too many.
        Cause::OptionRefused if line.contains("rgument") && !found.name.starts_with('-') => (Cause::Argument, None),
        // A command of an editor's script is no subcommand.
        Cause::Subcommand if line.contains("expression #") => (Cause::Error, None),
        Cause::Shell if let Some(word) = open_end_word(call.output) => (Cause::HereDocument, Some(word)),
        // The registry has it, for another Python.
        Cause::Package if let Some(python) = needed_python(call.output, found.name) => (Cause::Versions, Some(python)),
        // Nobody holds a lock that could not be written.
        Cause::Locked if is_forbidden(line) => (Cause::Access, names::path(line)),
        // A server whose socket may not be used was not asked.
        Cause::Network if is_forbidden(line) && line.contains('/') => (Cause::Access, names::path(line)),
        // The shell says what it was about to write, and no path.
        Cause::Access if line.contains("temp file for here") => (Cause::Error, None),
        // A lock that does not exist is not taken.
        Cause::Locked if line.contains("o such file") => (Cause::Path, None),
        Cause::EditText => match refusals::refined(line) {
            Cause::Path => (Cause::Path, refusals::file(call.input, call.output)),
            cause => (cause, None),
        },
        // make tells with this code that it found no program of the recipe.
        Cause::Path if call.output.contains("Error 127") && is_of_make(line) => (Cause::Program, missing_path(line)),
        // Only Windows locks files that are in use.
        Cause::InUse if line.contains("EPERM") && !line.contains('\\') => (Cause::Access, None),
        // `cd src` fails in `src` itself, or one level above or below. A makefile or a script changes into a folder of its own.
        Cause::Path if changes_folder(line) && changes_to(call.input, missing_path(line)) => (Cause::Folder, None),
        Cause::Folder if changes_folder(line) && !changes_to(call.input, missing_path(line)) => {
            (Cause::Path, missing_path(line))
        }
        Cause::Path if let Some(folder) = folder_of_new(line, call.input) => (Cause::Path, Some(folder)),
        // What starts other programs does not find the one behind it.
        Cause::Path if let Some(name) = behind_wrapper(call.input, line) => (Cause::Program, Some(name)),
        // A program of the project's dependencies, which are not installed.
        Cause::Path if let Some(name) = path().and_then(of_dependency) => (Cause::Program, Some(name)),
        Cause::Path if let Some(name) = not_started(line) => (Cause::Program, Some(name)),
        Cause::Path if let Some(name) = not_started_by_python(call.output, line) => (Cause::Program, Some(name)),
        Cause::Path if names_no_path(line) => (Cause::Error, None),
        // The message bus of a login, which no network reaches.
        Cause::Network if line.contains("scope bus") || line.contains("to connect to bus") => (Cause::Error, None),
        // make says in its next line whether the program was not found.
        Cause::Program if line.contains("CreateProcess(NULL, ") && !call.output.contains("(e=2)") => {
            (Cause::Error, None)
        }
        Cause::InUse if port(line).is_some() && line.contains("ort ") => (Cause::PortInUse, None),
        // PowerShell could not read its own script, or cmd.exe a command of the agent.
        Cause::OtherShell | Cause::PosixRecipe => (Cause::Shell, None),
        // The shell ran a name between backticks, which was meant as text.
        Cause::Program if !found.name.is_empty() && call.input.contains(&format!("`{}", found.name)) => {
            (Cause::Shell, None)
        }
        // A program or a tool that ran into a limit asked another server than the model's provider.
        Cause::Overload if !call.exception && asks_no_model(call.name, steps) => (Cause::RateLimit, None),
        // The model's server did not answer.
        Cause::Timeout if call.exception => (Cause::Network, None),
        Cause::Timeout if waits_for_changes(call.output) => (Cause::Watches, None),
        Cause::Timeout if serves(call.output) || is_server(call.input) => (Cause::Serves, None),
        // `No module named 'a.b'; 'a' is not a package`: it found another module of that name.
        Cause::Module if line.contains("' is not a package") => (Cause::Error, None),
        Cause::Module if is_named_in(call.input, found.name, steps) => (Cause::WrongModule, None),
        cause => (cause, None),
    }
}

/// Whether a name is written as functions of shells are, and not as a program.
pub(crate) fn is_of_function(name: &str) -> bool {
    name.contains('_') && !name.starts_with("pg_") && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Whether a name that a shell does not find is that of a function: it is written as one, and the command loads a library of them.
fn is_function(input: &str, name: &str) -> bool {
    let loads = |words: &[&str]| {
        let is_library = |file: &str| file.trim_matches(['"', '\'']).ends_with("sh");
        matches!(words, ["source" | ".", file, ..] if is_library(file))
    };
    is_of_function(name) && pieces(input).any(|words| loads(&words))
}

/// The folder that does not exist, if something could not be made in it: `cp: cannot create regular file 'a/b': No such file`,
/// or if the shell could not write there.
fn folder_of_new<'a>(line: &'a str, input: &str) -> Option<&'a str> {
    const MAKES: [&str; 8] = [
        "annot create regular file ",
        "annot create directory ",
        "annot create symbolic link ",
        "ailed to create symbolic link ",
        "ailed to create hard link ",
        "annot touch ",
        "annot open output file ",
        "annot create ",
    ];
    const PROGRAMS: [&str; 3] = ["mkdir: ", "touch: ", "tee: "];
    let of_dash = || line.split_once("cannot create ")?.1.split_once(": Directory nonexistent").map(|(path, _)| path);
    let path = of_dash().or_else(|| missing_path(line))?;
    let is_written = || {
        let behind = |mark: &str| input.contains(&format!("{mark}{path}"));
        ["> ", ">", "> \"", "> '", "of="].iter().any(|mark| behind(mark))
    };
    let makes = MAKES.iter().any(|words| line.contains(words))
        || PROGRAMS.iter().any(|program| line.starts_with(program))
        || is_written();
    let (folder, _) = path.trim_end_matches('/').rsplit_once('/').filter(|_| makes)?;
    (!folder.is_empty() && folder != "." && folder != "..").then_some(folder)
}

/// Whether a line says that the system forbids it, whoever else is at work.
fn is_forbidden(line: &str) -> bool {
    ["peration not permitted", "ermission denied", "ead-only file system"].iter().any(|words| line.contains(words))
}

/// The program that another one does not find: `xargs: x: No such file or directory`, `nohup: failed to run command 'x': …`.
fn not_started(line: &str) -> Option<&str> {
    let of_command = || line.split_once("ailed to run command ").map(|(_, rest)| rest);
    let rest = line.trim_start().strip_prefix("xargs: ").or_else(of_command)?;
    let (name, _) = rest.split_once(": No such file or directory")?;
    let name = name.trim_matches(['\'', '"', '`', '\u{2018}', '\u{2019}']);
    Some(name).filter(|name| !name.is_empty() && !name.contains(['/', ' ']))
}

/// The program that a script of Python does not find, as the traceback shows that it was to start one.
fn not_started_by_python<'l>(output: &str, line: &'l str) -> Option<&'l str> {
    let (_, rest) = line.split_once("FileNotFoundError: [Errno 2] No such file or directory: '")?;
    let name = rest.split('\'').next().filter(|name| !name.is_empty() && !name.contains(['/', ' ']))?;
    output.contains("in _execute_child").then_some(name)
}

/// Whether what does not exist is no path: an option or an attribute, which the line calls so, or a conversion such as `%z` that
/// another program of the same name knows.
fn names_no_path(line: &str) -> bool {
    const CALLED: [&str; 9] =
        ["ption `", "ption '", "ption \"", "ttribute `", "ttribute '", "ttribute \"", "roperty '", "ole \"", "ser \""];
    let is_conversion = line.split_once("'%").is_some_and(|(_, rest)| rest.get(1..2) == Some("'"));
    // A header that a compiler does not find has no place of its own: `#include <a.h>`.
    let is_header = line.contains("nclude ") && line.contains('<') && line.contains('>');
    is_conversion || is_header || line.contains("oes not exist") && CALLED.iter().any(|words| line.contains(words))
}

/// The end word of a here-document that the end of the command closed, which the shell warns about.
fn open_end_word(output: &str) -> Option<&str> {
    let (_, rest) = output.split_once("delimited by end-of-file (wanted `")?;
    rest.split('\'').next().filter(|word| !word.is_empty())
}

/// What PowerShell took for a program: `The term 'a' is not recognized`.
fn term(line: &str) -> Option<&str> {
    line.split_once("he term '")?.1.split('\'').next()
}

/// The end word of a here-document of the command, if the shell took it for a program: `bash: line 9: EOF]: command not found`.
fn end_word<'c>(input: &'c str, line: &str) -> Option<&'c str> {
    let said = line.trim().strip_suffix(": command not found").or(line.trim().strip_suffix(": File name too long"))?;
    let run = said.rsplit([' ', ':']).next()?.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words = input.match_indices("<<").filter_map(|(at, _)| document(input.get(at + 2..)?));
    words.map(|(word, _)| word).find(|word| *word == run)
}

/// What pip says of the Python that a package needs which it passed over: `2.5.1 Requires-Python >=3.12`.
fn needed_python<'o>(output: &'o str, package: &str) -> Option<&'o str> {
    let is_told = output.contains("require a different python version");
    let version = package.split_once("==").map(|(_, version)| version);
    let mut needs = output.match_indices("Requires-Python ").filter(|_| is_told);
    let at = |(at, _): (usize, &str)| {
        let before = output.get(..at)?.trim_end();
        let own = before.rsplit([' ', '\n']).next()?;
        let end = output.get(at..)?.find([';', '\n']).map_or(output.len(), |end| at + end);
        let fits = version.is_none_or(|version| own == version);
        fits.then(|| output.get(at..end)).flatten().map(str::trim)
    };
    needs.find_map(at)
}

/// Whether `make` itself says a line: `make: lint: No such file or directory`.
fn is_of_make(line: &str) -> bool {
    let speaker = line.trim_start().split([':', '[']).next().unwrap_or_default();
    matches!(speaker, "make" | "gmake")
}

/// The program that a wrapper could not start: `a` of `wrap a b`, if all that is said is `wrap: No such file or directory`.
fn behind_wrapper<'c>(input: &'c str, line: &str) -> Option<&'c str> {
    let mut words = input.split_whitespace();
    let wrapper = words.next()?;
    let said = line.trim().trim_start_matches('[').strip_prefix(wrapper)?;
    let is_all = said.starts_with(": No such file or directory") && !said.contains('\'');
    words.next().filter(|name| is_all && name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether the output says that a server is ready.
fn serves(output: &str) -> bool {
    const READY: [&str; 10] = [
        "Local:   http",
        "Local:        http",
        "istening on ",
        "istening at ",
        "erver running at ",
        "erver running on ",
        "unning on http",
        "erving HTTP on ",
        "tarted server on ",
        "ttp server listening",
    ];
    READY.iter().any(|words| output.contains(words))
}

/// The program in a folder in which package managers put those of a project's dependencies.
fn of_dependency(path: &str) -> Option<&str> {
    const FOLDERS: [&str; 3] = ["node_modules/.bin", "node_modules\\.bin", "vendor/bin"];
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    (!name.is_empty() && FOLDERS.iter().any(|known| folder.ends_with(known))).then_some(name)
}

/// Whether neither the tool, if it runs no command, nor any of the programs is an agent or asks a model itself.
fn asks_no_model(tool: &str, steps: &[Step<'_>]) -> bool {
    const MODELS: [&str; 8] = ["claude", "codex", "gemini", "aider", "opencode", "ollama", "llm", "goose"];
    const AGENTS: [&str; 9] = ["task", "agent", "delegate", "model", "llm", "completion", "chat", "oracle", "think"];
    if steps.is_empty() {
        let tool = tool.to_ascii_lowercase();
        return !tool.is_empty() && !MODELS.iter().chain(&AGENTS).any(|word| tool.contains(word));
    }
    !steps.iter().any(|step| MODELS.contains(&step.program))
}

/// The variable that stands in a command before the path that does not exist: `$ROOT/a.py` became `/a.py`.
fn empty_variable<'c>(input: &'c str, line: &str, cause: Cause) -> Option<&'c str> {
    if !matches!(cause, Cause::Path | Cause::Folder | Cause::Access) {
        return None;
    }
    let missing = missing_path(line).or_else(|| names::path(line)).filter(|path| path.starts_with('/'))?;
    let (before, _) = input.split_once(missing)?;
    let before = before.strip_suffix('}').unwrap_or(before);
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (head, name) = before.split_at_checked(start + 1)?;
    (!name.is_empty() && (head.ends_with('$') || head.ends_with("${"))).then_some(name)
}

/// Whether a script in a command sets up Django and names a module in a text: an application or another setting.
fn is_setting(input: &str, module: &str) -> bool {
    let sets_up = ["INSTALLED_APPS", "settings.configure"].iter().any(|words| input.contains(words));
    sets_up && !module.is_empty() && input.split(['\'', '"']).skip(1).any(|text| text.trim_end_matches('\\') == module)
}

/// Whether the command itself names the missing module, and neither runs, imports nor installs it: it is a label of tests, or
/// a settings module.
fn is_named_in(input: &str, module: &str, steps: &[Step<'_>]) -> bool {
    const USES: [&str; 6] = ["-m", "import", "from", "install", "add", "run"];
    let sets = |words: &str| {
        let rest =
            input.split_once(words).map(|(_, rest)| rest.trim_start_matches(['=', ' ', '\'', '"', ',', ')', ']']));
        rest.is_some_and(|rest| rest.starts_with(module))
    };
    if !module.is_empty() && ["SETTINGS_MODULE", "--settings"].iter().any(|words| sets(words)) {
        return true;
    }
    if is_setting(input, module) {
        return true;
    }
    if module.is_empty() || steps.is_empty() || steps.iter().any(|step| step.program == module) {
        return false;
    }
    // A part of a dotted name is named, too: `tests.shop.models`.
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    input.match_indices(module).any(|(at, _)| {
        let (before, after) = (input.get(..at).unwrap_or_default(), input.get(at + module.len()..).unwrap_or_default());
        let is_word = !before.ends_with(is_of_name) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let word = before.trim_end().rsplit([' ', '\n', '"', '\'', ';', ',']).next().unwrap_or_default();
        // Python's code, which is no command line.
        let is_code = input.contains("import ") || input.contains("__import__");
        is_word && !USES.contains(&word) && !is_code
    })
}
