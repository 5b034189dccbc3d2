//! Encodings of sources and of files that they open.

use super::cases::{Files, candidates, repaired, trace_at};
use gephost_gene::failures::Failure;

use crate::plan::drafts;

const MARK: &str =
    "json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)";
const ASCII: &str = "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3 in position 0: ordinal not in range(128)";

#[test]
fn a_source_declares_its_encoding() {
    let check = |source: &[u8], expected: &[u8]| {
        let outputs = [
            "SyntaxError: Non-UTF-8 code starting with '\\xe9' in file /repo/a.py on line 1, but no encoding declared; see https://peps.python.org/pep-0263/ for details\n",
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n    import a\n  File \"/repo/a.py\", line 1\nSyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data\n",
        ];
        for output in outputs {
            let failure = Failure { event: 1, input: String::new(), output: output.to_owned() };
            let mut files = Files::default();
            files.files.insert("a.py".to_owned(), source.to_vec());
            let found = drafts(&[], &[failure], &mut files);
            let content = found.first().and_then(|draft| draft.files.first()).map(|file| file.1.as_slice());
            assert_eq!(content, Some(expected).filter(|it| !it.is_empty()), "{output}");
        }
    };
    check(b"x = 'caf\xe9'\n", b"# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n");
    check(b"#!/usr/bin/python\r\n# 5 \x80\r\n", b"#!/usr/bin/python\r\n# -*- coding: cp1252 -*-\r\n# 5 \x80\r\n");
    // Another script, a declaration that is wrong, and a file that is UTF-8 by now.
    check(b"# \xcf\xf0\xe8\xe2\xe5\xf2\n", b"");
    check(b"# coding: utf-8\nx = '\xe9'\n", b"");
    check("x = 'é'\n".as_bytes(), b"");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    for (source, at, expected) in [
        ("d = json.load(open('a.json'))\n", "d = ", "d = json.load(open('a.json', encoding='utf-8-sig'))\n"),
        (
            "with open(path, encoding=\"utf8\") as f:\n    d = json.load(f)\n",
            "d = ",
            "with open(path, encoding=\"utf-8-sig\") as f:\n    d = json.load(f)\n",
        ),
        ("d = json.loads(p.read_text())\n", "d = ", "d = json.loads(p.read_text(encoding=\"utf-8-sig\"))\n"),
        ("d = json.load(codecs.open(p, 'r', 'utf-8'))\n", "d = ", "d = json.load(codecs.open(p, 'r', 'utf-8-sig'))\n"),
        ("def f(x):\n    return json.loads(x)\n", "return", ""),
        ("f = open(a)\ng = open(b)\nd = json.load(f), json.load(g)\n", "d = ", ""),
        ("d = json.load(open(p, mode))\n", "d = ", ""),
        ("d = json.load(open(p, encoding='utf-16'))\n", "d = ", ""),
    ] {
        let output = trace_at("a.py", source, at, MARK);
        let expected = (!expected.is_empty()).then_some(expected);
        assert_eq!(repaired(&output, "a.py", source).as_deref(), expected, "{source}");
    }
}

#[test]
fn a_file_of_the_workspace_is_read_as_what_it_is() {
    let first = |source: &str, text: &[u8]| {
        let output = trace_at("a.py", source, "read()", ASCII);
        let mut files = Files::of(&[("a.py", source)]);
        files.files.insert("docs/README.md".to_owned(), text.to_vec());
        let failure = Failure { event: 1, input: String::new(), output };
        let draft = drafts(&[], &[failure], &mut files).into_iter().next()?;
        String::from_utf8(draft.files.into_iter().next()?.1).ok()
    };
    let source = "x = open(os.path.join(here, 'README.md')).read()\n";
    let expected = "x = open(os.path.join(here, 'README.md'), encoding=\"utf-8\").read()\n";
    assert_eq!(first(source, "é".as_bytes()).as_deref(), Some(expected));
    let source = "with open('docs/README.md', 'r') as f:\n    x = f.read()\n";
    let expected = "with open('docs/README.md', 'r', encoding='utf-8') as f:\n    x = f.read()\n";
    assert_eq!(first(source, "é".as_bytes()).as_deref(), Some(expected));
    assert_eq!(first(source, b"\xe9"), None, "the file is not UTF-8");
    assert_eq!(first(source, b"plain"), None, "another file is meant");
    let both = format!("import sys\nPY = sys.version_info\n{source}");
    assert_eq!(first(&both, "é".as_bytes()), None, "open has no such argument in Python 2");
    let unknown = "x = open(path).read()\n";
    assert!(candidates(&trace_at("a.py", unknown, "x = ", ASCII), &[("a.py", unknown)]).is_empty());
}
