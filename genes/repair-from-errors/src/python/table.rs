//! Python names that moved, were renamed or were removed, as data.
//!
//! Only what has exactly one successor stands here. Sources: "Removed" and "Porting" sections of "What's New In Python"
//! of the version in `since`; PEP 3108 for modules of 3.0; for other packages the release notes of the version named.

/// How a use must look for the successor to mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// However it is used.
    Any,
    /// Only as a call with one or two arguments; the successor's default for `quote` differs.
    Escape,
    /// Only as a call whose result, or the name it is given, is used as the first four fields.
    ArgSpec,
}

/// A name of a module and what stands for it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    /// Where it was.
    pub(crate) module: &'static str,
    /// What it was called.
    pub(crate) name: &'static str,
    /// Where it is; empty for a builtin.
    pub(crate) to_module: &'static str,
    /// What it is called.
    pub(crate) to_name: &'static str,
    /// How it must be used.
    pub(crate) shape: Shape,
    /// Since when the old name is gone.
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

/// Names whose successor is the same only for some uses.
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

/// Modules that were renamed as a whole, all their names kept.
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

/// Attributes of objects that were renamed: the type in the message (any where empty), old, new, since.
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

/// Aliases that `unittest.TestCase` lost in Python 3.12.
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

/// What became of a module's name.
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

/// Whether the module itself is gone, though some of its names live on elsewhere: since when.
pub(crate) fn dissolved(module: &str) -> Option<(&'static str, &'static str)> {
    [("cgi", "Python 3.13"), ("imp", "Python 3.12"), ("pipes", "Python 3.13")]
        .into_iter()
        .find(|entry| entry.0 == module)
}

/// What a module is called now, and since when.
pub(crate) fn renamed_module(module: &str) -> Option<(&'static str, &'static str, &'static str)> {
    MODULES.iter().find(|entry| entry.0 == module).copied()
}

/// What a method of an object of this type is called now, and since when.
pub(crate) fn renamed_method(kind: &str, name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    METHODS.iter().find(|entry| entry.0 == kind && entry.1 == name).map(|entry| (entry.1, entry.2, entry.3))
}

/// What an alias of `unittest.TestCase` stands for.
pub(crate) fn assertion(name: &[u8]) -> Option<&'static str> {
    ASSERTIONS.iter().find(|entry| entry.0.as_bytes() == name).map(|entry| entry.1)
}
