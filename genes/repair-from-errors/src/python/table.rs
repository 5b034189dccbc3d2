//! Tables of Python names that moved, were renamed or were removed, and that have exactly one successor.
//!
//! Sources: the sections "Removed" and "Porting" of "What's New In Python" for the version in `since`; PEP 3108 for
//! modules of 3.0; for other packages the release notes of the named version.

/// The uses for which the successor means the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All uses.
    Any,
    /// Only calls with one or two arguments, because the successor has another default for `quote`.
    Escape,
    /// Only calls of whose result no more than the first four fields are used.
    ArgSpec,
}

/// A name of a module and its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    /// The old module.
    pub(crate) module: &'static str,
    /// The old name.
    pub(crate) name: &'static str,
    /// The new module; empty for a builtin.
    pub(crate) to_module: &'static str,
    /// The new name.
    pub(crate) to_name: &'static str,
    /// The uses that can be replaced.
    pub(crate) shape: Shape,
    /// The version that removed the old name.
    pub(crate) since: &'static str,
}

/// The abstract base classes that left `collections` in Python 3.10.
const ABCS: [&str; 25] = [
    "Awaitable",
    "Coroutine",
    "AsyncIterable",
    "AsyncIterator",
    "AsyncGenerator",
    "Hashable",
    "Iterable",
    "Iterator",
    "Generator",
    "Reversible",
    "Sized",
    "Container",
    "Callable",
    "Collection",
    "Set",
    "MutableSet",
    "Mapping",
    "MutableMapping",
    "MappingView",
    "KeysView",
    "ItemsView",
    "ValuesView",
    "Sequence",
    "MutableSequence",
    "ByteString",
];

/// module, name, module now, name now, since.
const MOVES: &[(&str, &str, &str, &str, &str)] = &[
    ("base64", "encodestring", "base64", "encodebytes", "Python 3.9"),
    ("base64", "decodestring", "base64", "decodebytes", "Python 3.9"),
    ("configparser", "SafeConfigParser", "configparser", "ConfigParser", "Python 3.12"),
    ("fractions", "gcd", "math", "gcd", "Python 3.9"),
    ("imp", "reload", "importlib", "reload", "Python 3.12"),
    ("itertools", "ifilterfalse", "itertools", "filterfalse", "Python 3.0"),
    ("itertools", "izip_longest", "itertools", "zip_longest", "Python 3.0"),
    ("itertools", "izip", "", "zip", "Python 3.0"),
    ("itertools", "imap", "", "map", "Python 3.0"),
    ("itertools", "ifilter", "", "filter", "Python 3.0"),
    ("locale", "format", "locale", "format_string", "Python 3.12"),
    ("operator", "isCallable", "", "callable", "Python 3.0"),
    ("os", "getcwdu", "os", "getcwd", "Python 3.0"),
    ("pipes", "quote", "shlex", "quote", "Python 3.13"),
    ("string", "letters", "string", "ascii_letters", "Python 3.0"),
    ("string", "lowercase", "string", "ascii_lowercase", "Python 3.0"),
    ("string", "uppercase", "string", "ascii_uppercase", "Python 3.0"),
    ("sys", "maxint", "sys", "maxsize", "Python 3.0"),
    ("time", "clock", "time", "perf_counter", "Python 3.8"),
    ("numpy", "bool", "", "bool", "NumPy 1.24"),
    ("numpy", "complex", "", "complex", "NumPy 1.24"),
    ("numpy", "float", "", "float", "NumPy 1.24"),
    ("numpy", "int", "", "int", "NumPy 1.24"),
    ("numpy", "object", "", "object", "NumPy 1.24"),
    ("numpy", "str", "", "str", "NumPy 1.24"),
    ("numpy", "Inf", "numpy", "inf", "NumPy 2.0"),
    ("numpy", "NaN", "numpy", "nan", "NumPy 2.0"),
    ("numpy", "alltrue", "numpy", "all", "NumPy 2.0"),
    ("numpy", "cumproduct", "numpy", "cumprod", "NumPy 2.0"),
    ("numpy", "complex_", "numpy", "complex128", "NumPy 2.0"),
    ("numpy", "float_", "numpy", "float64", "NumPy 2.0"),
    ("numpy", "infty", "numpy", "inf", "NumPy 2.0"),
    ("numpy", "product", "numpy", "prod", "NumPy 2.0"),
    ("numpy", "round_", "numpy", "round", "NumPy 2.0"),
    ("numpy", "sometrue", "numpy", "any", "NumPy 2.0"),
    ("numpy", "string_", "numpy", "bytes_", "NumPy 2.0"),
    ("numpy", "unicode_", "numpy", "str_", "NumPy 2.0"),
    ("flask", "Markup", "markupsafe", "Markup", "Flask 3.0"),
    ("flask", "escape", "markupsafe", "escape", "Flask 3.0"),
    ("jinja2", "Markup", "markupsafe", "Markup", "Jinja 3.1"),
    ("jinja2", "escape", "markupsafe", "escape", "Jinja 3.1"),
    ("jinja2", "contextfilter", "jinja2", "pass_context", "Jinja 3.1"),
    ("jinja2", "contextfunction", "jinja2", "pass_context", "Jinja 3.1"),
    ("werkzeug", "secure_filename", "werkzeug.utils", "secure_filename", "Werkzeug 1.0"),
    ("django.conf.urls", "url", "django.urls", "re_path", "Django 4.0"),
    ("django.utils.encoding", "force_text", "django.utils.encoding", "force_str", "Django 4.0"),
    ("django.utils.encoding", "smart_text", "django.utils.encoding", "smart_str", "Django 4.0"),
    ("django.utils.translation", "ugettext", "django.utils.translation", "gettext", "Django 4.0"),
    ("django.utils.translation", "ugettext_lazy", "django.utils.translation", "gettext_lazy", "Django 4.0"),
];

/// Names whose successor fits only some uses.
const SHAPED: [Move; 2] = [
    Move {
        module: "cgi",
        name: "escape",
        to_module: "html",
        to_name: "escape",
        shape: Shape::Escape,
        since: "Python 3.8",
    },
    Move {
        module: "inspect",
        name: "getargspec",
        to_module: "inspect",
        to_name: "getfullargspec",
        shape: Shape::ArgSpec,
        since: "Python 3.11",
    },
];

/// Modules that were renamed and kept all their names: old, new, since.
const MODULES: &[(&str, &str, &str)] = &[
    ("BaseHTTPServer", "http.server", "Python 3.0"),
    ("CGIHTTPServer", "http.server", "Python 3.0"),
    ("ConfigParser", "configparser", "Python 3.0"),
    ("Cookie", "http.cookies", "Python 3.0"),
    ("HTMLParser", "html.parser", "Python 3.0"),
    ("Queue", "queue", "Python 3.0"),
    ("SimpleHTTPServer", "http.server", "Python 3.0"),
    ("SimpleXMLRPCServer", "xmlrpc.server", "Python 3.0"),
    ("SocketServer", "socketserver", "Python 3.0"),
    ("StringIO", "io", "Python 3.0"),
    ("Tkinter", "tkinter", "Python 3.0"),
    ("UserDict", "collections", "Python 3.0"),
    ("UserList", "collections", "Python 3.0"),
    ("UserString", "collections", "Python 3.0"),
    ("__builtin__", "builtins", "Python 3.0"),
    ("_winreg", "winreg", "Python 3.0"),
    ("anydbm", "dbm", "Python 3.0"),
    ("cPickle", "pickle", "Python 3.0"),
    ("cStringIO", "io", "Python 3.0"),
    ("cookielib", "http.cookiejar", "Python 3.0"),
    ("copy_reg", "copyreg", "Python 3.0"),
    ("django.core.urlresolvers", "django.urls", "Django 2.0"),
    ("dummy_thread", "_thread", "Python 3.9"),
    ("dummy_threading", "threading", "Python 3.9"),
    ("email.Encoders", "email.encoders", "Python 3.0"),
    ("email.Header", "email.header", "Python 3.0"),
    ("email.MIMEBase", "email.mime.base", "Python 3.0"),
    ("email.MIMEImage", "email.mime.image", "Python 3.0"),
    ("email.MIMEMultipart", "email.mime.multipart", "Python 3.0"),
    ("email.MIMEText", "email.mime.text", "Python 3.0"),
    ("email.Utils", "email.utils", "Python 3.0"),
    ("htmlentitydefs", "html.entities", "Python 3.0"),
    ("httplib", "http.client", "Python 3.0"),
    ("repr", "reprlib", "Python 3.0"),
    ("robotparser", "urllib.robotparser", "Python 3.0"),
    ("sklearn.cross_validation", "sklearn.model_selection", "scikit-learn 0.20"),
    ("sklearn.externals.joblib", "joblib", "scikit-learn 0.23"),
    ("thread", "_thread", "Python 3.0"),
    ("tkFileDialog", "tkinter.filedialog", "Python 3.0"),
    ("tkMessageBox", "tkinter.messagebox", "Python 3.0"),
    ("typing.io", "typing", "Python 3.13"),
    ("typing.re", "typing", "Python 3.13"),
    ("urlparse", "urllib.parse", "Python 3.0"),
    ("xml.etree.cElementTree", "xml.etree.ElementTree", "Python 3.9"),
    ("xmlrpclib", "xmlrpc.client", "Python 3.0"),
];

/// Methods that were renamed: the type in the message, old, new, since.
const METHODS: &[(&str, &str, &str, &str)] = &[
    ("Thread", "isAlive", "is_alive", "Python 3.9"),
    ("array.array", "fromstring", "frombytes", "Python 3.9"),
    ("array.array", "tostring", "tobytes", "Python 3.9"),
    ("dict", "iteritems", "items", "Python 3.0"),
    ("dict", "iterkeys", "keys", "Python 3.0"),
    ("dict", "itervalues", "values", "Python 3.0"),
    ("collections.OrderedDict", "iteritems", "items", "Python 3.0"),
    ("collections.defaultdict", "iteritems", "items", "Python 3.0"),
    ("DataFrame", "iteritems", "items", "pandas 2.0"),
    ("Series", "iteritems", "items", "pandas 2.0"),
    ("ConfigParser", "readfp", "read_file", "Python 3.12"),
    ("RawConfigParser", "readfp", "read_file", "Python 3.12"),
    ("xml.etree.ElementTree.Element", "getiterator", "iter", "Python 3.9"),
    ("ElementTree", "getiterator", "iter", "Python 3.9"),
];

/// Aliases in `unittest.TestCase` that Python 3.12 removed.
const ASSERTIONS: [(&str, &str); 14] = [
    ("assertAlmostEquals", "assertAlmostEqual"),
    ("assertEquals", "assertEqual"),
    ("assertNotAlmostEquals", "assertNotAlmostEqual"),
    ("assertNotEquals", "assertNotEqual"),
    ("assertNotRegexpMatches", "assertNotRegex"),
    ("assertRaisesRegexp", "assertRaisesRegex"),
    ("assertRegexpMatches", "assertRegex"),
    ("assert_", "assertTrue"),
    ("failIf", "assertFalse"),
    ("failIfEqual", "assertNotEqual"),
    ("failUnless", "assertTrue"),
    ("failUnlessAlmostEqual", "assertAlmostEqual"),
    ("failUnlessEqual", "assertEqual"),
    ("failUnlessRaises", "assertRaises"),
];

/// The successor of a module's name.
pub(crate) fn moved(module: &str, name: &str) -> Option<Move> {
    if module == "collections" {
        let name = ABCS.iter().find(|abc| **abc == name)?;
        let (to_module, shape) = ("collections.abc", Shape::Any);
        return Some(Move { module: "collections", name, to_module, to_name: name, shape, since: "Python 3.10" });
    }
    let shaped = SHAPED.iter().find(|entry| entry.module == module && entry.name == name).copied();
    shaped.or_else(|| {
        MOVES.iter().find(|entry| entry.0 == module && entry.1 == name).map(
            |&(module, name, to_module, to_name, since)| Move {
                module,
                name,
                to_module,
                to_name,
                shape: Shape::Any,
                since,
            },
        )
    })
}

/// The module and the version that removed it, if some of its names moved to other modules.
pub(crate) fn dissolved(module: &str) -> Option<(&'static str, &'static str)> {
    [("cgi", "Python 3.13"), ("imp", "Python 3.12"), ("pipes", "Python 3.13")]
        .into_iter()
        .find(|entry| entry.0 == module)
}

/// The old and the new name of a renamed module, and the version.
pub(crate) fn renamed_module(module: &str) -> Option<(&'static str, &'static str, &'static str)> {
    MODULES.iter().find(|entry| entry.0 == module).copied()
}

/// The old and the new name of a method of this type, and the version.
pub(crate) fn renamed_method(kind: &str, name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    METHODS.iter().find(|entry| entry.0 == kind && entry.1 == name).map(|entry| (entry.1, entry.2, entry.3))
}

/// The method that an alias in `unittest.TestCase` stood for.
pub(crate) fn assertion(name: &[u8]) -> Option<&'static str> {
    ASSERTIONS.iter().find(|entry| entry.0.as_bytes() == name).map(|entry| entry.1)
}
