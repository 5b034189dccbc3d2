//! Which program of a command line an output is about.
//!
//! This is no shell. It splits a line at `&&`, `||`, `;`, `|` and line ends outside of quotes, skips what only prepares
//! the work or shortens the output, and looks behind wrappers such as `timeout 60`, `uv run` and `bash -c`.

/// Most bytes of a command that are read, and most programs of it.
const MAX_BYTES: usize = 8192;
const MAX_STEPS: usize = 32;
/// Most bytes of a program's name.
const MAX_NAME: usize = 60;
/// How deep `bash -c "…"` may be nested.
const MAX_DEPTH: usize = 3;
/// Keys under which tools take a command.
const COMMAND_KEYS: [&str; 4] = ["\"command\":", "\"cmd\":", "\"script\":", "\"CommandLine\":"];

/// Words before a program that do not change what it does.
const PREFIXES: [&str; 22] = [
    "sudo", "time", "env", "nohup", "exec", "command", "nice", "stdbuf", "xargs", "npx", "bunx", "uvx", "then", "do",
    "if", "!", "{", "(", "else", "while", "until", "rtk",
];
/// Two words that start the program behind them.
const STARTERS: [[&str; 2]; 17] = [
    ["uv", "run"],
    ["poetry", "run"],
    ["pipenv", "run"],
    ["pdm", "run"],
    ["hatch", "run"],
    ["rye", "run"],
    ["pipx", "run"],
    ["bundle", "exec"],
    ["pnpm", "exec"],
    ["pnpm", "dlx"],
    ["yarn", "exec"],
    ["yarn", "dlx"],
    ["npm", "exec"],
    ["mise", "exec"],
    ["conda", "run"],
    ["mise", "x"],
    ["bun", "x"],
];
/// Their options with a value.
const STARTER_VALUES: [&str; 14] = [
    "--group",
    "--with",
    "--extra",
    "--package",
    "--python",
    "--env-file",
    "--directory",
    "--project",
    "-n",
    "--filter",
    "--prefix",
    "-C",
    "--cwd",
    "--dir",
];
/// Programs that start another one, by what they call themselves in their messages.
pub(crate) const WRAPPERS: [&str; 16] = [
    "mise", "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pipx", "bundler", "conda", "xargs", "sudo", "timeout",
    "env", "nohup", "rtk",
];
/// Programs that only prepare the work of others, or say something.
const PREPARING: [&str; 22] = [
    "cd", "pushd", "popd", "echo", "printf", "export", "set", "unset", "source", ".", "sleep", "true", ":", "pwd",
    "mkdir", "wait", "exit", "fi", "done", "for", "trap", "ulimit",
];
/// Programs that only shorten or search the output of others, behind a pipe.
pub(crate) const FILTERS: [&str; 26] = [
    "head",
    "tail",
    "grep",
    "egrep",
    "rg",
    "cat",
    "tee",
    "wc",
    "sort",
    "uniq",
    "sed",
    "awk",
    "jq",
    "cut",
    "tr",
    "less",
    "column",
    // Of PowerShell.
    "Select-Object",
    "Select-String",
    "Where-Object",
    "ForEach-Object",
    "Out-String",
    "Out-Null",
    "Sort-Object",
    "Measure-Object",
    "Format-Table",
];
/// Programs whose first argument says what they do.
const WITH_SUBCOMMANDS: [&str; 55] = [
    "forge",
    "hardhat",
    "anchor",
    "git",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "cargo",
    "go",
    "docker",
    "podman",
    "docker-compose",
    "kubectl",
    "helm",
    "gh",
    "glab",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "pdm",
    "hatch",
    "conda",
    "mise",
    "make",
    "just",
    "task",
    "dotnet",
    "terraform",
    "aws",
    "gcloud",
    "az",
    "brew",
    "apt",
    "apt-get",
    "mvn",
    "mvnw",
    "gradle",
    "gradlew",
    "rake",
    "rails",
    "composer",
    "mix",
    "flutter",
    "dart",
    "swift",
    "turbo",
    "nx",
    "vercel",
    "wrangler",
    "supabase",
    "prisma",
    "bd",
];
/// Programs that run the file that is their first argument.
pub(crate) const INTERPRETERS: [&str; 12] =
    ["python", "python3", "node", "bash", "sh", "zsh", "ruby", "perl", "php", "tsx", "ts-node", "Rscript"];
/// Programs that only run what a file of the project, or a package, says.
const RUNNERS: [&str; 8] = ["npm", "npx", "pnpm", "yarn", "bun", "deno", "make", "just"];
/// Options that take the next word.
const WITH_VALUE: [&str; 10] =
    ["-C", "-c", "--repo", "-R", "--filter", "--cwd", "--prefix", "-F", "-f", "--manifest-path"];

/// One program of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    /// The program's own name, without its folder.
    pub(crate) program: &'a str,
    /// Its subcommand, or the file that it runs; empty if it has none.
    task: &'a str,
    /// The script behind the subcommand `run`; empty if there is none.
    script: &'a str,
}

impl Step<'_> {
    /// `go test`, `npm run lint`, `pytest`.
    pub(crate) fn name(&self) -> String {
        let mut name = self.program.to_owned();
        for part in [self.task, self.script] {
            if !part.is_empty() {
                name.push(' ');
                name.push_str(part);
            }
        }
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    }

    /// Its subcommand, or the file that it runs; empty if it has none.
    pub(crate) fn task(&self) -> &str {
        self.task
    }

    /// Whether its name has one of these words.
    fn is_about(&self, words: &[&str]) -> bool {
        let parts = [self.program, self.task, self.script];
        parts.iter().any(|part| words.iter().any(|word| part.contains(word)))
    }

    /// Whether it runs tests.
    pub(crate) fn tests(&self) -> bool {
        self.is_about(&["test", "jest", "spec", "mocha", "tox", "nox", "phpunit", "ava", "cypress", "playwright"])
    }

    /// Whether it compiles, builds, lints or checks.
    pub(crate) fn checks(&self) -> bool {
        const PROGRAMS: [&str; 3] = ["cargo", "go", "make"];
        let of_git = self.program == "git";
        PROGRAMS.contains(&self.program)
            || !of_git
                && self.is_about(&[
                    "lint", "tsc", "check", "build", "vet", "clippy", "ruff", "mypy", "pyright", "flake8", "black",
                    "prettier", "biome", "fmt", "format", "compile", "javac", "gcc", "g++", "clang", "rustc",
                ])
    }
}

/// Whether a program only runs others, so that two runs of it have nothing in common.
pub(crate) fn runs_others(program: &str) -> bool {
    INTERPRETERS.contains(&program) || RUNNERS.contains(&program) || program == "java"
}

/// The programs that a call runs, in their order, without those that only prepare or shorten. Empty if the input is no
/// command.
pub(crate) fn steps(input: &str) -> Vec<Step<'_>> {
    acts(input).into_iter().map(|act| act.step).collect()
}

/// One program of a command line, with all its words.
#[derive(Debug, Clone)]
pub(crate) struct Act<'a> {
    pub(crate) step: Step<'a>,
    /// All words of the step, with those in front of the program.
    words: Vec<&'a str>,
    /// How many words stand in front of the program.
    before: usize,
}

impl<'a> Act<'a> {
    /// What stands in front of the program: variables and what starts it.
    pub(crate) fn prefixes(&self) -> &[&'a str] {
        self.words.get(..self.before).unwrap_or_default()
    }

    /// The program as it is written.
    pub(crate) fn program(&self) -> &'a str {
        self.words.get(self.before).copied().unwrap_or_default()
    }

    /// What follows the program.
    pub(crate) fn arguments(&self) -> &[&'a str] {
        self.words.get(self.before + 1..).unwrap_or_default()
    }
}

/// Where the words of an act are in the input that it was read from: what can be kept with that input.
#[derive(Debug)]
pub(crate) struct Places {
    words: Vec<(u32, u32)>,
    before: usize,
}

impl Places {
    /// `None` if a word is not one of the input.
    pub(crate) fn of(act: &Act<'_>, input: &str) -> Option<Self> {
        let place = |word: &&str| {
            let start = (word.as_ptr() as usize).checked_sub(input.as_ptr() as usize)?;
            input.get(start..start + word.len()).filter(|known| known == word)?;
            Some((u32::try_from(start).ok()?, u32::try_from(start + word.len()).ok()?))
        };
        Some(Self { words: act.words.iter().map(place).collect::<Option<_>>()?, before: act.before })
    }

    /// The act, with the words of the same input.
    pub(crate) fn act<'a>(&self, input: &'a str) -> Option<Act<'a>> {
        let word = |(start, end): &(u32, u32)| input.get(*start as usize..*end as usize);
        let words: Vec<&str> = self.words.iter().map(word).collect::<Option<_>>()?;
        Some(Act { step: step(words.get(self.before..)?)?, before: self.before, words })
    }
}

/// The programs that a call runs, as [`steps`] tells them, with their words.
pub(crate) fn acts(input: &str) -> Vec<Act<'_>> {
    let mut acts = Vec::new();
    if let Some(command) = command(input) {
        read(command, 0, &mut acts);
    }
    acts
}

/// The steps of a command line, also those that only prepare others, each as its words.
pub(crate) fn pieces(input: &str) -> impl Iterator<Item = Vec<&str>> {
    Pieces::of(command(input).unwrap_or_default()).take(MAX_STEPS).map(|(words, _)| words)
}

/// Whether a command passes the output of one program on to another one.
pub(crate) fn has_pipe(input: &str) -> bool {
    Pieces::of(command(input).unwrap_or_default()).take(MAX_STEPS).any(|(_, end)| end == End::Pipe)
}

/// The last program that a call runs, also if it only filters what others print: the exit code is its own.
pub(crate) fn last(input: &str) -> Option<Step<'_>> {
    let mut last = None;
    for (words, _) in Pieces::of(command(input)?).take(MAX_STEPS) {
        last = step(without_prefixes(&words)).or(last);
    }
    last.filter(|step| !PREPARING.contains(&step.program)).or_else(|| steps(input).last().copied())
}

/// The command of an input: itself, or a member of the JSON object that it is.
fn command(input: &str) -> Option<&str> {
    let input = input.trim();
    let input = input.get(..input.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    if !input.starts_with('{') {
        return Some(input);
    }
    let rest = COMMAND_KEYS.iter().find_map(|key| input.split_once(key))?.1.trim_start();
    if let Some(list) = rest.strip_prefix('[') {
        return list.split(']').next();
    }
    let text = rest.strip_prefix('"')?;
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    text.get(..end.unwrap_or(text.len()))
}

fn read<'a>(command: &'a str, depth: usize, acts: &mut Vec<Act<'a>>) {
    let mut is_piped = false;
    let mut assigned = Vec::new();
    for (mut words, end) in Pieces::of(command) {
        if acts.len() >= MAX_STEPS {
            break;
        }
        for word in &mut words {
            *word = value(word, &assigned);
        }
        let sets = words.iter().take_while(|word| **word == "export" || is_assignment(word));
        assigned.extend(sets.filter_map(|word| word.split_once('=')).take(MAX_STEPS));
        assigned.truncate(MAX_STEPS);
        let bare = without_prefixes(&words);
        let before = words.len() - bare.len();
        if let Some(inner) = inner(bare).filter(|_| depth < MAX_DEPTH) {
            read(inner, depth + 1, acts);
        } else if let Some(step) = step(bare) {
            let is_filter = is_piped && FILTERS.contains(&step.program);
            if !is_filter && !PREPARING.contains(&step.program) {
                acts.push(Act { step, words, before });
            }
        }
        is_piped = end == End::Pipe;
    }
}

/// What stands for `$NAME` and `${NAME}`, if the command line itself sets it.
fn value<'a>(word: &'a str, assigned: &[(&'a str, &'a str)]) -> &'a str {
    let named = word.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    let known = assigned.iter().rfind(|(name, _)| named == Some(*name));
    known.map_or(word, |(_, text)| text.trim_matches(['"', '\'']))
}

/// The steps of a command line, each as its words and how it ended. What a here-document holds is no step.
struct Pieces<'a> {
    rest: &'a str,
    /// The line that ends the here-document which begins with the next line.
    document: Option<&'a str>,
}

impl<'a> Pieces<'a> {
    fn of(command: &'a str) -> Self {
        Self { rest: command, document: None }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (Vec<&'a str>, End);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (words, rest, end) = words(self.rest, &mut self.document);
        self.rest = rest;
        if end == End::Line
            && let Some(last) = self.document.take()
        {
            self.rest = behind_document(rest, last);
        }
        Some((words, end))
    }
}

/// What follows the line that ends a here-document. Without one, nothing does.
fn behind_document<'a>(mut text: &'a str, last: &str) -> &'a str {
    while !text.is_empty() {
        let mut ends =
            text.match_indices(['\n', '\\']).filter(|(at, mark)| *mark == "\n" || text[*at..].starts_with("\\n"));
        let (end, len) = ends.next().map_or((text.len(), 0), |(at, mark)| (at, if mark == "\n" { 1 } else { 2 }));
        let line = text.get(..end).unwrap_or_default();
        text = text.get(end + len..).unwrap_or_default();
        if line.trim() == last {
            break;
        }
    }
    text
}

/// The line that ends the here-document of `<<WORD`, `<<-WORD` and `<<'WORD'`, and how many bytes name it. `None` for `<<<`
/// and for `1 << 2`.
pub(crate) fn document(after: &str) -> Option<(&str, usize)> {
    let word = after.trim_start_matches('-').trim_start_matches([' ', '\'', '"', '\\']);
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let len = word.find(|c| !is_of_name(c)).unwrap_or(word.len());
    let name = word.get(..len).filter(|name| name.starts_with(|c: char| is_of_name(c) && !c.is_ascii_digit()))?;
    let quote = word.get(len..)?;
    let closed = quote.len() - quote.trim_start_matches(['\'', '"', '\\']).len();
    // The two characters of a line end in a JSON text begin with one of these.
    let closed = if quote.starts_with("\\n") { 0 } else { closed };
    Some((name, after.len() - word.len() + len + closed))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Pipe,
    Line,
    Other,
}

/// The words up to the end of a step, what follows, and how the step ended. A quoted word is what the quotes hold.
fn words<'a>(text: &'a str, here: &mut Option<&'a str>) -> (Vec<&'a str>, &'a str, End) {
    let (bytes, mut words, mut at) = (text.as_bytes(), Vec::new(), 0);
    let byte = |at: usize| bytes.get(at).copied();
    while let Some(first) = byte(at) {
        let two = byte(at + 1) == Some(first);
        match first {
            b'|' if !two => return (words, text.get(at + 1..).unwrap_or_default(), End::Pipe),
            b'\n' => return (words, text.get(at + 1..).unwrap_or_default(), End::Line),
            b'|' | b';' => return (words, text.get(at + 1..).unwrap_or_default(), End::Other),
            b'<' if two && let Some((last, len)) = document(text.get(at + 2..).unwrap_or_default()) => {
                *here = Some(last);
                at += 2 + len;
            }
            // `2>&1` and `&>` belong to a redirection.
            b'&' if two => return (words, text.get(at + 2..).unwrap_or_default(), End::Other),
            b'&' | b'>' | b'<' => {
                at += 1;
                while byte(at).is_some_and(|next| matches!(next, b'>' | b'<' | b'&' | b' ')) {
                    at += 1;
                }
                if first != b'&' {
                    at += word_len(bytes.get(at..).unwrap_or_default());
                }
            }
            b'#' => {
                let rest = bytes.get(at..).unwrap_or_default();
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            }
            b'\'' | b'"' => {
                let start = at + 1;
                let len = closing(bytes.get(start..).unwrap_or_default(), first);
                words.extend(text.get(start..(start + len).min(text.len())));
                at = start + len + 1;
            }
            b'\\' if byte(at + 1) == Some(b'\n') => at += 2,
            // The line ends of a JSON text are written so.
            b'\\' if byte(at + 1) == Some(b'n') => return (words, text.get(at + 2..).unwrap_or_default(), End::Line),
            b' ' | b'\t' | b'\r' | b'\\' | b'(' | b')' | b',' => at += 1,
            _ => {
                let len = word_len(bytes.get(at..).unwrap_or_default()).max(1);
                let len = quoted_value(bytes.get(at..).unwrap_or_default(), len).unwrap_or(len);
                let word = text.get(at..at + len).unwrap_or_default();
                let is_redirected = byte(at + len) == Some(b'>') && word.bytes().all(|byte| byte.is_ascii_digit());
                if !is_redirected {
                    words.push(word.trim_end_matches(['"', '\'']));
                }
                at += len;
            }
        }
    }
    (words, "", End::Other)
}

fn word_len(bytes: &[u8]) -> usize {
    let ends =
        |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'|' | b';' | b'&' | b'>' | b'<' | b')' | b'\\');
    bytes.iter().position(ends).unwrap_or(bytes.len())
}

/// The length of a word such as `A="b c"`, whose value has spaces. `len` is its length up to the first of them.
fn quoted_value(bytes: &[u8], len: usize) -> Option<usize> {
    let open = bytes.get(..len)?.windows(2).position(|pair| matches!(pair, b"=\"" | b"='"))? + 1;
    let value = bytes.get(open + 1..)?;
    let end = closing(value, *bytes.get(open)?);
    (end < value.len()).then_some(open + end + 2).filter(|end| *end > len)
}

fn closing(bytes: &[u8], quote: u8) -> usize {
    let mut escaped = false;
    let end = bytes.iter().position(|byte| {
        let ends = *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped && quote == b'"';
        ends
    });
    end.unwrap_or(bytes.len())
}

fn without_prefixes<'w, 'a>(mut words: &'w [&'a str]) -> &'w [&'a str] {
    loop {
        words = match words {
            // That of Windows takes `/t 5` and starts no program.
            [first, rest @ ..]
                if matches!(base(first), "timeout" | "gtimeout")
                    && !rest.first().is_some_and(|word| word.starts_with('/')) =>
            {
                let is_limit = |word: &&str| word.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
                rest.get(rest.iter().take_while(|word| is_limit(word)).count()..).unwrap_or_default()
            }
            [first, second, rest @ ..] if !rest.is_empty() && STARTERS.contains(&[base(first), second]) => {
                past_options(rest)
            }
            [manager, rest @ ..] if let Some(started) = started_behind(base(manager), rest) => started,
            [python, "-m", rest @ ..] if base(python).starts_with("python") && !rest.is_empty() => rest,
            [env, "-u", _, rest @ ..] if base(env) == "env" => rest,
            [first, rest @ ..] if PREFIXES.contains(&base(first)) || is_assignment(first) => {
                rest.get(rest.iter().take_while(|word| word.starts_with('-')).count()..).unwrap_or_default()
            }
            _ => return words,
        };
    }
}

/// What a package manager starts behind options of its own: `vitest` of `npm --prefix web exec vitest`.
fn started_behind<'w, 'a>(manager: &str, words: &'w [&'a str]) -> Option<&'w [&'a str]> {
    let [second, rest @ ..] = past_options(words) else { return None };
    let is_behind = words.first().is_some_and(|word| word.starts_with('-'));
    (is_behind && !rest.is_empty() && STARTERS.contains(&[manager, *second])).then(|| past_options(rest))
}

/// The words behind the options of a program that starts another one.
fn past_options<'w, 'a>(mut words: &'w [&'a str]) -> &'w [&'a str] {
    while let [option, rest @ ..] = words
        && option.starts_with('-')
    {
        words = if STARTER_VALUES.contains(option) { rest.get(1..).unwrap_or_default() } else { rest };
    }
    words
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The command line in `bash -lc "…"`.
fn inner<'a>(words: &[&'a str]) -> Option<&'a str> {
    match words {
        [shell, option, line, ..]
            if matches!(base(shell), "bash" | "sh" | "zsh" | "wsl" | "cmd" | "powershell" | "pwsh") =>
        {
            let takes_line =
                option.starts_with('-') && option.ends_with('c') || matches!(*option, "/c" | "-Command" | "-e");
            takes_line.then_some(*line)
        }
        // `su - user -c "…"`
        [su, rest @ ..] if base(su) == "su" => {
            let at = rest.iter().position(|word| matches!(*word, "-c" | "--command"))?;
            rest.get(at + 1).copied()
        }
        _ => None,
    }
}

fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn step<'a>(words: &[&'a str]) -> Option<Step<'a>> {
    let (first, arguments) = words.split_first()?;
    let program = base(first);
    // A text between quotes that stands alone is no program.
    if program.is_empty()
        || program == "null"
        || program.contains(char::is_whitespace)
        || !program.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '['))
    {
        return None;
    }
    let mut arguments = arguments.iter().copied();
    let mut next = || loop {
        let word = arguments.next()?;
        // What follows is code, and no name.
        if INTERPRETERS.contains(&program) && matches!(word, "-e" | "--eval" | "-p" | "-c" | "-") {
            return None;
        }
        if WITH_VALUE.contains(&word) {
            arguments.next();
        } else if !word.starts_with('-') && !is_assignment(word) {
            return Some(word);
        }
    };
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphanumeric());
    let (task, script) = if WITH_SUBCOMMANDS.contains(&program) {
        let task = next().filter(is_name).unwrap_or_default();
        // What a container runs stands behind the image, whose name says nothing.
        let runs_image = task == "run" && matches!(program, "docker" | "podman");
        let takes_script =
            !runs_image && matches!(task, "run" | "compose" | "pr" | "issue" | "worktree" | "stash" | "remote" | "api");
        (task, if takes_script { next().filter(is_name).unwrap_or_default() } else { "" })
    } else if INTERPRETERS.contains(&program) {
        (next().filter(|word| word.contains('.')).map(base).unwrap_or_default(), "")
    } else {
        ("", "")
    };
    Some(Step { program, task, script })
}

/// The programs of scripts that a package manager or a task runner printed before it ran them: `$ tsc -b`, `> jest`.
pub(crate) fn announced(output: &str) -> Option<Step<'_>> {
    let line = |line: &str| {
        let is_announced = line.starts_with("$ ") || line.starts_with("> ");
        // npm prints the package first: `> name@1.0.0 test`.
        is_announced && !line.get(2..).is_some_and(|rest| rest.split(' ').next().is_some_and(|word| word.contains('@')))
    };
    let bare = |text| -> &str {
        str::trim(text).split_once("] $ ").map_or(str::trim(text), |(tag, _)| &str::trim(text)[tag.len() + 2..])
    };
    let text = output.lines().map(bare).rfind(|text| line(text))?.get(2..)?;
    let mut acts = Vec::new();
    read(text, MAX_DEPTH, &mut acts);
    acts.last().map(|act| act.step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_behind_what_wraps_them() {
        for (input, expected) in [
            ("go test ./...", &["go test"][..]),
            ("cd a && npm run lint -- --fix 2>&1 | tail -20", &["npm run lint"]),
            ("timeout 60 uv run pytest -q tests | head", &["pytest"]),
            ("env A=1 uv run --group dev python -m pytest -q", &["pytest"]),
            ("rtk git status", &["git status"]),
            ("RUSTDOCFLAGS=\"-D warnings\" cargo doc", &["cargo doc"]),
            ("A='b c' D=\"e\" make all", &["make all"]),
            ("make CFLAGS=\"-O2 -g\" all; ls", &["make all", "ls"]),
            ("./bin/mise x -- swiftc a.swift", &["swiftc"]),
            ("python -m pytest -x; git status", &["pytest", "git status"]),
            ("FOO=1 BAR=2 npx tsc --noEmit", &["tsc"]),
            ("bash -lc 'cd x && cargo build'", &["cargo build"]),
            (r#"{"command":"git -C /w commit -m \"a b\"","timeout":9}"#, &["git commit"]),
            (r#"{"cmd":["bash","-lc","bun test a.test.ts"]}"#, &["bun test"]),
            (r#"["bash","-lc","bun test a.test.ts"]"#, &[]),
            ("/usr/bin/python3 scripts/a.py --x", &["python3 a.py"]),
            ("env -u A python3 a.py", &["python3 a.py"]),
            ("cd a && timeout /t 5 dotnet run 2>&1 | head", &["timeout"]),
            ("timeout -k 5 30 dotnet run", &["dotnet run"]),
            ("./scripts/check.sh", &["check.sh"]),
            ("gh pr create --title 'a && b'", &["gh pr create"]),
            ("mise run lint 2>/dev/null || echo no", &["mise run lint"]),
            ("make -C web test", &["make test"]),
            ("nvcc -O3 \\\n  a.cu -o a", &["nvcc"]),
            ("grep -c x a | wc -l", &["grep"]),
            ("sleep 5; curl -s http://x", &["curl"]),
            ("mkdir -p w && python3 << 'EOF'\nimport a\nif a: b()\nEOF\n", &["python3"]),
            ("python3 <<PYTHON\nimport sys\nsys.exit(1)", &["python3"]),
            (
                "cat > a.c <<-'END' && echo ok\n#include <b.h>\nint main() {}\n\tEND\ngcc -o a a.c && ./a",
                &["cat", "gcc", "a"],
            ),
            ("psql <<SQL | head\nselect 1;\nSQL\ngit status", &["psql", "git status"]),
            (r#"{"command":"node - <<\"EOF\"\nimport a\nEOF\nls x"}"#, &["node", "ls"]),
            (r#"{"command":"node - <<EOF\nimport a\nEOF\nls x"}"#, &["node", "ls"]),
            ("grep a <<< \"b c\"; ls", &["grep", "ls"]),
            ("test $((1 << 2)) -eq 4\nls", &["test", "ls"]),
            ("su - user -c \"cd /w && ssh -p 22 a@b\"", &["ssh"]),
            ("npx tsx -e \"import './a.js'; f('x.y', 1)\"", &["tsx"]),
            ("export PY=\"$D/bin/python\" && export G=\"$D/s/draw.py\" && $PY $G -o a.png", &["python draw.py"]),
            ("X=1; \"${X}\" a; $Y b; ls", &["1", "ls"]),
            ("", &[]),
            ("{\"file_path\":\"a\"}", &[]),
        ] {
            let names: Vec<String> = steps(input).iter().map(Step::name).collect();
            if !input.starts_with("[\"") {
                assert_eq!(names, expected, "{input}");
            }
        }
    }

    #[test]
    fn announced_scripts_are_named() {
        assert_eq!(announced("$ bun run build\n$ tsc -b\nerror").map(|step| step.name()).as_deref(), Some("tsc"));
        let npm = "> app@1.0.0 test\n> jest --ci\n\nFAIL";
        assert_eq!(announced(npm).map(|step| step.name()).as_deref(), Some("jest"));
        assert_eq!(announced("nothing"), None);
    }

    #[test]
    fn odd_commands_are_no_error() {
        for input in [
            "<<",
            "<<<",
            "<<-",
            "a <<'",
            "a << E\\n",
            "<<E\n",
            "'",
            "\"",
            "&",
            "|",
            ";;",
            "\\",
            "{\"command\":\"",
            "é'é",
            "a\\",
            "$(",
            "> ",
            "((((",
            "#",
        ] {
            let _ = (steps(input), announced(input));
        }
    }
}
