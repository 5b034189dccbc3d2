//! What Python 3 no longer reads from a class.

use super::cases::{candidates, repaired, trace, trace_at};

/// The file after the repair of an error in another file.
fn elsewhere(source: &str, error: &str) -> Option<String> {
    let output = trace("run.py", 1, "main()", error);
    let first = candidates(&output, &[("pkg/mod.py", source), ("run.py", "main()\n")]).into_iter().next()?;
    let (path, content) = first.files.into_iter().next()?;
    assert_eq!(path, "pkg/mod.py");
    Some(String::from_utf8(content).expect("cases are text"))
}

/// The file after a port that an old `print` in it calls for, without that line.
fn ported(source: &str) -> String {
    let source = format!("{source}print 'a'\n");
    let output = trace_at(
        "m.py",
        &source,
        "print 'a'",
        "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?",
    );
    let output = output.replace(", in <module>", "");
    let first = candidates(&output, &[("m.py", &source)]).into_iter().next().expect("a port");
    let (_, content) = first.files.into_iter().next().expect("one file");
    String::from_utf8(content).expect("cases are text").replace("print('a')\n", "")
}

#[test]
fn a_metaclass_stands_in_the_header() {
    for (before, after) in [
        ("class A:\n    __metaclass__ = M\n", "class A(metaclass=M):\n    pass\n"),
        ("class A():\n    __metaclass__ = M\n    x = 1\n", "class A(metaclass=M):\n    x = 1\n"),
        (
            "class A(B, C):\n    'doc'\n    __metaclass__ = m.M\n    x = 1\n",
            "class A(B, C, metaclass=m.M):\n    'doc'\n    x = 1\n",
        ),
    ] {
        assert_eq!(ported(before), after);
        let error = "AttributeError: type object 'A' has no attribute 'made'";
        assert_eq!(elsewhere(before, error).as_deref(), Some(after));
        assert_eq!(elsewhere(after, error), None);
    }
    for same in [
        "class A(B, metaclass=M):\n    __metaclass__ = M\n",
        "class A:\n    __metaclass__ = type\n",
        "class A:\n    def M(n, b, d): pass\n    __metaclass__ = M\n",
        "class A:\n    __metaclass__ = make(1)\n",
        "class A:\n    def f(self):\n        __metaclass__ = M\n",
    ] {
        assert_eq!(ported(same), same);
    }
}

#[test]
fn comparisons_are_made_by_the_old_method() {
    let before =
        "class A(B):\n    def __cmp__(self, o):\n        return f(self, o)\n    def __lt__(self, o): return g(o)\n";
    let after = elsewhere(before, "TypeError: '>' not supported between instances of 'A' and 'A'").expect("a repair");
    let beside = after.strip_prefix("class A(B):\n    def __cmp__(self, o):\n        return f(self, o)\n");
    let beside =
        beside.and_then(|rest| rest.strip_suffix("    def __lt__(self, o): return g(o)\n")).expect("both stay");
    assert!(
        beside.starts_with("\n    def __eq__(self, other):\n        return self.__cmp__(other) == 0\n\n    def __ne__")
    );
    assert!(beside.ends_with("return self.__cmp__(other) >= 0\n\n    __hash__ = B.__hash__\n"), "{beside}");
    assert!(!beside.contains("__lt__"));
    // With tabs, and in a class whose base has no hash.
    let tabs = ported("class A(dict):\n\tdef __cmp__(self, o): return 0\n");
    assert!(tabs.contains("\n\tdef __eq__(self, other):\n\t\treturn self.__cmp__(other) == 0\n"), "{tabs}");
    assert!(!tabs.contains("__hash__"));
    let other = "TypeError: '<' not supported between instances of 'int' and 'A'";
    assert_eq!(elsewhere(before, other), None, "the class is not the first operand's");
}

#[test]
fn a_class_with_equality_keeps_its_hash() {
    let error = "TypeError: unhashable type: 'A'";
    let method = "    def __eq__(self, o):\n        return True\n";
    for (header, hash) in [("class A:", "object"), ("class A(m.B, C):", "m.B"), ("class A(object):", "object")] {
        let before = format!("{header}\n{method}    x = 1\n");
        let after = format!("{header}\n{method}    __hash__ = {hash}.__hash__\n    x = 1\n");
        assert_eq!(elsewhere(&before, error), Some(after));
    }
    for same in ["class A(list):\n", "class A(f(x)):\n", "class A:\n    __hash__ = None\n"] {
        assert_eq!(elsewhere(&format!("{same}{method}"), error), None, "{same}");
    }
    assert_eq!(elsewhere("class A:\n    pass\n", error), None, "its hash is not gone by a comparison");
}

#[test]
fn special_methods_get_their_new_names_in_a_port() {
    let before = "class A(object):\n    def __nonzero__(self):\n        return 1\n    def __div__(self, o): return o\n";
    let after = "class A(object):\n    def __nonzero__(self):\n        return 1\n    __bool__ = __nonzero__\n    def \
                 __div__(self, o): return o\n    __truediv__ = __div__\n";
    assert_eq!(ported(before), after);
    // Only an iterator's `next` is a special method.
    let iterator = "class A:\n    def __iter__(self): return self\n    def next(self): return 1\n";
    assert_eq!(ported(iterator), format!("{iterator}    __next__ = next\n"));
    let list = "class A:\n    def next(self): return 1\n";
    assert_eq!(ported(list), list);
}

#[test]
fn text_of_an_object_is_text() {
    for (before, after) in [
        (
            "class A(object):\n    def __str__(self):\n        return unicode(self).encode('utf-8')\n\n    def __unicode__(self):\n        return self.x\n",
            "class A(object):\n    def __str__(self):\n        return self.x\n",
        ),
        (
            "class A(object):\n    def __unicode__(self):\n        return self.x\n    def __str__(self): return self.__unicode__().encode()\n",
            "class A(object):\n    def __str__(self):\n        return self.x\n",
        ),
        (
            "class A(str):\n    def __str__(self):\n        'doc'\n        return self.x.encode(e)\n",
            "class A(str):\n    def __str__(self):\n        'doc'\n        return self.x\n",
        ),
        (
            "class A:\n    def __repr__(self): return f(self).encode('ascii')\n",
            "class A:\n    def __repr__(self): return f(self)\n",
        ),
        (
            "class A:\n    def __unicode__(self): return self.x\n",
            "class A:\n    def __unicode__(self): return self.x\n    __str__ = __unicode__\n",
        ),
    ] {
        assert_eq!(ported(before), after);
    }
    let error = "TypeError: __str__ returned non-string (type bytes)";
    let before = "class A:\n    def __str__(self): return self.x.encode('utf-8')\n";
    assert_eq!(elsewhere(before, error), Some(before.replace(".encode('utf-8')", "")));
    for same in [
        "class A:\n    def __str__(self):\n        x = f(self)\n        return x.encode('utf-8')\n",
        "class A:\n    def __str__(self): return x + y.encode('utf-8')\n",
        "class A:\n    def __str__(self): return str(self).encode('utf-8')\n",
    ] {
        assert_eq!(elsewhere(same, error), None, "{same}");
    }
}

#[test]
fn a_mixin_of_dictionaries_is_defined_in_the_file() {
    let source = "from UserDict import UserDict, DictMixin\nclass A(DictMixin): pass\n";
    let output = trace_at("pkg/mod.py", source, "from", "ModuleNotFoundError: No module named 'UserDict'");
    let found = repaired(&output, "pkg/mod.py", source).expect("a repair");
    assert!(found.starts_with("from collections.abc import MutableMapping as _Mapping\n\n\nclass DictMixin:\n"));
    assert!(found.ends_with("\nfrom collections import UserDict\nclass A(DictMixin): pass\n"), "{found}");
    let own = "from UserDict import DictMixin\nclass DictMixin(DictMixin): pass\n";
    let output = trace_at("pkg/mod.py", own, "from", "ModuleNotFoundError: No module named 'UserDict'");
    assert_eq!(repaired(&output, "pkg/mod.py", own), None, "the name has another meaning");
}

#[test]
fn object_is_the_last_base() {
    let error = "TypeError: Cannot create a consistent method resolution";
    let (before, after) = ("class A(object, B, metaclass=M): pass\n", "class A(B, metaclass=M): pass\n");
    assert_eq!(elsewhere(before, error).as_deref(), Some(after));
    assert_eq!(ported("class A(object, B):\n    pass\n"), "class A(B):\n    pass\n");
    for same in ["class A(B, object): pass\n", "class A(object, metaclass=M): pass\n", "class A(object): pass\n"] {
        assert_eq!(elsewhere(same, error), None, "{same}");
    }
}
