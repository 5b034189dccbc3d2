//! Lines that differ in their spelling only: what a language or a library lets one write in two ways, without a test being
//! other than it was.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use crate::path::RepoPath;

/// A spelling, and the one that takes its place.
type Spelling = (Regex, &'static [u8]);

/// The spellings of a language.
struct Language {
    extensions: &'static [&'static str],
    /// Finds a line that has any of them.
    any: Regex,
    all: Vec<Spelling>,
}

fn language(extensions: &'static [&'static str], all: &[(&'static str, &'static str)]) -> Language {
    let any: Vec<String> = all.iter().map(|(from, _)| format!("(?:{from})")).collect();
    let all = all.iter().map(|(from, to)| (ascii(from), to.as_bytes()));
    Language { extensions, any: ascii(&any.join("|")), all: all.collect() }
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    vec![
        language(
            &["java", "groovy", "scala"],
            &[
                (r"\)\s*throws\s+[\w.,\s<>]+?(\s*[{;]|\s*$)", ") $1"),
                (r"^(\s*)(?:final\s+)?((?:[\w<>\[\]?,.]+\s+)+class\s|class\s)", "$1$2"),
                (
                    r"^(\s*)(?:final\s+)?(?:[A-Z][\w.]*(?:<[^=;()]*>)?|int|long|double|boolean)(?:\[\])?\s+(\w+\s*=[^=])",
                    "$1 var $2",
                ),
                (r"^(\s*)(?:final\s+)?var\s+(\w+\s*=[^=])", "$1 var $2"),
                (r"\b(?:Assertions?|Assert)\s*\.\s*(assert|fail)", "$1"),
                (r"\b(?:Assumptions?|Assume)\s*\.\s*(assum)", "$1"),
                (r"\b(assum(?:eTrue|eFalse))\s*\(\s*(\x22[^\x22]*\x22)\s*,\s*(.*)\)\s*;", "$1($3, $2);"),
                (r"^(\s*)@Disabled\b", "$1@Ignore"),
                (r"\bnew\s+(\w+)<[\w<>,.? ]+>\s*\(", "new $1<>("),
                (r"\b(?:Arrays\s*\.\s*asList|ImmutableList\s*\.\s*of|List\s*\.\s*of)\s*\(", "List.of("),
                (r"\bCollections\s*\.\s*empty(List|Set|Map)\s*\(\s*\)", "$1.of()"),
                (r"\bCollections\s*\.\s*singletonList\s*\(", "List.of("),
                (r"^(\s*@SuppressWarnings)\s*\([^()]*\)", "$1"),
                (r"\bintercept\s*\[", "assertThrows["),
                (r"\b(\d+)[lL]\b", "$1"),
                (r"(=\s*)new\s+[\w.]+\s*(?:\[\s*\]\s*\{|\[\s*0\s*\])", "$1{"),
                (r"(=\s*\{)\s*\}?", "$1"),
                (r"\bassertTrue\s*\(\s*Arrays\s*\.\s*equals\s*\(([^()]*)\)\s*\)", "assertArrayEquals($1)"),
                (r"\s+//[^\x22']*$", ""),
            ],
        ),
        language(
            &["kt", "kts"],
            &[
                (r"\)\s*:\s*Unit\s*([={])", ") $1"),
                (r"^(\s*va[lr]\s+\w+)\s*:\s*[\w.<>?, ]+=", "$1 ="),
                (r"^(\s*)public\s+", "$1"),
                (r"^(\s*@Suppress)\s*\([^()]*\)", "$1"),
            ],
        ),
        language(
            &["cs"],
            &[
                (r"\b(?:Array|Enumerable|ImmutableArray)\s*\.\s*Empty\s*(?:<[\w<>?., ]+>)?\s*(?:\(\s*\))?", "[]"),
                (r"\bnew\s+(?:List|HashSet)\s*<[\w<>?., ]+>\s*\(\s*\)(?:\s*\{\s*\})?", "[]"),
                (r"\bnew\s+[\w.]*(?:<[\w<>?., ]+>)?\s*\[\s*0\s*\]", "[]"),
                (
                    r"\bnew\s*(?:(?:List|HashSet)\s*<[\w<>?., ]+>\s*(?:\(\s*\))?|[\w.]*(?:<[\w<>?., ]+>)?\s*\[\s*\])\s*\{\s*([^{}]*?)\s*\}",
                    "[$1]",
                ),
                (r"^(\s*(?:\w+\s+)*)([\w.]+(?:<[\w<>?., ]+>)?)(\s+\w+\s*=\s*)new\s*\(", "$1$2${3}new $2("),
                (
                    r"^(\s*)(?:[A-Z][\w.]*(?:<[\w<>?., ]+>)?\??|int|string|bool|long|double|decimal)(\s+\w+\s*=[^=>])",
                    "$1 var$2",
                ),
                (r"^(\s*)var(\s+\w+\s*=[^=>])", "$1 var$2"),
                (r"\bsealed\s+", ""),
                (r"\bString\s*\.\s*(\w+)", "string.$1"),
            ],
        ),
        language(
            &["go"],
            &[
                (r"\bioutil\s*\.\s*(ReadAll|NopCloser|Discard)\b", "io.$1"),
                (r"\bioutil\s*\.\s*TempDir\b", "os.MkdirTemp"),
                (r"\bioutil\s*\.\s*TempFile\b", "os.CreateTemp"),
                (r"\bioutil\s*\.\s*(ReadFile|WriteFile|ReadDir)\b", "os.$1"),
                (r"\binterface\s*\{\s*\}", "any"),
                (r"\b0o?([0-7]{3})\b", "0o$1"),
                (r"//\s*\+build\b", "//go:build"),
            ],
        ),
        language(
            &["php"],
            &[
                (r"\bassertRegExp\b", "assertMatchesRegularExpression"),
                (r"\bsetExpectedException\s*\(([^,()]*(?:\([^()]*\))?)\)", "expectException($1)"),
                (r"\bassertTrue\s*\(\s*is_dir\s*\(([^()]*)\)", "assertDirectoryExists($1"),
                (r"\bassertTrue\s*\(\s*(?:file_exists|is_file)\s*\(([^()]*)\)", "assertFileExists($1"),
                (r"\bassertNotRegExp\b", "assertDoesNotMatchRegularExpression"),
                (r"\bexpectExceptionMessageRegExp\b", "expectExceptionMessageMatches"),
                (r"\bassert(File|Directory)NotExists\b", "assert${1}DoesNotExist"),
                (r"\bassert(\w+)NotIs(Readable|Writable)\b", "assert${1}IsNot$2"),
                (r"\bassertNotIs(Readable|Writable)\b", "assertIsNot$1"),
                (r"\bassert(Not)?Contains(\s*\(.*\(string\))", "assertString${1}ContainsString$2"),
                (r"\bassertStringNotContainsString\b", "assertStringNotContainsString"),
                (
                    r"\bassertInternalType\s*\(\s*['\x22](array|bool|float|int|numeric|object|resource|string|scalar|callable|iterable)['\x22]\s*,\s*",
                    "assertIs $1(",
                ),
                (r"\bassertInternalType\s*\(\s*['\x22]boolean['\x22]\s*,\s*", "assertIs bool("),
                (r"\bassertInternalType\s*\(\s*['\x22]integer['\x22]\s*,\s*", "assertIs int("),
                (r"\bassertIsArray\s*\(", "assertIs array("),
                (r"\bassertIsBool\s*\(", "assertIs bool("),
                (r"\bassertIsFloat\s*\(", "assertIs float("),
                (r"\bassertIsInt\s*\(", "assertIs int("),
                (r"\bassertIsString\s*\(", "assertIs string("),
                (r"\bassertIsObject\s*\(", "assertIs object("),
                (r"\bassertIsCallable\s*\(", "assertIs callable("),
                (r"\bassertIsNumeric\s*\(", "assertIs numeric("),
                (r"\bassertIsIterable\s*\(", "assertIs iterable("),
                (r"\)\s*:\s*void\b", ")"),
                (
                    r"([(,]\s*)\??(?:string|int|float|bool|array|callable|iterable|mixed|object|\\?[A-Z][\w\\]*)(?:\|[\w\\]+)*\s+(\$)",
                    "$1$2",
                ),
                (r"^(\s*)final\s+", "$1"),
                (r"\$this\s*->\s*(assert|expect|fail|mark)", "self::$1"),
                (r"\bstatic\s*::\s*(assert|expect|fail|mark)", "self::$1"),
                (r"\barray\s*\(", "("),
                (r"\[", "("),
                (r"\]", ")"),
                (
                    r"->\s*will\s*\(\s*(?:\$this\s*->|self::|static::)\s*returnValue\s*\(([^()]*(?:\([^()]*\))?[^()]*)\)\s*\)",
                    "->willReturn($1)",
                ),
                (r"\s+//[^\x22']*$", ""),
            ],
        ),
        language(
            &["py"],
            &[
                (r"\bassertEquals\b", "assertEqual"),
                (r"\bassertNotEquals\b", "assertNotEqual"),
                (r"\bassertAlmostEquals\b", "assertAlmostEqual"),
                (r"\bassertRegexpMatches\b", "assertRegex"),
                (r"\bassertNotRegexpMatches\b", "assertNotRegex"),
                (r"\bassertRaisesRegexp\b", "assertRaisesRegex"),
                (r"\bassertItemsEqual\b", "assertCountEqual"),
                (r"\bassert_\s*\(", "assertTrue("),
                (r"\bfailUnless\s*\(", "assertTrue("),
                (r"\)\s*->\s*None\s*:", "):"),
                (r"\bsuper\s*\(\s*\w+\s*,\s*(?:self|cls)\s*\)", "super()"),
                (r"\b(x?range)\s*\(\s*0\s*,\s*([^,()]+(?:\([^()]*\))?)\s*\)", "$1($2)"),
                (r"^(\s*class\s+\w+)\s*\(\s*(?:object)?\s*\)\s*:", "$1:"),
                (r"\bu(['\x22])", "$1"),
                (r"\.(en|de)code\s*\(\s*['\x22](?:utf|UTF)-?8['\x22]\s*\)", ".${1}code()"),
            ],
        ),
        language(
            &["c", "cc", "cpp", "cxx", "h", "hpp", "hh", "m", "mm"],
            &[
                (r"^\s*#\s*", "#"),
                (r"^(#.*?)\s*(?://.*|/\*.*\*/\s*)$", "$1"),
                (r"^#if\s+!\s*defined\s*\(?\s*(\w+)\s*\)?\s*$", "#ifndef $1"),
                (r"^#if\s+defined\s*\(?\s*(\w+)\s*\)?\s*$", "#ifdef $1"),
                (r"\bNULL\b|\bnullptr\b", "nullptr"),
                (r"^(\s*)(?:const\s+)?[A-Za-z_][\w:]*(?:<[^=;()]*>)?(\s*[*&]?\s*\w+\s*=[^=])", "$1 auto$2"),
                (r"^(\s*)(?:const\s+)?auto(\s*[*&]?\s*\w+\s*=[^=])", "$1 auto$2"),
                (r"\b(?:std::)?(?:size_t|u?int(?:8|16|32|64)_t)\s*[{(]\s*(\d+)\s*[})]", "$1"),
                (r"\bstatic_cast<\s*(?:std::)?(?:size_t|u?int(?:8|16|32|64)_t|unsigned)\s*>\s*\(\s*(\d+)\s*\)", "$1"),
                (r"\s+//[^\x22']*$", ""),
            ],
        ),
        language(
            &["t", "pl", "pm"],
            &[
                (r"\bok\s*\(?\s*eq_(?:array|hash)\s*\(\s*([^()]*?)\s*\)", "is_deeply $1"),
                (r"\bis_deeply\s*\(\s*", "is_deeply "),
                (r"\)\s*;\s*$", ";"),
            ],
        ),
        language(&["ex", "exs"], &[(r"\s+#[^\x22'{]*$", "")]),
        language(
            &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
            &[
                (r"\bfunction\s*\(([^()]*)\)\s*\{", "($1) => {"),
                (r"([(,]\s*)(async\s+)?(\w+)\s*=>\s*\{", "$1$2($3) => {"),
                (r"^(\s*)(?:var|let|const)\s", "$1 const "),
                (r"\brequire\s*\(\s*(['\x22])node:", "require($1"),
                (r"(\bfrom\s*['\x22])node:", "$1"),
                (r"\.equals\s*\(", ".equal("),
                (r"\.notOk\s*\(", ".notok("),
                (r"\.toBeCalled", ".toHaveBeenCalled"),
                (r"\.toThrowError\s*\(", ".toThrow("),
                (r"\.lastCalledWith\s*\(", ".toHaveBeenLastCalledWith("),
                (r";\s*$", ""),
            ],
        ),
        language(
            &["rs"],
            &[
                (r"\b(?:std|core|alloc)::", "std::"),
                (r"^(\s*)pub(?:\([\w ]+\))?\s+", "$1"),
                (r"(\d)_([uif](?:8|16|32|64|128|size))\b", "$1$2"),
                (r"\b(\d+)_(\d+)", "$1$2"),
            ],
        ),
        language(
            &["rb"],
            &[
                (r":(\w+)\s*=>\s*", "$1: "),
                (r"\bassert_equal\s*\(\s*nil\s*,\s*|\bassert_equal\s+nil\s*,\s*", "assert_nil "),
            ],
        ),
    ]
});

/// Spellings of Java that only this runner takes for the same: other runners pass over a method that is not public.
static JUPITER: LazyLock<Spelling> =
    LazyLock::new(|| (ascii(r"^(\s*)public\s+((?:static\s+|final\s+)*(?:void|class)\s)"), &b"$1$2"[..]));

/// What stands behind the last dot of a file's name.
pub(super) fn extension(path: &RepoPath) -> &str {
    path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// How a line is spelled, apart from what makes no difference. `whole` is the file.
pub(super) fn spelling(path: &RepoPath, whole: &str, line: &str) -> String {
    let extension = extension(path);
    let Some(language) = LANGUAGES.iter().find(|language| language.extensions.contains(&extension)) else {
        return bare(line);
    };
    let is_jupiter = extension == "java" && memchr::memmem::find(whole.as_bytes(), b"org.junit.jupiter").is_some();
    if !is_jupiter && !language.any.is_match(line.as_bytes()) {
        return bare(line);
    }
    let mut line = Cow::Borrowed(line.as_bytes());
    for (from, to) in is_jupiter.then_some(&*JUPITER).into_iter().chain(&language.all) {
        if let Cow::Owned(other) = from.replace_all(&line, *to) {
            line = Cow::Owned(other);
        }
    }
    bare(&String::from_utf8_lossy(&line))
}

/// A line without space that says nothing, and with one kind of quotes.
fn bare(line: &str) -> String {
    let mut all = String::with_capacity(line.len());
    let mut was_word = false;
    for c in line.trim().chars() {
        if c.is_whitespace() {
            was_word = all.ends_with(is_of_word);
            continue;
        }
        if was_word && is_of_word(c) {
            all.push(' ');
        }
        was_word = false;
        // A comma before a closing bracket says nothing.
        if [')', ']', '}'].contains(&c) && all.ends_with(',') {
            all.pop();
        }
        all.push(if c == '\'' { '"' } else { c });
    }
    all
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The numbers of the lines that are a text at the start of a function, a class or a file of Python.
pub(super) fn docstrings(path: &RepoPath, text: &str) -> BTreeSet<u64> {
    let quotes_of = |bare: &str| {
        let bare = bare.trim_start_matches(['r', 'R', 'u', 'U']);
        ["\"\"\"", "'''"].into_iter().find(|quotes| bare.starts_with(quotes))
    };
    let opens = |bare: &str| {
        bare.ends_with(':') && ["def ", "class ", "async def ", ")"].iter().any(|start| bare.starts_with(start))
    };
    let mut found = BTreeSet::new();
    if extension(path) != "py" {
        return found;
    }
    let (mut may_begin, mut until): (bool, Option<&str>) = (true, None);
    for (number, line) in (1..).zip(text.lines()) {
        let bare = line.trim();
        if let Some(quotes) = until {
            found.insert(number);
            until = Some(quotes).filter(|quotes| !bare.contains(*quotes));
            continue;
        }
        if let Some(quotes) = quotes_of(bare).filter(|_| may_begin) {
            let rest = bare.split_once(quotes).map_or("", |(_, rest)| rest);
            match rest.split_once(quotes) {
                None => until = Some(quotes),
                // Something behind it makes it a part of an expression.
                Some((_, behind)) if !behind.trim().is_empty() => {
                    may_begin = false;
                    continue;
                }
                Some(_) => {}
            }
            found.insert(number);
            may_begin = false;
        } else if !bare.is_empty() && !bare.starts_with('#') {
            may_begin = opens(bare);
        }
    }
    found
}
