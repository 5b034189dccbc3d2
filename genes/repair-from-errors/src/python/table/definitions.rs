//! Names of modules that no longer exist, each with a definition of the same meaning that a file can hold itself.

/// A name of a module that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The module.
    pub(crate) module: &'static str,
    /// The name.
    pub(crate) name: &'static str,
    /// The modules that the definition needs, separated by spaces.
    pub(crate) imports: &'static str,
    /// The definition.
    pub(crate) text: &'static str,
}

/// The methods of `unittest` that `nose.tools` has as functions, without `assert`.
const METHODS: &str = "AlmostEqual CountEqual DictEqual Equal False Greater GreaterEqual In Is IsInstance IsNone IsNot \
    IsNotNone Less LessEqual ListEqual MultiLineEqual NotAlmostEqual NotEqual NotIn NotIsInstance NotRegex Raises \
    RaisesRegex Regex SequenceEqual SetEqual True TupleEqual";

/// Functions and classes.
const DEFINITIONS: &[Definition] = &[
    Definition {
        module: "distutils.util",
        name: "strtobool",
        imports: "",
        text: "def strtobool(text):
    word = text.lower()
    if word in ('y', 'yes', 't', 'true', 'on', '1'):
        return 1
    if word in ('n', 'no', 'f', 'false', 'off', '0'):
        return 0
    raise ValueError('invalid truth value %r' % (word,))",
    },
    Definition {
        module: "distutils.version",
        name: "LooseVersion",
        imports: "functools re",
        text: "@functools.total_ordering
class LooseVersion:
    def __init__(self, vstring=None):
        if vstring is not None:
            self.parse(vstring)

    def parse(self, vstring):
        self.vstring = vstring
        parts = (part for part in re.split(r'(\\d+|[a-z]+|\\.)', vstring) if part not in ('', '.'))
        self.version = [int(part) if part.isdigit() else part for part in parts]

    def __eq__(self, other):
        return self.version == self._parts(other)

    def __lt__(self, other):
        return self.version < self._parts(other)

    def __str__(self):
        return self.vstring

    def __repr__(self):
        return 'LooseVersion (%r)' % (str(self),)

    @staticmethod
    def _parts(other):
        return (LooseVersion(other) if isinstance(other, str) else other).version",
    },
    Definition {
        module: "imp",
        name: "load_source",
        imports: "importlib.machinery importlib.util sys",
        text: "def load_source(name, path):
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module",
    },
    Definition {
        module: "cgi",
        name: "parse_header",
        imports: "email.message",
        text: "def parse_header(line):
    header = email.message.Message()
    header['content-type'] = line
    (value, _), *parameters = header.get_params()
    return value, dict(parameters)",
    },
    Definition {
        module: "nose.tools",
        name: "eq_",
        imports: "",
        text: "def eq_(first, second, message=None):
    assert first == second, message or '%r != %r' % (first, second)",
    },
    Definition {
        module: "nose.tools",
        name: "ok_",
        imports: "",
        text: "def ok_(value, message=None):
    assert value, message",
    },
    Definition {
        module: "nose.tools",
        name: "raises",
        imports: "functools unittest",
        text: "def raises(*expected):
    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            with unittest.TestCase().assertRaises(expected):
                function(*args, **kwargs)
        return checked
    return decorate",
    },
];

/// The definition of a name, with the modules that it needs.
pub(crate) fn definition(module: &str, name: &str) -> Option<(&'static str, String)> {
    if module == "nose.tools"
        && let Some(method) = method(name)
    {
        return Some(("unittest", format!("{name} = unittest.TestCase().{method}")));
    }
    let found = DEFINITIONS.iter().find(|it| it.module == module && it.name == name)?;
    Some((found.imports, found.text.to_owned()))
}

/// The method of `unittest` for an assertion of `nose.tools`, which has the same words with underscores: `assert_equals` is
/// `assertEquals`, now `assertEqual`.
fn method(name: &str) -> Option<String> {
    let mut words = name.split('_');
    let mut method = words.next()?.to_owned();
    for word in words {
        let (first, rest) = word.split_at_checked(1)?;
        method.push_str(&first.to_ascii_uppercase());
        method.push_str(rest);
    }
    let method = super::assertion(method.as_bytes()).map_or(method, str::to_owned);
    METHODS.split(' ').any(|known| method.strip_prefix("assert") == Some(known)).then_some(method)
}

/// The modules that have definitions and are gone if there is no module `name`: itself, and those in it.
pub(crate) fn defining(name: &str) -> Vec<&'static str> {
    let inside = |module: &str| module.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let mut modules: Vec<&str> = DEFINITIONS.iter().map(|it| it.module).filter(|module| inside(module)).collect();
    modules.dedup();
    modules
}
