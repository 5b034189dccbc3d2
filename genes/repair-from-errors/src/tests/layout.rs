//! The rest of a file stays as it is, byte for byte, and all forms of pytest's tracebacks are read.

use super::cases::{Files, repaired, trace, trace_at};
use gephost_gene::failures::Failure;

use crate::plan::drafts;

const MAPPING: &str = "AttributeError: module 'collections' has no attribute 'Mapping'";

#[test]
fn line_endings_byte_order_marks_and_last_lines_stay() {
    for (source, expected) in [
        (
            "import collections\r\nx = collections.Mapping\r\n",
            "import collections\r\nimport collections.abc\r\nx = collections.abc.Mapping\r\n",
        ),
        (
            "\u{feff}import collections\nx = collections.Mapping",
            "\u{feff}import collections\nimport collections.abc\nx = collections.abc.Mapping",
        ),
        (
            "\tx\n\n\nimport collections\n\x0c\nx = collections.Mapping  \n\n",
            "\tx\n\n\nimport collections\nimport collections.abc\n\x0c\nx = collections.abc.Mapping  \n\n",
        ),
    ] {
        let output = trace_at("m.py", source, "x = ", MAPPING);
        assert_eq!(repaired(&output, "m.py", source).as_deref(), Some(expected));
    }
}

#[test]
fn bytes_of_another_encoding_stay() {
    let source = b"# -*- coding: latin-1 -*-\nimport collections\nn = '\xe9'\nx = collections.Mapping\n".to_vec();
    let failure =
        Failure { event: 1, input: String::new(), output: trace("m.py", 4, "x = collections.Mapping", MAPPING) };
    let mut files = Files::default();
    files.files.insert("m.py".to_owned(), source.clone());
    let found = drafts(&[], std::slice::from_ref(&failure), &mut files);
    let expected = b"# -*- coding: latin-1 -*-\nimport collections\nimport collections.abc\nn = '\xe9'\nx = collections.abc.Mapping\n";
    assert_eq!(
        found.first().and_then(|draft| draft.files.first()).map(|file| file.1.as_slice()),
        Some(expected.as_slice())
    );

    let undeclared = source.split(|byte| *byte == b'\n').skip(1).collect::<Vec<_>>().join(&b'\n');
    files.files.insert("m.py".to_owned(), undeclared);
    assert!(drafts(&[], &[failure], &mut files).is_empty());
}

#[test]
fn pytest_tracebacks_are_read() {
    let source = "import collections\n\n\nclass D(collections.Mapping):\n    pass\n";
    let expected = "import collections\nimport collections.abc\n\n\nclass D(collections.abc.Mapping):\n    pass\n";
    for output in [
        "_____ ERROR collecting test_m.py _____\ntest_m.py:1: in <module>\n    import m\nm.py:4: in <module>\n    class D(collections.Mapping):\n            ^^^^^^^^^^^^^^^^^^^\nE   AttributeError: module 'collections' has no attribute 'Mapping'\n==== short test summary info ====\n",
        "____ test_a ____\n\n    def test_a():\n>       import m\n\ntest_m.py:2: \n_ _ _ _ _ _ _ _ \n\n>   class D(collections.Mapping):\nE   AttributeError: module 'collections' has no attribute 'Mapping'\n\nm.py:4: AttributeError\n==== 1 failed ====\n",
        "ImportError while loading conftest '/repo/conftest.py'.\nconftest.py:1: in <module>\n    import m\nm.py:4: in <module>\n    class D(collections.Mapping):\nE   AttributeError: module 'collections' has no attribute 'Mapping'\n",
    ] {
        assert_eq!(repaired(output, "m.py", source).as_deref(), Some(expected), "{output}");
    }
    let broken = "def f(x)\n    return x\n";
    let output = "____ ERROR collecting test_m.py ____\n/v/lib/python3.11/site-packages/_pytest/python.py:618: in _importtestmodule\n    mod = import_path(\nE     File \"/repo/m.py\", line 1\nE       def f(x)\nE               ^\nE   SyntaxError: expected ':'\n";
    assert_eq!(repaired(output, "m.py", broken).as_deref(), Some("def f(x):\n    return x\n"));
}

#[test]
fn a_line_that_moved_is_found_by_its_text() {
    let source = "# new\nimport collections\nx = collections.Mapping\n";
    let output = trace("m.py", 2, "x = collections.Mapping", MAPPING);
    assert!(repaired(&output, "m.py", source).is_some());
    let output = trace("m.py", 3, "y = collections.Mapping", MAPPING);
    assert_eq!(repaired(&output, "m.py", source), None);
}
