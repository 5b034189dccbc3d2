//! Command lines that ask whether something is there. "No" is an answer, and no failure.

use std::borrow::Cow;

use super::super::own_errors::says_that_a_process_is_gone;
use super::proof::HIDES;
use super::{Command, End, Join, Role, Section, Step};

/// Programs that say whether a file is there.
const LOOK: [&str; 6] = ["ls", "dir", "stat", "file", "find", "realpath"];
/// What they say if it is not.
const NOT_THERE: &str = "No such file or directory";

/// The codes by which programs refuse their arguments.
const REFUSED: [i64; 2] = [2, 64];

impl Section<'_> {
    /// Whether the line tries how a program refuses wrong arguments: it runs the program with others, too, and prints the code by
    /// which the program refused these. A test, a linter and a build are no such program.
    pub(in super::super) fn tries_arguments(&self, line: &Command) -> bool {
        let End::Code { code, of, .. } = &self.end else { return false };
        // The agent's own program: a script, or a file that is named by its path.
        let is_own = |program: &[String]| program.len() > 1 || program.first().is_some_and(|word| word.contains('/'));
        let is_same = |one: &Step, other: &Step| {
            is_own(one.program()) && one.program() == other.program() && one.words != other.words
        };
        let mut acting = of.steps.iter().filter(|step| step.can_fail());
        REFUSED.contains(code)
            && acting
                .next_back()
                .is_some_and(|step| step.role != Role::Check && line.steps.iter().any(|other| is_same(step, other)))
    }
}

impl Step {
    /// The program, and the script that an interpreter runs.
    fn program(&self) -> &[String] {
        script_of(&self.words)
    }
}

/// The program, and the script or module that an interpreter runs: `python3 a.py`, `python3 -m pip`.
fn script_of(words: &[String]) -> &[String] {
    let at = |at: usize| words.get(at).map_or("", String::as_str);
    let is_module = at(1) == "-m" && !at(2).is_empty();
    let has_script = !at(1).starts_with('-') && at(1).contains('.');
    let end = if is_module { 3 } else { 1 + usize::from(has_script) };
    words.get(..end.min(words.len())).unwrap_or_default()
}

impl Command {
    /// Whether the line asks, in several steps, what is installed: `which a; python -c "import b"; pip show c`.
    pub(in super::super) fn only_asks(&self) -> bool {
        let mut asked = 0_usize;
        let mut steps = self.steps.iter().filter(|step| step.role != Role::Quiet && step.join != Join::Pipe);
        let all_ask = steps.all(|step| {
            asked += 1;
            step.asks_what_is_installed()
        });
        all_ask && asked > 1
    }

    /// Whether all that acts is asked for its version, and may be missing: `a --version || true`.
    pub(in super::super) fn may_miss_what_it_asks(&self) -> bool {
        let mut acting = self.steps.iter().filter(|step| step.can_fail()).peekable();
        acting.peek().is_some() && acting.all(|step| step.excused && step.asks_what_is_installed())
    }

    /// Whether the last step asks whether a package is there: `pip show a`, `npm ls a`.
    pub(in super::super) fn asks_for_a_package(&self) -> bool {
        let lists = |word: &String| matches!(word.as_str(), "show" | "index" | "ls" | "list");
        let asks =
            |step: &Step| step.role == Role::Other && step.words.iter().any(lists) && step.asks_what_is_installed();
        self.deciding().is_some_and(asks) && self.only_action().is_some()
    }

    /// Whether the line was to stop whatever another step finds, and says that there is nothing: `lsof -ti:80 | xargs kill`.
    pub(in super::super) fn finds_nothing_to_stop(&self, line: &str, printed: &str) -> bool {
        const FIND: [&str; 5] = ["lsof", "pgrep", "pidof", "fuser", "ss "];
        let is_usage =
            |line: &str| line.contains("kill") && (line.contains("usage") || line.contains("not enough arguments"));
        let stops = self.deciding().is_some_and(|step| step.is("kill"));
        let found = line.contains("xargs") || line.contains("$(");
        stops && found && FIND.iter().any(|find| line.contains(find)) && printed.lines().next().is_none_or(is_usage)
    }

    /// Whether the last step asks for the status of a page and nothing else, and this is one: `curl -o /dev/null -w '%{http_code}'`.
    pub(in super::super) fn prints_a_status(&self, printed: &str) -> bool {
        let asks = |step: &Step| step.is("curl") && step.words.iter().any(|word| word.contains("%{http_code}"));
        let digits = printed.trim();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()) && self.deciding().is_some_and(asks)
    }

    /// Whether the line only shows something if a test says that it is there.
    pub(in super::super) fn asks_before_it_reads(&self) -> bool {
        let asks = |(at, step): (usize, &Step)| {
            let tests = ["test", "[", "[["].iter().any(|program| step.is(program));
            tests && self.steps.get(at + 1).is_some_and(|next| next.join == Join::And)
        };
        self.only_reads() && self.steps.iter().enumerate().any(asks)
    }

    /// The output without the lines that a script in the command line was to print.
    pub(in super::super) fn without_own_words<'t>(&self, line: &str, text: &'t str) -> Cow<'t, str> {
        let is_own = |said: &str| self.prints(line, said.trim());
        if !self.has_script(line) || !text.lines().any(is_own) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.split_inclusive('\n').filter(|said| !is_own(said)).collect())
    }

    /// Whether a script in the line was to print this text: it has the text and no branch on which that depends, or it catches
    /// an error and puts the label in front of it.
    pub(in super::super) fn prints(&self, line: &str, said: &str) -> bool {
        const BRANCHES: [&str; 7] = ["if ", "if(", "else", "assert", "catch", "except", "rescue"];
        const LABELS: [&str; 3] = ["'Error:", "\"Error:", "`Error:"];
        let catches = || {
            let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
            has(&["catch", "except"]) && has(&LABELS) && self.steps.iter().any(has_code)
        };
        let is_own = said.starts_with("Error: ") && catches()
            || said.len() > 5 && line.contains(said) && !BRANCHES.iter().any(|word| line.contains(word));
        is_own && self.has_script(line)
    }

    /// Whether the line itself has the script that an interpreter runs.
    fn has_script(&self, line: &str) -> bool {
        const INTERPRETERS: [&str; 8] = ["python", "python3", "py", "node", "ruby", "perl", "php", "bun"];
        let is_script = |step: &Step| {
            INTERPRETERS.iter().any(|program| step.is(program)) && (has_code(step) || line.contains("<<"))
        };
        self.steps.iter().any(is_script)
    }

    /// Whether the line ends with a test that a code is not 0: `./x; code=$?; test $code -ne 0`.
    pub(in super::super) fn expects_a_failure(&self) -> bool {
        let last = self.deciding().filter(|step| ["test", "[", "[["].iter().any(|program| step.is(program)));
        let words: Vec<&str> = last.map_or(&[][..], |step| &step.words).iter().map(String::as_str).collect();
        matches!(words.as_slice(), [_, code, "-ne", "0", ..] if code.starts_with('$'))
    }

    /// The output without what the shell says of programs that the line expects to be missing, if it does anything else:
    /// `make; a --version | head`, `a || true; make`.
    pub(in super::super) fn without_answers<'t>(&self, printed: &'t str) -> Cow<'t, str> {
        let acts = |step: &&Step| step.role != Role::Quiet && step.join != Join::Pipe;
        let does_more = self.steps.iter().filter(acts).count() > 1;
        let asks = does_more && printed.contains("not found");
        // To stop what does not run is no failure if that is not all that was to be done.
        let stops = |step: &Step| step.is("kill") && (does_more || step.role == Role::Question);
        let stops = printed.contains("o such ") && self.steps.iter().any(stops);
        if !asks && !stops {
            return Cow::Borrowed(printed);
        }
        let is_expected = |(at, step): &(usize, &Step)| {
            let or = self.steps.get(at + 1).is_some_and(|next| next.join == Join::Or);
            step.asks_what_is_installed() || step.excused && or
        };
        let names = || self.steps.iter().enumerate().filter(is_expected).filter_map(|(_, step)| step.words.first());
        let is_missing = |line: &str| missing_program(line).is_some_and(|missing| names().any(|name| name == missing));
        let is_answer = |line: &str| asks && is_missing(line) || stops && says_that_a_process_is_gone(line);
        Cow::Owned(printed.split_inclusive('\n').filter(|line| !is_answer(line)).collect())
    }

    /// Whether the line expects that this program or file may be missing: a step that names it is excused or asks for it. Of a
    /// redirection, which is no part of a step, any step that is excused says so.
    pub(in super::super) fn expects_to_miss(&self, name: &str) -> bool {
        let has_word = |step: &&Step| step.words.iter().any(|word| word.contains(name));
        let mut naming = self.steps.iter().filter(has_word).peekable();
        if naming.peek().is_none() {
            return self.steps.iter().any(|step| step.excused);
        }
        naming.any(|step| step.excused || step.asks_what_is_installed())
    }

    /// Whether all that acts is asked how it is called, so that what it prints is a text.
    pub(in super::super) fn only_asks_for_help(&self) -> bool {
        let asks = |step: &Step| step.words.iter().any(|word| matches!(word.as_str(), "--help" | "--usage" | "-help"));
        let mut acting = self.steps.iter().filter(|step| step.can_fail()).peekable();
        acting.peek().is_some() && acting.all(asks)
    }

    /// Whether the one program that acts is told what to do: it has an option, or arguments besides a subcommand, or is a script
    /// with an argument. Of a program alone, or with a subcommand alone, the usage may have been wanted.
    pub(in super::super) fn is_told_what_to_do(&self) -> bool {
        const HELP: [&str; 6] = ["--help", "-h", "help", "-help", "--usage", "-?"];
        let words = self.only_action().unwrap_or_default();
        let asks = words.iter().any(|word| HELP.contains(&word.as_str()));
        let (program, arguments) = words.split_at(script_of(words).len());
        let is_script = program.len() == 2 || program.first().is_some_and(|word| word.contains(['/', '\\']));
        let is_told = arguments.iter().any(|word| word.len() > 1 && word.starts_with('-'));
        !asks && (is_told || arguments.len() > usize::from(!is_script))
    }

    /// The words of the one program that acts. The others only show, search or ask.
    pub(in super::super) fn only_action(&self) -> Option<&[String]> {
        let mut acting = self.steps.iter().filter(|step| step.can_fail());
        acting.next().filter(|_| acting.next().is_none()).map(|step| step.words.as_slice())
    }

    /// Whether the code of a line that only reads is that of its last step, which looked for something and was not to say
    /// that it is missing: `cat a; ls b 2>/dev/null`. Or it looked for a lock, and there is none: `git status; ls .git/index.lock`.
    pub(in super::super) fn looks_in_vain(&self, line: &str, printed: &str) -> bool {
        let Some(last) = self.deciding().filter(|_| self.only_reads()) else { return false };
        let part = line.trim_end().rsplit([';', '\n']).find(|part| !part.trim().is_empty()).unwrap_or_default();
        let part = part.rsplit("&&").next().unwrap_or_default();
        let hides_all = part.contains("/dev/null") && (part.contains("2>&1") || part.contains("&>"));
        if hides_all || HIDES.iter().any(|hides| part.contains(hides)) {
            return matches!(last.role, Role::Show | Role::Search);
        }
        last.looks() && last.words.last().is_some_and(|name| is_lock(name)) && only_misses(printed)
    }

    /// Whether the one program that lists looked for something, was to say that it is missing, and did: `ls a 2>&1 | head`.
    pub(in super::super) fn says_that_it_is_missing(&self, line: &str, printed: &str) -> bool {
        let mut loud = self.steps.iter().filter(|step| step.role != Role::Quiet);
        let lists = |step: &Step| ["ls", "stat", "file"].iter().any(|program| step.is(program));
        let looks = loud.next().is_some_and(lists) && loud.all(|step| step.join == Join::Pipe);
        looks && line.contains("2>&1") && only_misses(printed)
    }
}

impl Step {
    fn looks(&self) -> bool {
        LOOK.iter().any(|program| self.is(program))
    }

    pub(super) fn asks_what_is_installed(&self) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [_, "--version" | "-V" | "-version" | "version"]
            | ["pip" | "pip3", "show" | "index", ..]
            | ["npm" | "pnpm", "ls" | "list", ..] => true,
            [python, "-m", "pip", "show", ..] if python.contains("python") => true,
            [python, "-c", script] if python.contains("python") => only_imports(script),
            _ => self.role == Role::Question,
        }
    }
}

/// The program that the shell did not find: `bash: line 6: a: command not found`, `zsh: command not found: a`, `sh: 1: a: not found`.
fn missing_program(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some((_, name)) = line.split_once("command not found: ") {
        return Some(name);
    }
    let said = line.strip_suffix(": command not found").or_else(|| line.strip_suffix(": not found"))?;
    said.rsplit_once(": ").map(|(_, name)| name)
}

/// Whether there are no other complaints than that something is not there.
fn only_misses(printed: &str) -> bool {
    let complains = |line: &str| {
        let named = line.split_once(": ").is_some_and(|(name, _)| LOOK.contains(&name));
        named && !line.ends_with(NOT_THERE)
    };
    printed.contains(NOT_THERE) && !printed.lines().any(complains)
}

/// Whether a file says that something runs. Lock files of package managers do not.
fn is_lock(name: &str) -> bool {
    let end = name.rsplit('.').next();
    end == Some("pid") || name.contains(".git/") && end == Some("lock")
}

/// Whether a script of Python only imports modules and prints something of them.
fn only_imports(script: &str) -> bool {
    let starts = |statement: &str| ["import ", "from ", "print("].iter().any(|word| statement.starts_with(word));
    script.contains("import ") && script.split([';', '\n']).map(str::trim).all(|part| part.is_empty() || starts(part))
}

/// Whether a step gets its code on the line.
fn has_code(step: &Step) -> bool {
    const CODE: [&str; 4] = ["-c", "-e", "-p", "-r"];
    step.words.iter().any(|word| CODE.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_only_ask_what_is_installed() {
        for (line, expected) in [
            ("which a b 2>&1; python3 -c \"import a\" 2>&1; pip show b | head -3", true),
            ("node --version; npm --version", true),
            ("command -v psql && psql --version", true),
            ("python3 -c \"import a; print(a.b)\"; python -m pip show a", true),
            ("python3 -c \"import a; a.run()\"; which a", false),
            ("python3 -c \"import a\" | tail -1", false),
            ("which a; make test", false),
            ("", false),
        ] {
            assert_eq!(Command::read(line).only_asks(), expected, "{line}");
        }
    }

    #[test]
    fn programs_that_are_expected_to_be_missing() {
        let bash = "x\nbash: line 6: vp: command not found\n";
        for (line, printed, expected) in [
            ("docker run --rm a:1 bash -c 'make\nvp --version 2>&1 | head -5' 2>&1 | tail", bash, "x\n"),
            ("vp || true; make 2>&1 | tail", bash, "x\n"),
            ("make; vp --version", "zsh: command not found: vp", ""),
            ("make; vp --version", "sh: 1: vp: not found", ""),
            ("vp --version 2>&1 | head", bash, bash),
            ("make; vp build 2>&1 | tail", bash, bash),
            ("vp build | head || true; make", bash, bash),
            ("cat a; make; which b", bash, bash),
        ] {
            assert_eq!(Command::read(line).without_answers(printed), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_tell_a_program_what_to_do() {
        for (line, expected) in [
            ("a list --repo b 2>&1 | head -8", true),
            ("a list --help | head", false),
            ("a help list --all", false),
            ("a list", false),
            ("a", false),
            ("a -x b", true),
            ("a remote add origin", true),
            ("python3 a.py", false),
            ("python3 a.py sail fast | head", true),
            ("python3 -m pip", false),
            ("python3 -m pip install", false),
            ("python3 -m a -x", true),
            ("./run.sh go", true),
            ("bash run.sh -x", true),
            ("./run.sh", false),
            ("a list --repo b; make", false),
        ] {
            assert_eq!(Command::read(line).is_told_what_to_do(), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_only_ask_for_help() {
        for (line, expected) in [
            ("a --help | head", true),
            ("cd b && a c --help; d --usage", true),
            ("a --help; make test", false),
            ("cat a.txt", false),
            ("", false),
        ] {
            assert_eq!(Command::read(line).only_asks_for_help(), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_a_script_was_to_print() {
        let caught = "node -e \"try{f()}catch(e){console.log('Error:',e.code)}\" | head -1";
        let branch = "python3 - <<E\nif f(): print('ok')\nelse: print('Test failed!')\nE";
        for (line, text, expected) in [
            ("node -e \"console.error('Error: handled')\" | tail -2", "Error: handled\nok", "ok"),
            ("python3 - <<E\nprint('ValueError: a text')\nE", "ValueError: a text", ""),
            (caught, "Error: MODULE_NOT_FOUND", ""),
            (caught, "TypeError: x", "TypeError: x"),
            (branch, "Test failed!", "Test failed!"),
            ("python3 -c 'f()' | tail -1", "Error: x", "Error: x"),
            ("./a.py 'Error: x' | tail -1", "Error: x", "Error: x"),
            ("cargo test | grep 'error: test failed'", "error: test failed", "error: test failed"),
        ] {
            assert_eq!(Command::read(line).without_own_words(line, text), expected, "{line}: {text}");
        }
    }

    #[test]
    fn lines_that_may_miss_what_they_ask() {
        for (line, expected) in
            [("a --version || true", true), ("a --version", false), ("a build || true", false), ("ls || true", false)]
        {
            assert_eq!(Command::read(line).may_miss_what_it_asks(), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_ask_for_a_package() {
        for (line, expected) in [
            ("pip show a", true),
            ("cd b && npm ls a", true),
            ("a --version", false),
            ("python -c \"import a; print(a.list())\"", false),
            ("make; pip show a", false),
            ("pip install a", false),
        ] {
            assert_eq!(Command::read(line).asks_for_a_package(), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_find_nothing_to_stop() {
        for (line, printed, expected) in [
            ("lsof -ti:3000 | xargs kill -9", "", true),
            ("kill $(pgrep -f a)", "bash: line 1: kill: usage: kill [-s sigspec | -n signum | -sigspec] pid", true),
            ("kill $(lsof -ti:80)", "zsh:kill:1: not enough arguments", true),
            ("kill $(lsof -ti:80)", "bash: line 1: kill: (12) - Operation not permitted", false),
            ("kill 12", "", false),
            ("lsof -ti:3000 | xargs kill -9; make", "", false),
        ] {
            assert_eq!(Command::read(line).finds_nothing_to_stop(line, printed), expected, "{line}: {printed}");
        }
    }

    #[test]
    fn lines_that_print_the_status_of_a_page() {
        let asks = "curl -s -o /dev/null -w '%{http_code}\\n' http://a/x";
        for (line, printed, expected) in [
            (asks, "000", true),
            (asks, "404\n", true),
            (asks, "curl: (7) Failed to connect", false),
            ("curl -s http://a/x", "000", false),
            ("curl -w '%{http_code}' a; make", "000", false),
        ] {
            assert_eq!(Command::read(line).prints_a_status(printed), expected, "{line}: {printed}");
        }
    }

    #[test]
    fn lines_that_ask_before_they_read() {
        for (line, expected) in [
            ("test -f a && sed -n 1,9p a", true),
            ("[ -d a ] && ls a", true),
            ("cd b; [[ -f a ]] && cat a | head", true),
            ("test -f a && make", false),
            ("test -f a; cat b", false),
            ("cat a", false),
        ] {
            assert_eq!(Command::read(line).asks_before_it_reads(), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_look_for_what_may_be_missing() {
        let missing = "x\nls: cannot access '.git/index.lock': No such file or directory";
        for (line, printed, expected) in [
            ("grep -rl a b 2>/dev/null; grep -rn a c.txt 2>/dev/null", "", true),
            ("cat a && ls b 2>/dev/null", "x", true),
            ("git log -1; ls .git/index.lock 2>&1", missing, true),
            (
                "git log -1; ls .git/index.lock",
                "x\nls: .git/index.lock: Permission denied\nls: c: No such file or directory",
                false,
            ),
            ("git log -1; ls yarn.lock 2>&1", missing, false),
            ("ls b 2>&1", missing, false),
            ("make a 2>/dev/null; ls b 2>/dev/null", "", false),
            ("ls a 2>/dev/null; ls b", missing, false),
        ] {
            assert_eq!(Command::read(line).looks_in_vain(line, printed), expected, "{line}");
        }
    }
}
