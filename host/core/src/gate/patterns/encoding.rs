//! Declarations of a source's encoding. The gate reads a file as UTF-8, or as Latin-1 if it is not UTF-8; a tool that reads
//! it otherwise would run other text than the gate saw.
//!
//! UTF-8, ASCII and Latin-1 may be declared, in any spelling. A file that already declares another encoding may change,
//! if ASCII means the same in it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::super::Violation;
use super::super::added::AddedLine;
use super::language::Language;
use crate::path::RepoPath;

/// Names of UTF-8, ASCII and Latin-1, in lower case without separators. Sources: Python's `encodings.aliases`; the WHATWG
/// Encoding Standard; Ruby's `Encoding.aliases`; Emacs' coding systems.
#[rustfmt::skip]
const SAME: &[&str] = &[
    "utf8", "u8", "utf", "utf8sig", "cp65001", "65001", "utf8bom", "utf8ucs2", "utf8emacs", "muleutf8", "utf8mb4",
    "unicode11utf8", "unicode20utf8", "xunicode20utf8", "ascii", "usascii", "646", "ansix341968", "iso646us",
    "cp367", "ibm367", "iso646irv1991", "binary", "ascii8bit", "latin1", "latin", "l1", "iso88591", "iso8859",
    "8859", "88591", "isolatin1", "cp819", "ibm819", "isoir100", "cslatin1", "undecided", "prefer utf8", "auto",
];

/// Beginnings of the names of encodings in which ASCII text means itself. Source: the same lists.
#[rustfmt::skip]
const LIKE_ASCII: &[&str] = &[
    "iso8859", "latin", "l2", "l3", "l4", "l5", "l9", "cp125", "windows125", "1250", "1251", "1252", "koi8", "mac",
    "cp437", "cp850", "cp852", "cp866", "euc", "gbk", "gb2312", "gb18030", "big5", "tis620", "kz1048", "ptcp154",
    "437", "850", "852", "858", "866", "1253", "1254", "1255", "1256", "1257", "1258", "2859",
];

/// Lines in which Python and Ruby look for a declaration; an empty line before it is not counted on.
const FIRST_LINES: usize = 3;

/// Bytes of a file in which a browser or an XML reader looks.
const HEAD: usize = 4096;

/// Extensions of files in which markup declares the encoding.
#[rustfmt::skip]
const MARKUP: &[&str] = &[
    "html", "htm", "xhtml", "shtml", "vue", "svelte", "astro", "svg", "xml", "jsp", "jspx", "tag", "asp", "aspx", "cshtml",
    "php", "phtml", "erb", "ejs", "hbs", "handlebars", "mustache", "j2", "jinja", "jinja2", "njk", "twig", "liquid", "tmpl",
    "gohtml", "tpl", "ftl", "vm", "mako", "eex", "heex", "cfm",
];

/// Encodings of one byte that a file which is not UTF-8 may be declared to have, in names like those of [`SAME`]. They
/// differ from Latin-1 only beyond ASCII.
const WESTERN: &[&str] = &["cp1252", "windows1252", "1252", "iso885915", "latin9", "l9"];

/// Beginnings of the names of encodings with letters of several bytes, of which one may look like ASCII.
const MULTI_BYTE: &[&str] = &[
    "euc", "gb", "big5", "hz", "shift", "sjis", "ms932", "mskanji", "cp93", "cp94", "cp95", "932", "936", "949", "950",
    "johab", "uhc",
];

/// Languages of files in which statements and options declare an encoding, beside those without rules of their own.
const HAVE_STATEMENTS: &[Language] = &[Language::Shell, Language::Yaml, Language::Dockerfile];

/// Finds the words, in any letter case, of which every statement of [`STATEMENTS`] has one.
static WORDS_OF_STATEMENTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = ["encoding", "charset", "character_set", "code_page", "setlocale", "scripte", "chcp"];
    let words = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    words.expect("the words are constant and a test uses them")
});

/// Statements that declare the encoding of a source, and options that tell it to a compiler. Sources: Perl's
/// `encoding`; MSVC, "Pragma directives" and "/source-charset"; GCC, "Preprocessor Options"; `javac`; Vim's
/// `:scriptencoding`; Tcl's `source` and `encoding`; SWI-Prolog, "Wide character encodings on streams"; `chcp`.
static STATEMENTS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"(?:^|;)[ \t]*use\s+encoding\s*\b(?:\s*q[qw]?\b)?\s*(?:[^\w\s;,:]\s*){1,3}:?NAME",
        r"^[ \t]*#[ \t]*pragma[ \t]+(?:code_page|setlocale|execution_character_set)\W*NAME",
        r"(?:^|[|])[ \t:]*scripte(?:n|nc|nco|ncod|ncodi|ncodin|ncoding)?[ \t]+NAME",
        r"\bencoding[ \t]+system[ \t]+NAME|\bsource[ \t]+-encoding[ \t]+NAME",
        r"^[ \t]*:-[ \t]*encoding[ \t]*\([ \t']*NAME",
        r"(?:^|[&|@(])[ \t]*chcp(?:\.com)?[ \t]+NAME",
        r"\b(?:javac|javadoc|scalac|groovyc|ecj)\b[^\n;|&]*[ \t]-encoding[ \t=]+[\x22']?NAME",
        r"[ \t\x22'=(,]-f(?:input|exec)-charset=NAME|[-/](?:source|execution)-charset:NAME",
        r"-dfile\.encoding=[\x22']?NAME",
    ];
    let one = forms.join("|").replace("NAME", r"([a-z0-9][\w.:+-]*)");
    Regex::new(&format!("(?mi){one}")).expect("the pattern is constant and a test uses it")
});

/// Extensions of style sheets, which declare their encoding in their first rule.
const STYLES: &[&str] = &["css", "scss", "sass", "less", "pcss"];

/// Tags that declare an encoding: where one begins, where it ends, and the word before the name.
type Tag = (&'static str, &'static str, &'static str);
const TAGS: &[Tag] = &[
    ("<meta", ">", "charset"),
    ("<script", ">", "charset"),
    ("<%@", "%>", "charset"),
    ("<%@", "%>", "pageencoding"),
    ("<%@", "%>", "codepage"),
    ("<jsp:directive", ">", "charset"),
    ("<jsp:directive", ">", "pageencoding"),
    ("<cfprocessingdirective", ">", "pageencoding"),
    ("<link", ">", "charset"),
    ("http-equiv", ">", "charset"),
    ("content=", ">", "charset"),
];

/// Looks at a file as it is after the change. `is_foreign` if it is not UTF-8.
pub(super) fn check(
    path: &RepoPath,
    spoken: &[Language],
    whole: &str,
    added: &[AddedLine<'_>],
    is_foreign: bool,
) -> Option<Violation> {
    let is_new = |number: u64| added.iter().any(|line| line.number == number);
    let is_western = |name: &str| is_foreign && WESTERN.contains(&plain(name).as_str());
    let (number, name) = declarations(path, spoken, whole)
        .into_iter()
        .find(|(number, name)| is_refused(name, is_new(*number)) && !is_western(name))?;
    let message = format!("the file is declared to be {name}, so that it says something else than is shown");
    Some(Violation::reject("source-encoding", message, "write the file in UTF-8").on_line(number))
}

/// The encodings that a file declares, with their lines. It reads no more of the file than the tools do that look for a
/// declaration.
pub(super) fn declarations(path: &RepoPath, spoken: &[Language], whole: &str) -> Vec<(u64, String)> {
    let extension = path.file_name().rsplit_once('.').map_or("", |(_, end)| end);
    let mut declared: Vec<(u64, String)> = Vec::new();
    let first = numbered(whole).take(FIRST_LINES);
    for (number, line) in first {
        // Ruby reads the word in any letter case.
        let folded = line.to_ascii_lowercase();
        let name = in_comment(&folded).filter(|_| reads_comments(spoken));
        declared.extend(name.map(|name| (number, name.to_owned())));
    }
    let head = whole.get(..whole.floor_char_boundary(HEAD)).unwrap_or_default().to_ascii_lowercase();
    let is_one_of = |list: &[&str]| list.iter().any(|known| extension.eq_ignore_ascii_case(known));
    let mut found = in_tags(&head, &[("<?xml", "?>", "encoding")]);
    if is_one_of(MARKUP) {
        found.extend(in_tags(&head, TAGS));
    }
    if is_one_of(STYLES) {
        found.extend(in_tags(&head, &[("@charset", ";", "@charset")]));
    }
    if spoken == [Language::Any] || spoken.len() > 2 {
        found.extend(in_tags(&head, &[("declare", ")", "encoding")]));
    }
    if spoken == [Language::Any] || spoken.iter().any(|spoken| HAVE_STATEMENTS.contains(spoken)) {
        declared.extend(in_statements(whole));
    }
    declared.extend(found.into_iter().map(|(at, name)| (line_of(&head, at), name)));
    declared
}

/// Whether a byte that looks like ASCII may be a part of a letter in this encoding.
pub(super) fn is_multi_byte(name: &str) -> bool {
    let name = plain(name);
    MULTI_BYTE.iter().any(|start| name.starts_with(start))
}

/// The name of an encoding in lower case, without separators.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Lines as Python ends them; the numbers are those of the gate unless a line has a carriage return within.
fn numbered(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1_u64..).zip(text.split(['\n', '\r']))
}

/// The names that tags declare, which may go over several lines, with their places.
fn in_tags(head: &str, tags: &[Tag]) -> Vec<(usize, String)> {
    let named = |&(begin, end, word): &Tag| {
        let starts = head.match_indices(begin);
        let names = starts.filter_map(move |(at, _)| {
            let rest = head.get(at..)?;
            let tag = rest.get(..rest.find(end).unwrap_or(rest.len()))?;
            let name = if begin == word { quoted(tag.get(word.len()..)?) } else { after(tag, word) };
            Some((at, name?.to_owned()))
        });
        names.collect::<Vec<_>>()
    };
    tags.iter().flat_map(named).collect()
}

/// The line of a place, in lines as [`numbered`] has them.
fn line_of(head: &str, at: usize) -> u64 {
    (1..).zip(head.get(..at).unwrap_or_default().split(['\n', '\r'])).last().map_or(1, |(number, _)| number)
}

/// The first word of letters and digits.
fn quoted(text: &str) -> Option<&str> {
    let rest = text.get(text.find(|c: char| c.is_alphanumeric())?..)?;
    rest.get(..rest.find(|c: char| !(c.is_alphanumeric() || "-_.:".contains(c))).unwrap_or(rest.len()))
}

/// Languages that look for a declaration in a comment: Python, Ruby and those that are not distinguished from them.
fn reads_comments(spoken: &[Language]) -> bool {
    spoken.contains(&Language::Python) || spoken == [Language::Any]
}

/// The name after `coding:` or `coding=` in a comment (PEP 263; Ruby's magic comments; Emacs' and Vim's lines).
fn in_comment(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}');
    let comment = line.get(line.find(['#', ';', '/', '-', '%', '*', '"'])?..)?;
    after(comment, "coding")
}

/// The name after a word and a colon or an equals sign, wherever the word stands.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.match_indices(word).find_map(|(at, _)| {
        let rest = text.get(at + word.len()..)?.trim_start();
        let rest = rest.strip_prefix([':', '='])?.trim_start().trim_start_matches(['"', '\'']);
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_.:+ ".contains(c))).unwrap_or(rest.len());
        let name = rest.get(..end)?.split_whitespace().next()?;
        name.starts_with(|c: char| c.is_alphanumeric()).then_some(name)
    })
}

/// The names that statements and options of compilers declare, wherever they stand in a file.
fn in_statements(whole: &str) -> Vec<(u64, String)> {
    if !WORDS_OF_STATEMENTS.is_match(whole) {
        return Vec::new();
    }
    let named = STATEMENTS.captures_iter(whole).filter_map(|found| found.iter().skip(1).flatten().next());
    named.map(|name| (line_of(whole, name.start()), name.as_str().to_ascii_lowercase())).collect()
}

fn is_refused(name: &str, is_new: bool) -> bool {
    let plain = plain(name);
    let ends = ["unix", "dos", "mac"];
    let bare = ends.iter().find_map(|end| plain.strip_suffix(end)).filter(|bare| !bare.is_empty()).unwrap_or(&plain);
    let is_same = SAME.contains(&plain.as_str()) || SAME.contains(&bare);
    let is_page = plain.bytes().all(|b| b.is_ascii_digit());
    let is_like_ascii = || (!is_new || is_page) && LIKE_ASCII.iter().any(|start| plain.starts_with(start));
    !is_same && !is_like_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::patterns::language::languages;

    fn refused(path: &str, text: &str, is_new: bool) -> bool {
        let path = RepoPath::new(path).expect("a path");
        let lines: Vec<AddedLine<'_>> =
            (1..).zip(text.split('\n')).map(|(number, text)| AddedLine { number, text }).collect();
        let first = text.split('\n').next().unwrap_or_default();
        check(&path, languages(&path, first), text, if is_new { &lines } else { &[] }, false).is_some()
    }

    #[test]
    fn other_encodings_are_refused_in_every_spelling() {
        let names = [
            "utf-7",
            "UTF7",
            "utf_7",
            "unicode_escape",
            "unicode-escape",
            "raw_unicode_escape",
            "rot13",
            "rot_13",
            "punycode",
            "idna",
            "hex",
            "base64",
            "zlib",
            "bz2",
            "quopri",
            "uu",
            "utf-16",
            "utf-16-le",
            "UTF-32",
            "cp037",
            "cp500",
            "cp1140",
            "shift_jis",
            "iso-2022-jp",
            "hz",
            "mbcs",
            "oem",
            "undefined",
            "palmos",
            "string_escape",
            "cp1252",
            "iso8859-15",
            "koi8-r",
            "windows-1252",
            "utf-8-evil",
            "my.codec",
            "johab",
        ];
        for name in names {
            for line in [
                format!("# -*- coding: {name} -*-"),
                format!("# coding={name}"),
                format!("#coding:{name}"),
                format!("# vim: set fileencoding={name} :"),
                format!("\u{feff}# encoding : {name}"),
                format!("# This file is encoding: {name}"),
            ] {
                for (path, text) in [
                    ("a.py", format!("{line}\nx = 1\n")),
                    ("bin/tool", format!("#!/usr/bin/env python3\n{line}\nx = 1\n")),
                    ("a.rb", format!("# frozen_string_literal: true\n{line}\nx = 1\n")),
                    ("a.py", format!("\n{line}\rx = 1\n")),
                ] {
                    assert!(refused(path, &text, true), "{path} {text:?}");
                }
            }
            assert!(refused("a.pl", &format!("use strict;\nuse encoding '{name}';\n"), true), "{name}");
            assert!(refused("a.php", &format!("<?php declare(encoding=\"{name}\");\n"), true), "{name}");
            assert!(refused("a.html", &format!("<head>\n<meta charset=\"{name}\">\n"), true), "{name}");
            assert!(refused("pom.xml", &format!("<?xml version=\"1.0\" encoding='{name}'?>\n<a/>\n"), true), "{name}");
        }
        assert!(refused("a.html", "<META http-equiv=x content=\"text/html; charset=UTF-7\">", true));
        for (path, text) in [
            ("a.rb", "# CODING: euc-jp\nx = 1\n"),
            ("a.rb", "# -*- Coding: shift_jis -*-\nx = 1\n"),
            ("a.pl", "use  encoding 'utf-7';\n"),
            ("a.pl", "use strict; use\tencoding qw(utf-7);\n"),
            ("a.php", "<?php declare(\n  encoding='UTF-7');\n"),
            ("a.php", "<?php DECLARE (strict_types=1, ENCODING = 'cp037');\n"),
            ("a.css", "\u{feff}@charset \"utf-7\";\na {}\n"),
            ("a.html", "<meta\n charset=utf-7>\n"),
            ("a.svg", "<?xml version='1.0'\n encoding='utf-7'?>\n<svg/>\n"),
            ("a.jsp", "<%@ page contentType=\"text/html;\n charset=UTF-16\" %>\n"),
        ] {
            assert!(refused(path, text, true), "{path} {text:?}");
        }
        for (path, statement) in [
            ("a.pl", "use encoding q{NAME};"),
            ("a.pl", "use encoding q(NAME);"),
            ("a.pl", "use encoding ( 'NAME' );"),
            ("a.pm", "package A; use encoding \":NAME\";"),
            ("a.vim", "scriptencoding NAME"),
            ("a.vim", "set nocp | scripte NAME"),
            ("a.tcl", "encoding system NAME"),
            ("a.tcl", "source -encoding NAME b.tcl"),
            ("a.pro", ":- encoding(NAME)."),
            ("a.bat", "@chcp NAME"),
            ("a.cmd", "echo off & CHCP.COM NAME"),
            ("a.c", "# pragma code_page(NAME)"),
            ("build.sh", "javac -d out -encoding NAME A.java"),
            ("build.sh", "gcc -finput-charset=NAME a.c"),
            ("build.bat", "cl /source-charset:NAME a.c"),
            ("Makefile", "all:\n\tjava -Dfile.encoding=NAME -jar a.jar"),
            (".github/workflows/a.yml", "      - run: javac -encoding NAME A.java"),
        ] {
            let far = format!("{}{statement}\n", "x\n".repeat(HEAD));
            for (name, is_refused) in [("utf-7", true), ("65000", true), ("utf-8", false), ("65001", false)] {
                let text = far.replace("NAME", name);
                assert_eq!(refused(path, &text, true), is_refused, "{path} {statement} {name}");
            }
        }
        for (path, tag) in [
            ("a.php", "<meta charset=utf-7>"),
            ("views/a.html.erb", "<meta charset=\"utf-7\">"),
            ("a.j2", "<meta http-equiv=content-type content=\"text/html; charset=utf-16\">"),
            ("a.hbs", "<script src=a.js charset=utf-7></script>"),
            ("a.jspx", "<jsp:directive.page pageEncoding=\"utf-16\"/>"),
            ("a.asp", "<%@ CodePage=65000 %>"),
            ("Rakefile", "# EnCoDiNg: utf-7"),
        ] {
            assert!(refused(path, &format!("{tag}\n"), true), "{path} {tag}");
        }
        assert!(refused("a.c", "#pragma execution_character_set(\"utf-7\")\n", true));
    }

    #[test]
    fn what_reads_like_utf_8_passes() {
        for name in
            ["utf-8", "UTF-8", "utf8", "utf_8", "utf-8-sig", "utf-8-unix", "ascii", "us-ascii", "latin-1", "iso-8859-1"]
        {
            for (path, text) in [
                ("a.py", format!("# -*- coding: {name} -*-\nx = 1\n")),
                ("a.rb", format!("# encoding: {name}\nx = 1\n")),
                ("a.html", format!("<meta charset=\"{name}\">\n")),
                ("a.xml", format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n")),
                ("a.pl", format!("use encoding '{name}';\n")),
            ] {
                assert!(!refused(path, &text, true), "{path} {text:?}");
            }
        }
        for (path, text) in [
            ("a.py", "x = 1\n\n\n# the payload has coding: base64\n"),
            ("a.py", "\"\"\"Encoding helpers.\"\"\"\nencoding = 'utf-16'\n"),
            ("a.py", "import codecs\ndata.decode('utf-7')\nopen(p, encoding='cp1252')\n"),
            ("a.js", "// coding: base64 of the payload\n"),
            ("a.css", "@charset \"utf-8\";\na {}\n"),
            ("a.php", "<?php declare(strict_types=1);\n$encoding = 'utf-7';\n"),
            ("a.pl", "use utf8;\nuse encoding_helpers 'utf-7';\n"),
            ("a.md", "# coding: utf-7 is dangerous\n"),
            ("a.sh", "# encoding: base64\n"),
            ("a.sh", "iconv --encoding utf-16 a.csv\nfile --mime-encoding utf-16.txt\n"),
            ("a.bat", "chcp 437 >nul\nchcp 1252\n"),
            ("a.pl", "use encoding::warnings 'FATAL';\nno encoding;\n"),
            ("a.tcl", "encoding convertfrom utf-16 $data\n"),
            ("a.vim", "set encoding=utf-16\n"),
            ("a.php", "<?php $mail = \"Content-Type: text/html; charset=utf-7\";\n"),
            ("a.html", "<p>The charset of mail is utf-7.</p>\n"),
            ("a.html", "<form accept-charset=\"utf-8\">\n"),
            ("a.py", "# Decoding of frames\n# coding style: PEP 8\n".replace("coding style:", "coding style").as_str()),
        ] {
            assert!(!refused(path, text, true), "{path} {text:?}");
        }
    }

    #[test]
    fn a_declaration_that_was_there_stays_if_ascii_means_the_same() {
        for name in ["cp1252", "iso-8859-15", "koi8-r", "gbk", "euc-jp"] {
            assert!(!refused("a.py", &format!("# coding: {name}\nx = 1\n"), false), "{name}");
        }
        for name in ["utf-7", "unicode_escape", "cp037", "utf-16"] {
            assert!(refused("a.py", &format!("# coding: {name}\nx = 1\n"), false), "{name}");
        }
    }

    #[test]
    fn a_file_that_is_not_utf_8_may_be_declared_to_be_western() {
        let path = RepoPath::new("a.py").expect("a path");
        for (name, refused) in [("cp1252", false), ("windows-1252", false), ("iso-8859-15", false), ("koi8-r", true)] {
            let text = format!("# coding: {name}");
            let added = [AddedLine { number: 1, text: &text }];
            let found = |is_foreign| check(&path, languages(&path, &text), &text, &added, is_foreign).is_some();
            assert_eq!((found(true), found(false)), (refused, true), "{name}");
        }
    }
}
