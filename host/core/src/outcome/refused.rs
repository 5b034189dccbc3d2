//! What parsers of command lines print when they refuse one. The sentences are those of the parsers, whatever program they
//! are part of: argparse, optparse, click, typer, fire, commander, yargs, cac, oclif, `util.parseArgs`, clap, cobra, Go's `flag`,
//! kong, GNU and BSD `getopt`, `Getopt::Long`, picocli, commons-cli, `JCommander`, `OptionParser` and Thor of Ruby, Symfony's
//! console, `System.CommandLine`, `CommandLineParser`, the parameters of PowerShell, and those of `cmd.exe`.
//!
//! A program prints such a sentence at the beginning of what it prints, or at the end. In the middle it may be data.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence::contains;

/// Lines from the start and from the end that are looked at.
const MAX_FIRST: usize = 3;
const MAX_LAST: usize = 4;
/// Most bytes of a line that is looked at.
const MAX_LINE: usize = 300;

/// Sentences about an option, an argument or a subcommand, in lower case.
const SENTENCES: &[&str] = &[
    // What is not known.
    r"(?:unknown|unrecogni[sz]ed|unsupported|unexpected|nonexistent|invalid|illegal|no such|bad)(?: cli| command[ -]line| compiler| build| global)? (?:option|flag|argument|command|sub-?command|parameter|switch|switches)(?: argument)?(?:s|\(s\))?(?: or argument)?(?: --)?(?::? ?['\x22`‘“<-]|: [^\s]|[:,.]?$)",
    r"unsupported (?:format|method|platform|protocol|query|scheme|type|value) ['\x22`]",
    r"unknown shorthand flag: ",
    r"unrecogni[sz]ed (?:cli parameter:|(?:config(?:uration)? )?(?:key|setting)s?(?::| [^\s]+$))",
    r"unmatched arguments? (?:at index |from index )?",
    r"(?:option|flag|switch|verb|argument|command|subcommand|parameter|key) ['\x22`‘][^'\x22`’]+['\x22`’] (?:is (?:unknown|not (?:recogni[sz]ed|defined|valid))|(?:was )?not (?:recogni[sz]ed|found)|does not exist)",
    r"[^\s]+(?: [^\s]+)? does not recogni[sz]e (?:the )?(?:option|flag|argument|command|subcommand) ",
    r"option [^\s]+ ?(?:is|:) (?:is )?(?:unknown|ambiguous)",
    r"the ['\x22]?-[^\s]+['\x22]? option does not exist",
    r"(?:the )?command ['\x22`][^'\x22`]+['\x22`] (?:does not exist|is not (?:defined|supported)|not found)",
    r"command [^\s'\x22`]+ not found$",
    r"['\x22`][^'\x22`]+['\x22`] is (?:misspelled or )?not recogni[sz]ed ",
    r"unrecogni[sz]ed option or bad number of args for: ",
    r"there are no commands defined in the ['\x22]",
    r"could not (?:find command ['\x22]|consume arg: )",
    r"[a-z][\w -]{0,40} has no command named ['\x22]",
    r"[^\s]+ is not an? [^\s]+ command(?:\.|$)",
    r"no help topic for '",
    r"[^\s]+(?: [^\s]+)?: unknown command$",
    // What is missing.
    r"(?:missing|the following|one or more)(?: \d+)?(?: of the following)? (?:required|mandatory|positional)(?: or optional)? (?:options?|args?|arguments?|flags?|parameters?|value)(?:[:(]| for | ['\x22`<-]|s? (?:were not provided|are required|not provided)|.?$)",
    r"missing (?:option|argument|parameter|command|value)(?: for [^\s]+)?(?: ['\x22`‘<-]|: |\.?$)",
    r"the following (?:arguments are|option is|options are) required: ",
    r"one of the arguments [^\n]+ is required$",
    r"(?:required )?(?:option|flag|argument)(?:\(s\)|s)? ['\x22`<-][^\n]{1,80} (?:is (?:required|missing)|are required|not set|not specified|argument missing|requires an? (?:argument|value))",
    r"(?:option|flag|switch) [^\s]+ (?:requires|needs|expects) (?:an? |\d+ )?(?:argument|value|parameter)",
    r"(?:flag|option) (?:needs|requires) an argument",
    r"required (?:command was not provided|argument missing for )",
    r"no (?:input |output |source |target )?(?:args?|arguments?|commands?|files?|input|names?|paths?|subcommand|targets?|urls?) (?:were |was )?(?:given|provided|specified|supplied)",
    r"(?:no input files?|missing (?:(?:destination )?(?:file )?operand|urls?|input files?)[^\n]{0,40})$",
    r"at least one [a-z ]{1,30} must be (?:given|provided|specified)",
    r"expected (?:one|at least one|\d+) arguments?$|expected parameter for option ",
    r"no value provided for required options ",
    r"a value is required for '",
    r"['\x22`][^'\x22`]+['\x22`] requires a subcommand ",
    r"[^\n]{0,60}was called with (?:no arguments|arguments \[)",
    r"the function received no value for the required argument: ",
    // What is too much, or is not allowed.
    r"(?:too many|not enough|got unexpected extra)(?: non-option| positional| extra)? arguments?(?:$|[ :,.(])",
    r"no arguments expected for ",
    r"(?:accepts|requires)(?: at (?:least|most)| between)? \d+(?: and \d+)? arg\(s\), (?:only )?received ",
    r"was passed main parameter '",
    r"the argument '[^']+' cannot be used with ",
    r"argument [^\s]+: (?:invalid choice: |invalid [^\s]+ value: |expected |not allowed with )",
    r"invalid value (?:for (?:['\x22`<-]|option)|['\x22][^'\x22]*['\x22] for )",
    r"value ['\x22][^'\x22]*['\x22] invalid for option ",
    r"cannot parse argument '",
    r"incorrect usage[:.]",
    r"(?:(?:the )?input device is not a tty|[^\n]{0,60} requires? an interactive (?:terminal|shell|tty))",
    // PowerShell and `cmd.exe`.
    r"a (?:positional )?parameter cannot be found that ",
    r"(?:cannot (?:bind|validate argument on|process argument transformation on) (?:argument to )?parameter|missing an argument for parameter) ",
    r"(?:invalid switch - |parameter format not correct - |too many parameters - |the syntax of the command is incorrect)",
    // A configuration that the program cannot take.
    r"config(?:uration)? (?:path|key|file|option) not found: ",
    r"(?:[\w.-]+ )?config(?:uration)?(?: file)? is (?:invalid|not valid)(?:$|[.:])",
    // Where it is said how to ask for help.
    r"try:? ['\x22`]?[^\n'\x22`]+ (?:--help|-h)(?:['\x22`](?: for [a-z ]+)?)?\.?$",
    r"more info with: \x22[^\x22]+ -h\x22",
];

static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    // A mark, the name of the program, and a label may stand in front.
    let front = r"(?:[^\w\s'\x22`(\[{<#*+-]{1,3} *)?(?:\[[\w-]+\] +)?(?:[✖✗✘❌×⨯] +)?(?:[\w./@-]+ ?: +)?(?:(?:fatal|argument|usage)? ?error(?: ts\d+)?: +|fatal: +|\[error\]:? +|error\(s\): *)?(?:[a-z]*(?:exception|error)(?: \[\w+\])?: +)?(?:parseerror: )?";
    Regex::new(&format!("(?i)^{front}(?:{})", SENTENCES.join("|"))).expect("the expression compiles, as the tests show")
});

/// Words without which no sentence fits, so that most outputs are not searched.
const WORDS: [&str; 22] = [
    "ommand",
    "rgument",
    "ption",
    "lag",
    "arameter",
    "witch",
    " arg",
    "alue",
    "onfig",
    "ecogni",
    "nsupported",
    "given",
    "provided",
    "pecified",
    "perand",
    " URL",
    "nput file",
    "interactive",
    " TTY",
    "usage",
    "--help",
    " -h",
];

/// Whether an output begins or ends with the refusal of a command line, or has one that names a word of it. `is_spelled`: whether
/// the command line itself has this text, so that it may have been asked to print it.
pub(super) fn says_so(text: &str, is_spelled: impl Fn(&str) -> bool, is_word: impl Fn(&str) -> bool) -> bool {
    if !may_say_so(text) {
        return false;
    }
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_a_frame(line));
    let mut near = lines().take(MAX_FIRST).chain(lines().rev().take(MAX_LAST));
    near.any(|line| refuses(line) && !is_spelled(line)) || names_a_word(text, is_word)
}

/// Whether a line of an output refuses a command line, and names a word of it: an option, or what stands in quotes. What a
/// program shows may have such lines, but not about what it was just given.
pub(super) fn names_a_word(text: &str, is_word: impl Fn(&str) -> bool) -> bool {
    let names = |line: &str| {
        let quotes = ['\'', '"', '`', '‘', '’', '“', '”'];
        let inner = line.split(quotes).skip(1).step_by(2);
        let dashed = line.split([' ', ':', ',', '=']).map(|word| word.trim_matches(quotes));
        inner.chain(dashed.filter(|word| word.starts_with('-'))).any(|word| word.len() > 1 && is_word(word))
    };
    may_say_so(text) && text.lines().map(str::trim).any(|line| refuses(line) && names(line))
}

fn may_say_so(text: &str) -> bool {
    WORDS.iter().any(|word| contains(text, word))
}

fn refuses(line: &str) -> bool {
    line.len() <= MAX_LINE && REFUSAL.is_match(line)
}

/// Whether a line only draws the top or the bottom of a box.
fn is_a_frame(line: &str) -> bool {
    line.chars().all(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(table: &str) -> impl Iterator<Item = &str> {
        table.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    #[test]
    fn sentences_of_parsers() {
        let rest = "a\nb\nc\nd\ne";
        let is_seen = |line: &&str| {
            [format!("{line}\n{rest}"), format!("{rest}\n{line}")]
                .iter()
                .all(|text| says_so(text, |_| false, |_| false))
                && !says_so(line, |_| true, |_| false)
                && !says_so(&format!("{rest}\n{line}\n{rest}"), |_| false, |_| false)
        };
        let missed: Vec<&str> = lines(REFUSED).filter(|line| !is_seen(line)).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn sentences_about_something_else() {
        let wrong: Vec<&str> = lines(OTHERS).filter(|line| says_so(line, |_| false, |_| false)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn words_that_a_refusal_names() {
        let said = |line: &str| {
            names_a_word(&format!("a\nb\nc\nd\n{line}\nx\ny\nz\nw"), |word| ["--lable", "gruop"].contains(&word))
        };
        for line in [
            "unknown flag: --lable",
            "error: unexpected argument '--lable' found",
            "a: unrecognized option '--lable=x'",
        ] {
            assert!(said(line), "{line}");
        }
        assert!(said("'gruop' is misspelled or not recognized by the system."));
        assert!(!said("unknown flag: --name") && !said("the flag --lable is new") && !said("unknown flag: gruop"));
    }

    const REFUSED: &str = r#"
        ledger: error: argument c: invalid choice: 'shw' (choose from 'show', 'sync')
        ledger: error: the following arguments are required: c
        ledger: error: argument --year: invalid int value: 'abc'
        ledger: error: argument --year: expected one argument
        ledger: error: unrecognized arguments: --yer
        a.py: error: one of the arguments --a --b is required
        a.py: error: no such option: --x
        Error: No such command 'helo'. Did you mean 'hello'?
        Error: No such option '--nam'. Did you mean '--name'?
        Error: Missing option '--name'.
        Error: Missing argument 'PATH'.
        Error: Got unexpected extra argument (x)
        Error: Invalid value for 'PATH': Path '/nope/file' does not exist.
        │ No such command 'ad'.
        │ Invalid value for 'N': 'x1' is not a valid integer.
        ERROR: Could not consume arg: dwn
        ERROR: The function received no value for the required argument: n
        error: unknown command 'zp'
        error: unknown option '--debg'
        error: missing required argument 'file'
        error: required option '-p, --port <n>' not specified
        error: option '-p, --port <n>' argument missing
        error: too many arguments. Expected 1 argument but got 2.
        Unknown argument: snd
        Unknown arguments: a, b
        Missing required argument: to
        Not enough non-option arguments: got 0, need at least 1
        Unknown option `--bild`
        CACError: Unknown option `--bild`
        CACError: missing required args for command `x`
        TypeError [ERR_PARSE_ARGS_UNKNOWN_OPTION]: Unknown option '--prt'
        ›   Error: Nonexistent flag: --x
        ›   Error: Missing 1 required arg:
        ›   Error: Unexpected argument: x
        ›   Error: command x not found
        error: unexpected argument '--slect' found
        error: unrecognized subcommand 'instal'
        error: the following required arguments were not provided:
        error: invalid value 'x' for '--n <N>': invalid digit found in string
        error: a value is required for '--n <N>' but none was supplied
        error: the argument '--a' cannot be used with '--b'
        Error: unknown command "x" for "y"
        Error: unknown flag: --x
        unknown shorthand flag: 'x' in -x
        Error: accepts 1 arg(s), received 0
        Error: requires at least 1 arg(s), only received 0
        Error: required flag(s) "name" not set
        Error: flag needs an argument: --x
        invalid value "x" for flag -p: parse error
        Incorrect Usage: flag provided but not defined: -x
        go tst: unknown command
        gdb: unrecognized option '--no-such'
        cut: invalid option -- 'x'
        cut: option requires an argument -- 'x'
        a: option '--x' requires an argument
        a.sh: illegal option -- x
        Unknown option: nme
        Option name requires an argument
        Value "x" invalid for option n (number expected)
        Unknown option: '--x'
        Unmatched argument at index 0: 'x'
        Missing required option: '--x=<x>'
        Missing required parameter: '<file>'
        Was passed main parameter 'x' but no main parameter was defined in your arg class
        The following option is required: [-x]
        Unrecognized option: -x
        Could not find command "x".
        Unknown switches "--x"
        No value provided for required options '--x'
        ERROR: "app show" was called with no arguments
        Command "x" is not defined.
        The "--x" option does not exist.
        Not enough arguments (missing: "name").
        There are no commands defined in the "x" namespace.
        Unrecognized command or argument 'x'.
        Required command was not provided.
        Required argument missing for command: 'x'.
        Option '--x' is required.
        Option 'wait' is unknown.
        Terraform has no command named "aply".
        A parameter cannot be found that matches parameter name 'Foo'.
        Get-Item : A positional parameter cannot be found that accepts argument 'x'.
        Missing an argument for parameter 'Path'.
        Invalid switch - "x".
        The syntax of the command is incorrect.
        OpenClaw does not recognize option "--model".
        Try: openclaw configure x --help
        Interactive configuration requires an interactive terminal (TTY).
        the input device is not a TTY
        Config path not found: model. Run a config validate to inspect it.
        Too many arguments for this command.
        OpenClaw config is invalid
        error: Unrecognized option: 'no-such'
        error TS5023: Unknown compiler option '--noSuchFlag'.
        ✘ [ERROR] Invalid build flag: "--bundel"
        [webpack-cli] ✖ Error: Unknown option '--no-such'
        Unknown option argument: "--no-such"
        × Command "instal-x" not found
        Unknown command: "instal-pkg"
        curl: option --no-such: is unknown
        invalid option "--no-such"
        Unsupported query "nosuch"
        tally: no input file given
        curl: no URL specified!
        gcc: fatal error: no input files
        mkdir: missing operand
        cp: missing destination file operand after 'a'
        wget: missing URL
        At least one output file must be specified
    "#;

    const OTHERS: &str = r#"
        README.md:2:How to handle "unknown option" errors.
        unknown option handling was moved
        warning: deprecated option --x
        options: --all --name
        Fixed: unknown flags are ignored now
        ok 3 - rejects an unknown option
        test cli::unknown_option ... ok
        argument parsing took 3 ms
        3 unknown commands were skipped
        Configuration is valid
        config is valid
        No arguments needed
        no argument is wrong here
        the command prints its usage
        Commands: add, remove
        Added option '--x' to the parser
        required: true
        [main 1a2b3c4] Handle too many arguments
        1a2b3c4 refuse unknown options
        invalid rows: 3
        Invalid values were replaced by 0
        missing values: 12
        "message": "Unknown option '--x'"
        - unknown option: the parser stops
        missing translations: 3
        no files were changed
        no input validation is done here
        unsupported browsers: 3
        Option A is cheaper
        flag raised by reviewer
    "#;
}
