//! Scripts of the agent that replace a text in a file, and stop because the file does not have it: refused edits, like those
//! of a tool for edits.

use crate::command::paths::base;
use crate::command::script::script;
use crate::output::cause_line::is_thrown;
use crate::output::vocabulary::Words;

/// With which a script writes a file.
static WRITES: Words = Words::of(&[
    ".write(",
    ".write_text(",
    "writeFile",
    "writeTextFile",
    "File.write",
    "file_put_contents",
    "fileinput",
    "sed -i",
    "perl -",
    ".writelines(",
]);
/// With which it replaces a text, or looks for the place of one.
static REPLACES: Words = Words::of(&[
    ".replace(",
    ".replaceAll(",
    ".sub(",
    ".subn(",
    "str_replace",
    ".gsub(",
    ".index(",
    ".find(",
    ".indexOf(",
    "=~ s",
]);
/// With which it looks whether the text is there.
static LOOKS: Words = Words::of(&[
    " in ",
    ".count(",
    ".find(",
    ".index(",
    ".search(",
    ".match(",
    ".includes(",
    ".indexOf(",
    " == 1",
    " === 1",
    "!~",
    "=~",
]);
/// With which its message says that the text is not there, or not once.
static SAYS: Words = Words::of(&[
    "ot found",
    "o match",
    "ot match",
    "o replacement",
    "0 replacement",
    "othing replaced",
    "ot replaced",
    "nothing to replace",
    "xpected 1",
    "xpected one",
    "xpected exactly",
    "issing ",
    "ambiguous",
    "ot unique",
    "annot find",
    "ould not find",
    "ubstring",
    "ailed to find",
    "idn't find",
    "id not find",
    "nchanged",
    "o change",
]);
/// Lines of a script that are read.
const MAX_LINES: usize = 400;

/// What is known of such a script.
pub(crate) struct Replacing<'a> {
    /// The line with which it stopped.
    pub(crate) line: &'a str,
    /// The file that it was to change.
    pub(crate) file: &'a str,
}

/// The refused edit of a script in a command, if the output shows that it stopped for this reason.
pub(crate) fn refused<'a>(input: &'a str, output: &'a str) -> Option<Replacing<'a>> {
    if !WRITES.are_in(input) || !REPLACES.are_in(input) {
        return None;
    }
    let script = script(input)?;
    let line = stopped(output)?;
    let (name, message) = line.split_once(": ").unwrap_or((line, ""));
    let failing = failing(script, input, output);
    let at = match name.rsplit('.').next()? {
        // The message of an assertion is any text: the line of the script says what is asserted.
        "AssertionError" => {
            let looks = |line: &str| asserts(line) && (LOOKS.are_in(line) || SAYS.are_in(message));
            let is_refusal = failing.map_or_else(|| script.lines().any(looks), |(_, inner)| looks(inner));
            is_refusal.then_some(script.len())
        }
        "ValueError" if message == "substring not found" => Some(script.len()),
        _ => said(script, line).filter(|_| SAYS.are_in(line)),
    }?;
    Some(Replacing { line, file: file(script, failing.map_or(at, |(at, _)| at))? })
}

fn asserts(line: &str) -> bool {
    line.trim_start().starts_with("assert") || line.contains("; assert ")
}

/// The line with which a script stopped: the exception below its frames, or else the last line that says something.
fn stopped(output: &str) -> Option<&str> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Exit code"));
    lines().rfind(|line| is_thrown(line)).or_else(|| lines().next_back())
}

/// Where a script has a message in quotes, unless it asks there whether a file exists.
fn said(script: &str, line: &str) -> Option<usize> {
    const NEAR: usize = 160;
    let message = line.rsplit_once("Error: ").map_or(line, |(_, message)| message);
    let start = message.get(..message.floor_char_boundary(12)).unwrap_or_default().trim_end();
    let before = |at: usize| script.get(script.floor_char_boundary(at.saturating_sub(NEAR))..at).unwrap_or_default();
    let is_quoted = |at: &usize| before(*at).ends_with(['"', '\'', '`']);
    let asks_for_file = |at: usize| ["xists", "isfile", "is_file"].iter().any(|words| before(at).contains(words));
    let at = script.match_indices(start).map(|(at, _)| at).find(is_quoted).filter(|_| start.len() > 3)?;
    (!asks_for_file(at)).then_some(at)
}

/// Where the line of a script begins that its outermost frame names, and the line of the innermost one.
fn failing<'s>(script: &'s str, input: &str, output: &str) -> Option<(usize, &'s str)> {
    let mut numbers = output.lines().filter_map(|line| {
        let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
        let is_own = path.starts_with('<') || input.contains(base(path));
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()?.checked_sub(1).filter(|_| is_own)
    });
    let outer = numbers.next()?;
    let inner = numbers.next_back().unwrap_or(outer);
    let start = script.split_inclusive('\n').take(MAX_LINES.min(outer)).map(str::len).sum();
    Some((start, script.lines().nth(inner.min(MAX_LINES))?))
}

/// The file that a script changes at a place: the path on the line there, or else the last one before it, or the first.
fn file(script: &str, at: usize) -> Option<&str> {
    let end = script.get(at..)?.find('\n').map_or(script.len(), |len| at + len);
    paths(script.get(at..end)?)
        .next()
        .or_else(|| paths(script.get(..at).unwrap_or_default()).last())
        .or_else(|| paths(script).next())
}

/// The quoted words of a text that are the paths of files.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_path = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '[' | ']' | '~' | '+');
        (1..=5).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && word.len() > ending.len() + 1
            && word.len() <= 200
            && word.chars().all(is_plain)
    };
    text.split(['"', '\'', '`']).filter(is_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(input: &str, output: &str) -> Option<String> {
        refused(input, output).map(|found| found.file.to_owned())
    }

    const EDIT: &str = "python3 - <<'EOF'\np = 'src/a.py'\ns = open(p).read()\nold = 'x = 1'\nassert old in s\n\
                        open(p, 'w').write(s.replace(old, 'y'))\nq = 'src/b.py'\nt = open(q).read()\n\
                        assert t.count('z') == 1, t.count('z')\nopen(q, 'w').write(t.replace('z', 'w'))\nEOF";

    fn trace(lines: &[u32], error: &str) -> String {
        let frames: Vec<String> =
            lines.iter().map(|line| format!("  File \"<stdin>\", line {line}, in <module>")).collect();
        format!("Traceback (most recent call last):\n{}\n{error}", frames.join("\n"))
    }

    #[test]
    fn the_file_is_that_whose_text_is_missing() {
        assert_eq!(found(EDIT, &trace(&[4], "AssertionError")).as_deref(), Some("src/a.py"));
        assert_eq!(found(EDIT, &trace(&[8], "AssertionError: 0")).as_deref(), Some("src/b.py"));
        let helper = "python3 - <<'E'\ndef rep(p, a, b):\n    s = open(p).read()\n    assert a in s, a\n    \
                      open(p, 'w').write(s.replace(a, b))\nrep('a/b.ts', 'x', 'y')\nrep('c/d.ts', 'x', 'y')\nE";
        assert_eq!(found(helper, &trace(&[6, 3], "AssertionError: x")).as_deref(), Some("c/d.ts"));
        let written = EDIT.replace("python3 -", "cat > /tmp/e.py").replace("\nEOF", "\nEOF\npython3 /tmp/e.py");
        let output = trace(&[8], "AssertionError").replace("<stdin>", "/tmp/e.py");
        assert_eq!(found(&written, &output).as_deref(), Some("src/b.py"));
    }

    #[test]
    fn each_language_and_each_way_to_say_it_is_known() {
        for (input, output) in [
            (
                "python3 -c \"s=open('a.md').read(); i=s.index('x'); open('a.md','w').write(s[:i])\"",
                "ValueError: substring not found",
            ),
            (
                "python3 - <<'E'\np='a.md'\ns=open(p).read()\nif 'x' not in s: raise SystemExit('pattern not found')\nopen(p,'w').write(s.replace('x','y'))\nE",
                "pattern not found",
            ),
            (
                "python - <<'E'\nimport re\ns=open('a.md').read()\nt,n=re.subn('x','y',s)\nif n!=1: raise RuntimeError('expected 1 match')\nopen('a.md','w').write(t)\nE",
                "RuntimeError: expected 1 match",
            ),
            (
                "node -e 'const fs=require(\"fs\");let s=fs.readFileSync(\"a.md\",\"utf8\");if(!s.includes(\"x\"))throw new Error(\"anchor not found\");fs.writeFileSync(\"a.md\",s.replace(\"x\",\"y\"))'",
                "[eval]:1\n^\n\nError: anchor not found\n    at [eval]:1:9",
            ),
            (
                "node <<'E'\nconst f='a.md';let s=fs.readFileSync(f,'utf8');if(s.indexOf('x')<0){console.error('NO: marker not found');process.exit(1)}\nfs.writeFileSync(f,s.replaceAll('x','y'))\nE",
                "NO: marker not found",
            ),
            (
                "perl -e 'open F, \"a.md\"; $s =~ s/x/y/ or die \"no match in file\"; print F $s'",
                "no match in file at -e line 1.",
            ),
            (
                "ruby -e 's=File.read(\"a.md\"); abort \"old text not found\" unless s.include?(\"x\"); File.write(\"a.md\", s.gsub(\"x\",\"y\"))'",
                "old text not found",
            ),
            (
                "php -r '$s=file_get_contents(\"a.md\"); if(!str_contains($s,\"x\")) die(\"no match\"); file_put_contents(\"a.md\", str_replace(\"x\",\"y\",$s));'",
                "no match",
            ),
            (
                "python3 - <<'E'\nfrom pathlib import Path\np=Path('a.md')\ns=p.read_text()\nassert s.count(old)==1\np.write_text(s.replace(old,new))\nE",
                "AssertionError",
            ),
        ] {
            assert_eq!(found(input, output).as_deref(), Some("a.md"), "{input}");
        }
    }

    #[test]
    fn other_failures_of_scripts_are_no_refused_edits() {
        for (input, output) in [
            (EDIT, "NameError: name 'old' is not defined"),
            (EDIT, "FileNotFoundError: [Errno 2] No such file or directory: 'src/a.py'"),
            (EDIT, "bash: line 3: x: command not found"),
            (EDIT, &*trace(&[2], "UnicodeDecodeError: 'utf-8' codec can't decode byte")),
            ("python3 -c \"assert 1 in [2]\"", "AssertionError"),
            (
                "python3 - <<'E'\nr = get('a.html').replace('x','y')\nassert r.status == 200\nopen('a.md','w').write(r)\nE",
                "AssertionError",
            ),
            ("pytest tests/a.py", "AssertionError: pattern not found"),
            ("python3 edit.py a.md", "AssertionError"),
            (
                "python3 - <<'E'\nif not os.path.exists('a.json'): sys.exit('config not found')\nopen('a.md','w').write(s.replace('x','y'))\nE",
                "config not found",
            ),
            ("grep -rn '.replace(' src && cat a.md", "pattern not found"),
            (
                "python3 - <<'E'\nopen('a.md','w').write(s.replace('x','y'))\nimport missing\nE",
                "ModuleNotFoundError: No module named 'missing'",
            ),
        ] {
            assert_eq!(found(input, output), None, "{input}: {output}");
        }
    }
}
