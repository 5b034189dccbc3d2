//! Errors of programs that only show something, and of those that start another program elsewhere: what they say of
//! themselves, and not what they show.

use super::evidence::contains;
use super::shell_errors::SHELL_LINE;

/// What a program that only shows something prints when it cannot: its errors, not those in what it shows.
const ERRORS_OF_READERS: &[(&str, &[&str])] = &[
    ("curl", &["curl: ("]),
    (
        "docker",
        &[
            "Error response from daemon: ",
            "Cannot connect to the Docker daemon",
            "no such service: ",
            "Error: No such ",
        ],
    ),
    (
        "gh",
        &[
            "gh: ",
            "GraphQL: ",
            "HTTP 4",
            "no pull requests found",
            "failed to ",
            "error connecting",
            "invalid character '",
        ],
    ),
    ("git", &["fatal: "]),
    ("jq", &["parse error: ", "jq: error", "jq: parse error"]),
    (
        "kubectl",
        &[
            "Error from server",
            "The connection to the server ",
            "Unable to connect to the server",
            "error: the server ",
        ],
    ),
    ("podman", &["Error: no container with", "Error: no such "]),
    ("systemctl", &["Unit "]),
    ("yq", &["Error: "]),
];

/// What programs print that do not understand what they were asked.
const REFUSALS: [&str; 24] = [
    "unrecognized",
    "unrecognised",
    "invalid option",
    "illegal option",
    "unknown option",
    "unknown predicate",
    "unknown primary",
    "unknown command",
    "regex parse error",
    "parse error",
    "syntax error",
    "unterminated",
    "unmatched",
    "lookbehind",
    "invalid preceding regular expression",
    "invalid regular expression",
    "invalid range end",
    "not balanced",
    "trailing backslash",
    "missing argument",
    "extra characters",
    "unexpected newline",
    "error (at",
    "error:",
];

/// Whether a program that only shows something reports an error of its own.
pub(super) fn is_own_error(words: &[String], text: &str) -> bool {
    let Some(program) = words.first() else { return false };
    let says = |start: &str| contains(text, start) && text.lines().any(|line| line.starts_with(start));
    // The content that git shows may contain `error: `.
    let shows = ["show", "cat-file", "diff"];
    let git_error = program == "git" && !words.iter().any(|word| shows.contains(&word.as_str())) && says("error: ");
    let listed = ERRORS_OF_READERS.iter().filter(|(name, _)| name == program).flat_map(|(_, starts)| *starts);
    let refuses = || {
        let refusal = |said: &str| {
            let said = said.to_lowercase();
            REFUSALS.iter().any(|refusal| said.contains(refusal))
        };
        let name = name_of(program);
        let complains = contains(text, &format!("{name}: ")) || contains(text, &format!("{name} : "));
        complains && text.lines().any(|line| complaint_of(program, line).is_some_and(refusal))
    };
    let is_fetch_error = |line: &str| {
        [" ERROR 4", " ERROR 5", "... failed: ", "unable to resolve host address"]
            .iter()
            .any(|said| line.contains(said))
    };
    let fetch_error = program == "wget" && text.lines().any(is_fetch_error);
    let xml_error = program == "xmllint" && [" error : ", "xmllint: "].iter().any(|said| contains(text, said));
    git_error
        || fetch_error
        || xml_error
        || listed.into_iter().any(|start| says(start))
        || refuses()
        || shows_how_it_is_called(words, text)
}

/// Whether a program prints its usage without being asked for it.
fn shows_how_it_is_called(words: &[String], text: &str) -> bool {
    let asks = |word: &String| matches!(word.as_str(), "-h" | "--help" | "help" | "-?" | "--usage");
    let Some((program, words)) = words.split_first() else { return false };
    let starts = ["usage: ", "Usage: "].map(|start| format!("{start}{} ", name_of(program)));
    contains(text, "sage: ")
        && !words.iter().any(asks)
        && text.lines().take(3).any(|line| starts.iter().any(|start| line.starts_with(start.as_str())))
}

/// The number of complaints, if the output consists only of complaints of the programs that should have shown something.
pub(super) fn complaints_if_only(programs: &[&str], text: &str) -> Option<usize> {
    let is_complaint =
        |line: &str| programs.iter().any(|program| complaint_of(program, line).is_some()) || SHELL_LINE.is_match(line);
    // A warning does not keep a program from its work.
    let is_warning =
        |line: &&str| ["arning:", "WARNING:", ": no pwd entry for UID "].iter().any(|words| line.contains(words));
    let mut complaints = 0;
    let said = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("Try '"));
    for line in said.filter(|line| line.starts_with(UGREP) || !is_warning(line)) {
        if !is_complaint(line) {
            return None;
        }
        complaints += 1;
    }
    (complaints > 0).then_some(complaints)
}

/// Whether the complaints in an output are about places that may not be read, and there are results besides.
pub(super) fn is_only_denied_in_part(words: &[String], text: &str) -> bool {
    let Some(program) = words.first() else { return false };
    let denied = |said: &str| said.contains("Permission denied") || said.contains("Operation not permitted");
    let (mut results, mut denials) = (false, false);
    let fine = text.lines().filter(|line| !line.trim().is_empty()).all(|line| {
        let complaint = complaint_of(program, line);
        results |= complaint.is_none();
        denials |= complaint.is_some();
        complaint.is_none_or(denied)
    });
    fine && results && denials && matches!(program.as_str(), "find" | "fd" | "du" | "tree" | "grep" | "rg" | "ls")
}

/// Whether a search could not open a place. Its code is then 2, which PowerShell turns into the 1 of a search that found nothing.
pub(super) fn could_not_open_a_place(words: &[String], text: &str) -> bool {
    let Some(program) = words.first() else { return false };
    let says_why = |said: &str| said.contains("(os error ") && said.trim_end().ends_with(')');
    contains(text, "(os error ") && text.lines().any(|line| complaint_of(program, line).is_some_and(says_why))
}

/// The name of a program without its folder.
pub(super) fn name_of(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// The name of a program without the ending that Windows gives it.
pub(super) fn bare_name_of(program: &str) -> &str {
    let name = name_of(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// How `ugrep`, which some agents run in place of `grep`, says that it could not read a file.
const UGREP: &str = "ugrep: warning: ";

/// What a program says in a line that begins with its name, if that is a complaint and no output.
fn complaint_of<'t>(program: &str, line: &'t str) -> Option<&'t str> {
    if name_of(program) == "grep" && line.starts_with(UGREP) {
        return line.strip_prefix(UGREP);
    }
    let said = line.trim_start().strip_prefix(name_of(program))?;
    said.strip_prefix(": ").or_else(|| said.strip_prefix(" : "))
}

/// Whether what starts another program elsewhere failed itself: the first line says so.
pub(super) fn is_error_of_a_wrapper(text: &str) -> bool {
    const STARTS: [&str; 12] = [
        "Error response from daemon: ",
        "Cannot connect to the Docker daemon",
        "docker: Error response from daemon: ",
        "docker: Cannot connect to the Docker daemon",
        "OCI runtime exec failed",
        "Error from server",
        "Error: No such container",
        "Error: no container with",
        "Error: initializing source ",
        "There is no distribution with",
        "ssh: ",
        "service \"",
    ];
    // What `ssh` says of a host that does not let it in.
    const REFUSED: [&str; 3] = [
        "Connection timed out during banner exchange",
        "Host key verification failed.",
        "kex_exchange_identification: ",
    ];
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let host = first.split_once(": Permission denied (").map(|(host, _)| host);
    STARTS.iter().chain(&REFUSED).any(|start| first.starts_with(start))
        || host.is_some_and(|host| !host.contains(char::is_whitespace))
        || contains(text, "\ncommand terminated with exit code ")
}

/// Whether git is asked whether a name is that of a commit or a branch. Its code for "no" is 128.
pub(super) fn asks_git_for_a_name(words: &[String]) -> bool {
    let has = |word: &str| words.iter().any(|other| other == word);
    words.first().is_some_and(|program| program == "git")
        && (has("show-ref") || has("rev-parse") && ["--verify", "-q", "--quiet"].into_iter().any(has))
}

/// Whether all that was printed says that the programs which were asked for are not there: `buf not found`.
pub(super) fn is_answer_no(words: &[String], text: &str) -> bool {
    let asked = || words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let says_no = |line: &str| {
        let line = line.trim().trim_start_matches("Error: ");
        asked().any(|name| line.contains(name.as_str())) && (line.ends_with("not found") || line.contains(": no "))
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    match words.first().map(String::as_str) {
        Some("which" | "type" | "command" | "hash") => lines.all(says_no),
        Some("kill") => lines.all(says_that_a_process_is_gone),
        Some("id") => lines.all(|line| line.ends_with(": no such user")),
        Some("git") => {
            let says_no =
                |line: &str| line.ends_with("Needed a single revision") || line.ends_with(" - not a valid ref");
            asks_git_for_a_name(words) && lines.all(says_no)
        }
        Some("where" | "where.exe") => lines.all(|line| line.starts_with("INFO: Could not find files")),
        _ => false,
    }
}

/// Whether a shell or `kill` says that what was to be stopped does not run.
pub(super) fn says_that_a_process_is_gone(line: &str) -> bool {
    line.contains("kill") && (line.contains("o such process") || line.contains("o such job"))
}
