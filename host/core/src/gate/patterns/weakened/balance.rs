//! Counts lines that begin a test or check something, removed and added. Where no outline can be made, this is all
//! that is known.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::super::Violation;
use super::exact;
use super::expression::ascii;
use super::truth::{has_message, is_vain};
use crate::path::RepoPath;

/// A line that checks something.
static CHECK: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r"(?:^|[^\w])(?:assert\w*\b|debug_assert\w*\b|expect\s*[({]|expect\s+do\b|should\b|self\.fail\w*\s*\(|pytest\.(?:raises|warns|fail)\b|t\.(?:Errorf?|Fatalf?|Fail(?:Now)?|is|not|like|deepEqual|equal|true|false|truthy|falsy|regex|snapshot|same|ok|throws\w*|notThrows\w*)\s*\(|require\.[A-Z]\w+)",
        r"|\bAssert\w*\s*(?:\.|::)\s*\w+\s*[(<]|\.\s*Should\w*\s*\(|\b(?:XCTAssert\w*|XCTFail|EXPECT_\w+|ASSERT_\w+|REQUIRE\w*|CHECK\w*)\s*\(|\b(?:expectException|expectOutput)\w*\s*\(|\b(?:refute|must|wont)_\w+",
        // What was asked of a mock: Mockito, MockK, Moq, NSubstitute, Mockery. Matchers of Kotest. Swift Testing.
        r"|(?:^|[^\w.])verify(?:No\w*)?\s*[({]|\.\s*Verify\w*\s*\(|\.\s*(?:Did(?:Not)?)?Received\w*\s*\(|\bshouldHaveReceived\s*\(|\bshould(?:Not)?[A-Z]\w*|#require\s*\(",
        // Pester; testthat; clojure.test; Julia; Test::More and tap for C; Robot Framework.
        r"|\|\s*Should\s+-\w|^\s*expect_\w+\s*\(|^\s*\(is\s|^\s*@test(?:_\w+)?\s+[^\x22'\s]|^\s*(?:ok|is|isnt|like|unlike|is_deeply|cmp_ok|isa_ok|can_ok|throws_ok|dies_ok|lives_ok)\s*\(|^\s+(?:[A-Z]\w* )*Should (?:Be|Contain|Not|Match|Start|End|Have)\b|^\s+(?:Run Keyword And )?Expect Error\b|^\s+Run Keyword And Expect Error\b|\btesting\s*\.\s*expect\w*\s*\(",
        // Unity; EUnit; gocheck and GoConvey; Pest.
        r"|->\s*and\s*\(|\bTEST_ASSERT\w*\s*\(|\?_assert\w*\s*\(|\bc\s*\.\s*(?:Assert|Check)\s*\(|(?:^|[^\w.])So\s*\(",
        // Shells: a command whose status is the check.
        r"|^\s*(?:!\s+)?(?:\[\[?\s.*\]|\(\(.*\)\))\s*(?:#|$)|^\s*(?:refute|fail)(?:_\w+)?\b",
    ))
});

/// A line that begins a test.
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r#"^\s*(?:(?:async\s+)?def\s+test\w*\s*\(|#\[(?:\w+::)*test\b|func\s+(?:Test|Fuzz)\w*\s*\(|(?:it|test)(?:\.each\b[^(]*\([^)]*\))?\s*\(\s*["'`])"#,
        // JUnit and TestNG; xUnit, NUnit and MSTest, with their cases; PHPUnit; XCTest; GoogleTest and Catch2.
        r"|^\s*@(?:\w+\s*\.\s*)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b",
        r"|^\s*\[\s*(?:Fact|Theory|InlineData|MemberData|ClassData|Test|TestCase\w*|TestMethod|DataTestMethod|DataRow|DynamicData)\b",
        r"|\bfunction\s+test\w*\s*\(|^\s*(?:/\*)?\*+\s*@test\b|^\s*#\[\s*\\?(?:\w+\\)*Test(?:With|DataProvider)?\b|\bfunc\s+test\w*\s*\(|^\s*(?:TEST(?:_[FP])?|TYPED_TEST|TEST_CASE|SECTION)\s*\(",
        // Unity, which runs what is listed; EUnit.
        r"|^\s*RUN_TEST\s*\(|^\w+_test_?\s*\(\s*\)\s*->",
        // RSpec, minitest and ExUnit; bats and shunit2.
        r#"|^\s*(?:f?it|specify|example|scenario|test)\s+["'].*\bdo\b|^\s*def\s+test_\w+|^\s*@test\s+["']|^\s*subtest\s+["']|^\s*(?:function\s+)?test\w*\s*\(\s*\)\s*\{"#,
    ))
});

/// A line that may skip a test, or a check that always holds, in languages that are not read.
static SKIP: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r"@(?:\w+\s*\.\s*)*(?:Disabled|Ignored?)\b|\[\s*(?:Ignore|Skip)|\bSkip\s*=|\bmarkTest(?:Skipped|Incomplete)\b|\bXCTSkip|\bGTEST_SKIP|\bDISABLED_\w+",
        r"|^\s*(?:RSpec\s*\.\s*)?[fx](?:it|describe|context|specify|example|feature|scenario|test)\b|^\s*(?:pending|skip)\b|[{|&]\s*(?:skip|pending)\b|@tag\s+:skip|\b(?:it|test|describe)\.(?:skip|only|todo)\b|\bAssume\.",
        r"|@(?:Enabled|Disabled)\w*\b|^\s*\[(?:[^\]\x22]*,)?\s*(?:Explicit|Ignore)\b|\bskip\s*:\s*(?:true\b|[\x22'])|\benabled\s*=\s*false\b|\bassum(?:e|ing)\w*\s*\(|\bAssert\s*\.\s*(?:Ignore|Inconclusive|Pass|Skip\w*)\b|\bexpectNotToPerformAssertions\b|#\[\s*\\?(?:\w+\\)*Requires|^\s*#\s*if(?:n?def)?\b",
        // Pester; Test::More; Julia; Zig; Robot Framework; clojure.test; ScalaTest; Deno.
        r"|^\s*(?:It|Describe|Context)\b.*\s-(?:Skip|Pending)\b|\bSet-ItResult\b|\bskip_all\b|@test_(?:skip|broken)\b|\bSkipZigTest\b|\brobot:skip\b|^\s{2,}(?:Skip(?: If)?|Pass Execution(?: If)?)(?:\s{2,}|$)|#_\s*\(deftest\b|^\s*ignore\s+(?:should|must|can)\b|\btest\s*\.\s*ignore\s*\(|^\s*ignore\s*:\s*true\b|\bRun Keyword And (?:Ignore Error|Return Status|Warn On Failure)\b|\bshouldSatisfy\b.*\bconst\s+True\b",
        r"|\bexpect_true\s*\(\s*TRUE\b|\(is\s+true\b|^\s*ok\s*\(\s*1\b|^\s*@test\s+true\b|^\s*pass\s*\(",
        // Pest; munit; Swift Testing; Catch2; Unity; EUnit; Foundry.
        r"|->\s*(?:skip|todo|only)\s*\(|\x22\s*\.\s*(?:ignore|only|fail|flaky|pending)\s*\)|\.\s*disabled\s*\(|\bwithKnownIssue\b|\[!(?:mayfail|shouldfail)\]|\x22\[\.\w*\]|\bSKIP\s*\(|\bCHECK_NOFAIL\b|\bTEST_(?:IGNORE\w*|PASS\w*)\s*\(|\bNOTEST\b|\bvm\s*\.\s*skip\s*\(|\?_?assert(?:Match|Error|Exit|Throw|Exception)\s*\(\s*_\s*,",
        // The test ends early, or its failure is caught.
        r"|^\s*(?:(?:if|guard|else)\b.*[\s){])?return(?:@\w+|\s+(?:0|Unit|Task\s*\.\s*CompletedTask))?\s*;?\s*\}?\s*$|\?:\s*return(?:@\w+)?\s*$|^\s*return\s+(?:if|unless)\b|\b(?:System|Environment)\s*\.\s*[eE]xit\s*\(|\b(?:catch|rescue)\b.*\b(?:AssertionError|AssertionFailedError|AssertFailedException|XunitException|ExpectationFailedException|ExpectationNotMetError|Throwable|Assertion)\b|\|\|\s*(?:true|:)\s*(?:#|$)",
        r"|(?:\|\||&&)\s*(?:exit(?:\s+0)?|return(?:\s+0)?|skip\b[^|&]*)\s*$|^\s*(?:next|break|goto\s+\w+)(?:\s+(?:if|unless)\b.*)?\s*;?\s*$|\b(?:Fail[fF]ast|halt)\s*\(|^\s*(?:die|abort|exit!|at_exit|kill)\b|\bexit!|^(?:__END__|__halt_compiler)\b",
        r"|\brescue\s+(?:nil|Exception)\b|\bcatch\s*\(\s*(?:\w+\s*\.\s*)*Error\b|\bcatch\s*(?:\([^()]*\))?\s*\{\s*\}|\bexpected\s*=\s*(?:Throwable|AssertionError|Error|Exception)\s*\.\s*class\b|^\s*run\s+(?:assert|refute)",
        // It only runs under a condition, or not at all.
        r"|^\s*(?:RSpec\s*\.\s*)?(?:it|describe|context|specify|example|feature|scenario)\b.*,\s*(?::(?:skip|pending|focus)\b|(?:skip|pending|focus|if|unless)\s*(?::|=>))",
        r"|\b(?:SkipException|TestAbortedException|TestSkippedException|AssumptionViolatedException|AssumptionFailedException|(?:Ignore|Inconclusive)Exception|Skipped(?:Test\w*|WithMessage)Exception|SkippedTestError|SkipTestException)\b\s*(?:\.\s*\w+\s*)?\(|\bMinitest\s*::\s*Skip\b|\bSkipDeclaredInExample\b|^\s*(?:focus|solo\s*:\s*true,?)\s*$|^\s*(?:\w+\s*\(\s*)?\x22(?:f:|!)[^\x22]*\x22\s*\)?[^=;]*\{\s*$",
        r"|\bSkip\s*\.\s*(?:If|IfNot|Unless|When)\b|\bTestAbort\w*|\bAssumptions\s*\.|@requires\b|\bDoesNotPerformAssertions\b|\[\s*Conditional\b",
        r"|\b(?:if|unless)\b.*(?:\bgetenv\s*\(|\bGetEnvironmentVariable\s*\(|\bENV\s*\[)|\bguard\b.*\belse\s*\{\s*return\b|\b(?:while|until)\s*\(?\s*(?:false|0)\b|\bfor\s*\(.*<\s*0\s*;|\b(?:Array|Enumerable)\s*\.\s*Empty\b|\bforeach\s*\(\s*\[\s*\]|^\s*\[\s*\]\s*\.\s*each\b|\bfor\s+\w+\s+in\s*;",
        r"|(?:\bTask\s*\.\s*Run|\bnew\s+Thread|\bThread\s*\.\s*new|=\s*(?:fn\b|\([^()]*\)\s*[-=]>)).*\b[aA]ssert|^\s*set\s+\+e\b|^\s*trap\s.*\b(?:EXIT|ERR)\b|^\s*:\s*<<",
        // What is tested, or what checks, is replaced.
        r"|^\s*(?:assert\w*|refute\w*|run|\[)\s*\(\s*\)\s*\{|^\s*(?:output|status)=",
        r"|(?:\bvoid|\bfun|\bfunction|\bdef)\s+(?:self\s*\.\s*)?(?:assert(?:Equals|Same|True|False|NotNull|Null|That|Throws)?|assert_(?:equal|nil|raises|match|includes|in_delta|same|empty)|expect)\s*[(\s;]|\bclass\s+Assert\b|\busing\s+Assert\s*=|\bassert_\w+\b.*\bdefine_method\b|\brunnable_methods\b|\bfunction\s+runTest\s*\(|\bundef_method\b",
        // A check that nothing calls, or that runs for nothing, or under a condition.
        r"|\brunCatching\s*\{|\bnull\s*\?\s*\.|\b(?:emptyList|emptySet|listOf|setOf)\b[^=]*\(\s*\)\s*\.\s*forEach\b|\brepeat\s*\(\s*0\s*\)|\b0\s*\.\s*times\b|\.\s*first\s*\(\s*0\s*\)|\bOptional\s*\.\s*empty\s*\(\s*\)\s*\.\s*if|\b(?:for|foreach)\b.*(?:\b(?:List|Set)\s*\.\s*of\s*\(\s*\)|\bnew\s+\w+\s*\[\s*0\s*\])",
        r"|(?:^|=)\s*(?:->|lambda|proc|\{)\s*\{?.*\b(?:[aA]ssert\w*|expect)\s*[.(]|(?:^|=)\s*(?:->|lambda|proc)\s*\{\s*assert\w*\s|\.\s*(?:submit|execute|runAsync|supplyAsync|peek|Exception)\s*\(.*\b[aA]ssert|^\s*(?:assert|refute|expect)\w*[\s({].*\s(?:if|unless)\s+[^\x22']*$",
        r"|\bgetRuntime\s*\(\s*\)\s*\.\s*(?:exit|halt)\b|\bexitProcess\s*\(|\b(?:failure_exit_code|dry_run)\s*=|\bfilter_run_excluding\b",
        r"|\{\s*exit\b|\bq(?:uit)?\s*\(\s*(?:\x22|save\b|status\s*=\s*0|\))|^\s*#\s*define\s+NDEBUG\b",
        r"|\b(?:mockStatic|mockConstruction|mockkStatic|mockkObject|MockedStatic)\b",
        r"|\b(?:assertTrue|assert_true|ASSERT_TRUE|EXPECT_TRUE|Assert\.(?:True|IsTrue)|assert)\s*[( ]\s*true\b|\bexpect\s*\(\s*true\s*\)|\bif\s*\(?\s*false\b|^\s*exit\s*\(?\s*0?",
    ))
});

/// Where a changed line stands in its patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) hunk: usize,
    /// Counts the stretches of changed lines, between which a line stays.
    pub(super) run: usize,
    /// Its number in the file before the change, or after it if it is new.
    pub(super) line: u64,
}

/// Lines that a test file loses and gains, without comments and strings if those are known.
#[derive(Default)]
pub(super) struct Lines {
    /// Each line as code, and with strings.
    pub(super) removed: Vec<(String, String)>,
    /// The same.
    pub(super) added: Vec<(String, String)>,
    /// Where each removed line stands.
    pub(super) removed_at: Vec<Place>,
    /// The same for the added ones.
    pub(super) added_at: Vec<Place>,
    /// The number of the first added line that may skip a test.
    pub(super) skip: Option<u64>,
}

impl Lines {
    /// Keeps the lines at such places, before and after the change.
    pub(super) fn keep(&mut self, before: &dyn Fn(&Place) -> bool, after: &dyn Fn(&Place) -> bool) {
        let keep = |lines: &mut Vec<Line>, places: &mut Vec<Place>, is_kept: &dyn Fn(&Place) -> bool| {
            let mut kept = places.iter().map(is_kept);
            lines.retain(|_| kept.next().unwrap_or(false));
            places.retain(is_kept);
        };
        keep(&mut self.removed, &mut self.removed_at, before);
        keep(&mut self.added, &mut self.added_at, after);
    }
}

/// Whether a line may skip a test.
pub(super) fn may_skip(line: &str) -> bool {
    !looks_like_comment(line) && !only_imports(line) && SKIP.is_match(line.as_bytes())
}

/// Whether a line does nothing but import something under its own name.
fn only_imports(line: &str) -> bool {
    let bare = line.trim_start();
    let imports = ["import ", "use ", "using ", "#include "].iter().any(|word| bare.starts_with(word));
    imports && !bare.contains(" as ") && !bare.contains(['=', '('])
}

/// Whether a line has a word of checks that is known.
pub(super) fn is_check(line: &str) -> bool {
    CHECK.is_match(line.as_bytes())
}

/// What a compiler reads before it compiles: in C and C#, with space behind the sign or without it.
const CONDITIONS: &[&str] = &["#define", "#elif", "#else", "#endif", "#if", "#undef"];

/// Whether a line of an unknown language begins like a comment of any.
pub(super) fn looks_like_comment(line: &str) -> bool {
    let text = line.trim_start();
    let begins = ["//", "#", "--", "*", "/*", "<!--", "%"].iter().any(|mark| text.starts_with(mark));
    // In Rust and PHP, an attribute begins like one; in C and C#, a condition and a macro; in Swift, a check; in Clojure and Racket,
    // what is left out.
    let spaced = text.strip_prefix('#').map(|rest| format!("#{}", rest.trim_start()));
    let text = spaced.as_deref().filter(|text| CONDITIONS.iter().any(|word| text.starts_with(word))).unwrap_or(text);
    let is_code =
        ["#[", "#define", "#if", "#undef", "#expect", "#require", "#_", "#;"].iter().any(|mark| text.starts_with(mark));
    begins && !is_code && !text.contains("*/")
}

/// If a line does nothing but open a comment or a text of several lines: what ends that.
pub(super) fn end_of_comment(line: &str) -> Option<&'static str> {
    match line.trim() {
        "/*" => Some("*/"),
        "=begin" => Some("=end"),
        _ => None,
    }
}

/// A declaration with its name, and whether a runner may overlook it.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    ascii(r"^\s*(?:[a-z]+\s+)*(?:class|void|Task|function|fun|func)\s+(\w+)\s*(?:[({:]|extends\b|implements\b|$)")
});

/// A test or a class of tests that keeps its name, but is hidden from its runner: private, internal or abstract.
pub(super) fn hidden(file: &Lines) -> Option<String> {
    /// What runs before and after a test, which a runner finds if it is not private.
    const AROUND: &[&str] = &["setUp", "setUpBeforeClass", "tearDown", "tearDownAfterClass"];
    let hides = |line: &str| {
        ["private", "internal", "protected", "abstract"]
            .iter()
            .any(|word| line.split(|c: char| !c.is_ascii_alphanumeric()).any(|own| own == *word))
    };
    let name = |line: &str| {
        let found = DECLARED.captures(line.as_bytes())?.get(1)?;
        line.get(found.range()).map(str::to_owned)
    };
    let open = |(code, _): &Line| name(code).filter(|_| !hides(code));
    let were: HashSet<String> = file.removed.iter().filter_map(open).collect();
    let mut now = file.added.iter().filter(|(code, _)| hides(code)).filter_map(|(code, _)| name(code));
    now.find(|name| were.contains(name) && !AROUND.contains(&name.as_str()))
}

/// What all test files of a change lose and gain together, so that tests may move between files.
#[derive(Default)]
pub(super) struct Moves {
    tests: Balance,
    checks: Balance,
    /// Lines that begin a test, as they are added.
    added_tests: HashSet<String>,
}

#[derive(Default)]
struct Balance {
    out: u64,
    into: u64,
}

impl Moves {
    pub(super) fn of<'a>(files: impl Iterator<Item = &'a Lines>) -> Self {
        let mut moves = Self::default();
        for file in files {
            moves.tests.count(file, begins_test);
            moves.checks.count(file, checks);
            let begins = file.added.iter().filter(|line| begins_test(line));
            moves.added_tests.extend(begins.map(|(_, said)| said.trim().to_owned()));
        }
        moves
    }
}

type Line = (String, String);

pub(super) fn begins_test((code, _): &Line) -> bool {
    TEST.is_match(code.as_bytes())
}

pub(super) fn checks((code, said): &Line) -> bool {
    let is_import = || code.trim_start().strip_prefix("import").is_some_and(|rest| rest.starts_with(' '));
    CHECK.is_match(code.as_bytes()) && !is_import() && (!is_vain(code.trim(), said.trim()) || has_message(code.trim()))
}

impl Balance {
    fn count(&mut self, file: &Lines, what: fn(&Line) -> bool) {
        let count = |lines: &[Line]| lines.iter().filter(|line| what(line)).count() as u64;
        self.out += count(&file.removed);
        self.into += count(&file.added);
    }

    fn loses(&self) -> bool {
        self.out > self.into
    }
}

/// Whether each test of a deleted file begins in another file that the change touches.
pub(super) fn is_elsewhere(file: &Lines, moves: &Moves) -> bool {
    let mut tests = file.removed.iter().filter(|line| begins_test(line)).map(|(_, said)| said.trim()).peekable();
    tests.peek().is_some() && tests.all(|test| moves.added_tests.contains(test)) && !moves.checks.loses()
}

/// Tests and checks that a file loses, unless other files gain them, or the checks became rows of values.
pub(super) fn fewer(path: &RepoPath, file: &Lines, moves: &Moves, became_rows: impl Fn() -> bool) -> Vec<Violation> {
    let tests = fewer_of(path, file, begins_test, &moves.tests, "fewer-tests", "tests");
    let keeps = fluent(&file.removed) <= fluent(&file.added) || became_rows();
    let checks = fewer_of(path, file, checks, &moves.checks, "fewer-checks", "lines with checks");
    tests.into_iter().chain(checks.filter(|_| !keeps)).collect()
}

/// How many things lines check that ask several things of one value, as `AssertJ` and Truth do; of other lines, how many
/// they are.
fn fluent(lines: &[Line]) -> usize {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\.\s*(?:is[A-Z]\w*|has[A-Z]\w*|contains\w*|doesNot\w+|startsWith|endsWith|matches|with(?:Message|Cause)\w*)\s*\(",
        )
    });
    let (mut others, mut heads, mut asked) = (0, 0, 0);
    for line in lines {
        let is_head = line.0.contains("assertThat");
        *(if is_head { &mut heads } else { &mut others }) += usize::from(checks(line));
        if is_head || line.0.trim_start().starts_with('.') {
            asked += ASKS.find_iter(line.0.as_bytes()).count();
        }
    }
    others + if heads > 0 { asked.max(heads) } else { 0 }
}

fn fewer_of(
    path: &RepoPath,
    file: &Lines,
    what: fn(&Line) -> bool,
    of_all: &Balance,
    rule: &str,
    name: &str,
) -> Option<Violation> {
    let mut own = Balance::default();
    own.count(file, what);
    let message = format!("{name}: {} removed, {} added", own.out, own.into);
    let hint = "change the code to pass the test, not the test to pass the code";
    (own.loses() && of_all.loses()).then(|| Violation::flag(rule, message, hint).at(path))
}

/// As many checks as before, but fewer against an exact value. That can be right, so it is only a flag.
pub(super) fn looser(path: &RepoPath, file: &Lines) -> Option<Violation> {
    let (mut all, mut own) = (Balance::default(), Balance::default());
    all.count(file, checks);
    own.out = file.removed.iter().filter(|line| exact::is_exact(line)).count() as u64;
    own.into = file.added.iter().filter(|line| exact::is_exact_now(line)).count() as u64;
    let message = format!("checks against an exact value: {} removed, {} added", own.out, own.into);
    let hint = "explain why the looser check is enough";
    // A check of several parts may stand on one line, or on several.
    let is_looser = || own.loses() && exact::count(&file.removed) > exact::count(&file.added) && !all.loses();
    is_looser().then(|| Violation::flag("looser-checks", message, hint).at(path))
}
