//! Names that a newer version of a language or of a library no longer has, and what took their place. To add one, add a row.
//!
//! The facts are from the release notes and migration guides of each project.

/// A part of the line that explains the failure, and what to do. The first row that fits a line wins.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    // Python: the standard library.
    ("module 'inspect' has no attribute 'getargspec'", "use `inspect.signature` or `inspect.getfullargspec`: Python 3.11 removed `getargspec`"),
    ("module 'inspect' has no attribute 'formatargspec'", "use `str(inspect.signature(f))`: Python 3.11 removed `formatargspec`"),
    ("module 'asyncio' has no attribute 'coroutine'", "write `async def` instead of `@asyncio.coroutine`, which Python 3.11 removed"),
    ("module 'time' has no attribute 'clock'", "use `time.perf_counter()` or `time.process_time()`: Python 3.8 removed `time.clock`"),
    ("module 'platform' has no attribute 'linux_distribution'", "use the package `distro`: Python 3.8 removed `linux_distribution`"),
    ("cannot import name 'gcd' from 'fractions'", "import `gcd` from `math`: Python 3.9 took it out of `fractions`"),
    ("module 'fractions' has no attribute 'gcd'", "use `math.gcd`: Python 3.9 removed `fractions.gcd`"),
    ("module 'cgi' has no attribute 'escape'", "use `html.escape`: Python 3.8 removed `cgi.escape`"),
    ("has no attribute 'isAlive'", "use `is_alive()`: Python 3.9 removed `isAlive`"),
    ("has no attribute 'getchildren'", "iterate over the element itself (`list(element)`): Python 3.9 removed `getchildren`"),
    ("has no attribute 'getiterator'", "use `iter()`: Python 3.9 removed `getiterator`"),
    ("has no attribute 'readfp'", "use `read_file()`: Python 3.12 removed `readfp`"),
    ("module 'configparser' has no attribute 'SafeConfigParser'", "use `ConfigParser`: Python 3.12 removed `SafeConfigParser`"),
    ("has no attribute 'assertEquals'", "use `assertEqual`: Python 3.12 removed the old names of these methods"),
    ("has no attribute 'assertItemsEqual'", "use `assertCountEqual`, as it is called in Python 3"),
    ("has no attribute 'assertRaisesRegexp'", "use `assertRaisesRegex`: Python 3.12 removed the old name"),
    ("has no attribute 'assertRegexpMatches'", "use `assertRegex`: Python 3.12 removed the old name"),
    ("has no attribute 'iteritems'", "use `items()`: neither Python 3 nor pandas 2 has `iteritems`"),
    ("has no attribute 'has_key'", "write `key in d`: Python 3 has no `has_key`"),
    ("module 'string' has no attribute 'letters'", "use `string.ascii_letters`, as it is called in Python 3"),
    ("module 'pkgutil' has no attribute 'ImpImporter'", "update setuptools and pip in this environment: Python 3.12 removed what this old version uses"),
    ("name 'unicode' is not defined", "use `str`: Python 3 has no `unicode`"),
    ("name 'xrange' is not defined", "use `range`: Python 3 has no `xrange`"),
    ("name 'raw_input' is not defined", "use `input`: Python 3 has no `raw_input`"),
    ("name 'basestring' is not defined", "use `str`: Python 3 has no `basestring`"),
    ("no current event loop in thread", "start it with `asyncio.run(main())`, or make a loop with `asyncio.new_event_loop()` in this thread"),
    // Python: packages.
    ("module 'numpy' has no attribute 'float'", NUMPY_TYPES),
    ("module 'numpy' has no attribute 'int'", NUMPY_TYPES),
    ("module 'numpy' has no attribute 'bool'", NUMPY_TYPES),
    ("module 'numpy' has no attribute 'object'", NUMPY_TYPES),
    ("module 'numpy' has no attribute 'str'", NUMPY_TYPES),
    ("module 'numpy' has no attribute 'complex'", NUMPY_TYPES),
    ("`np.float_` was removed", "use `np.float64`, or pin `numpy<2`"),
    ("`np.NaN` was removed", "use `np.nan`, or pin `numpy<2`"),
    ("'DataFrame' object has no attribute 'append'", PANDAS_APPEND),
    ("'Series' object has no attribute 'append'", PANDAS_APPEND),
    ("'DataFrame' object has no attribute 'ix'", "use `.loc` (by label) or `.iloc` (by position): pandas 1 removed `.ix`"),
    ("module 'PIL.Image' has no attribute 'ANTIALIAS'", "use `Image.LANCZOS`, or pin `pillow<10`: Pillow 10 removed `ANTIALIAS`"),
    ("has no attribute 'textsize'", "use `textbbox` or `textlength`, or pin `pillow<10`: Pillow 10 removed `textsize`"),
    ("'FreeTypeFont' object has no attribute 'getsize'", "use `getbbox` or `getlength`, or pin `pillow<10`: Pillow 10 removed `getsize`"),
    ("cannot import name 'Markup' from 'jinja2'", "import it from `markupsafe`: Jinja 3.1 took it out"),
    ("cannot import name 'escape' from 'jinja2'", "import it from `markupsafe`: Jinja 3.1 took it out"),
    ("cannot import name 'contextfilter' from 'jinja2'", "use `pass_context`: Jinja 3.1 removed `contextfilter`"),
    ("cannot import name 'soft_unicode' from 'markupsafe'", "update Jinja, or pin `markupsafe==2.0.1`: markupsafe 2.1 removed `soft_unicode`"),
    ("cannot import name 'url_quote' from 'werkzeug.urls'", "update Flask to the version that fits Werkzeug 3, or pin `werkzeug<3`"),
    ("cannot import name 'url_decode' from 'werkzeug.urls'", "update Flask and its extensions to versions that fit Werkzeug 3, or pin `werkzeug<3`"),
    ("cannot import name 'ugettext", "use `gettext` and `gettext_lazy`: Django 4 removed the names with `u`"),
    ("cannot import name 'force_text'", "use `force_str`: Django 4 removed `force_text`"),
    ("cannot import name 'smart_text'", "use `smart_str`: Django 4 removed `smart_text`"),
    ("cannot import name 'url' from 'django.conf.urls'", "use `re_path` of `django.urls`: Django 4 removed `url`"),
    ("'Engine' object has no attribute 'execute'", "open a connection (`with engine.connect() as connection`) and execute there, or pin `sqlalchemy<2`"),
    ("cannot import name 'AdamW' from 'transformers'", "import it from `torch.optim`: new versions of transformers no longer have it"),
    ("cannot import name 'cached_download' from 'huggingface_hub'", "use `hf_hub_download`, or update the package that imports it"),
    ("cannot import name 'BaseSettings' from 'pydantic'", PYDANTIC),
    ("`BaseSettings` has been moved", PYDANTIC),
    // JavaScript.
    ("digital envelope routines::unsupported", "update webpack to version 5, or set `NODE_OPTIONS=--openssl-legacy-provider`: OpenSSL 3 refuses the hash of webpack 4"),
    ("primordials is not defined", "update gulp to version 4 or later (or `graceful-fs`): version 3 does not run on Node 12 and later"),
    ("__dirname is not defined in ES module scope", "use `import.meta.dirname`, or `path.dirname(fileURLToPath(import.meta.url))`: an ES module has no `__dirname`"),
    ("__filename is not defined in ES module scope", "use `import.meta.filename`, or `fileURLToPath(import.meta.url)`: an ES module has no `__filename`"),
    ("module is not defined in ES module scope", "use `export`, or name the file `.cjs`: in an ES module there is no `module`"),
    ("ReactDOM.render is not a function", "use `createRoot` of `react-dom/client`: React 19 removed `ReactDOM.render`"),
    ("ReactDOM.render is no longer supported", "use `createRoot` of `react-dom/client`"),
    ("'Switch' is not exported from 'react-router-dom'", "use `Routes`: version 6 of react-router-dom has no `Switch`"),
    ("'useHistory' is not exported from 'react-router-dom'", "use `useNavigate`: version 6 of react-router-dom has no `useHistory`"),
    ("no longer accepts a callback", "await the promise that it returns in place of the callback"),
    ("directly as a PostCSS plugin", "install `@tailwindcss/postcss` and name that one in the config of PostCSS: in Tailwind 4 it is a package of its own"),
    // Ruby.
    ("undefined method `exists?' for File:", "use `File.exist?`: Ruby 3.2 removed `exists?`"),
    ("undefined method `exists?' for Dir:", "use `Dir.exist?`: Ruby 3.2 removed `exists?`"),
    ("undefined method 'exists?' for class File", "use `File.exist?`: Ruby 3.2 removed `exists?`"),
    ("undefined method 'exists?' for class Dir", "use `Dir.exist?`: Ruby 3.2 removed `exists?`"),
    ("uninitialized constant Fixnum", "use `Integer`: Ruby 3.2 removed `Fixnum`"),
    ("uninitialized constant Bignum", "use `Integer`: Ruby 3.2 removed `Bignum`"),
    ("undefined method `escape' for URI", "use `URI.encode_www_form_component`, or `URI::DEFAULT_PARSER.escape` for the same result: Ruby 3 removed `URI.escape`"),
    ("undefined method 'escape' for module URI", "use `URI.encode_www_form_component`, or `URI::DEFAULT_PARSER.escape` for the same result: Ruby 3 removed `URI.escape`"),
    ("undefined method `new' for BigDecimal", "use `BigDecimal(…)`: there is no `BigDecimal.new` any more"),
    // PHP.
    ("undefined function each()", "use `foreach`: PHP 8 removed `each`"),
    ("undefined function create_function()", "use an anonymous function: PHP 8 removed `create_function`"),
    ("undefined function mysql_", "use mysqli or PDO: PHP 7 removed the functions `mysql_…`"),
    ("undefined function ereg", "use `preg_match`: PHP 7 removed `ereg…`"),
    ("undefined function get_magic_quotes_gpc()", "take the call out: PHP 8 removed it, and there are no magic quotes"),
    // Java and Kotlin.
    ("package javax.xml.bind does not exist", "add the dependency `jakarta.xml.bind:jakarta.xml.bind-api` (or `javax.xml.bind:jaxb-api`): Java 11 removed JAXB"),
    ("package javax.annotation does not exist", "add the dependency `jakarta.annotation:jakarta.annotation-api` (or `javax.annotation:javax.annotation-api`): Java 11 removed it"),
    ("package javax.servlet", JAKARTA),
    ("package javax.persistence does not exist", JAKARTA),
    // C++.
    ("no member named 'random_shuffle' in namespace 'std'", "use `std::shuffle`: C++17 removed `random_shuffle`"),
    ("no member named 'auto_ptr' in namespace 'std'", "use `std::unique_ptr`: C++17 removed `auto_ptr`"),
];

const NUMPY_TYPES: &str = "use Python's own `float`, `int`, `bool`, `object`, `str` or `complex`: NumPy 1.24 removed these names, or pin `numpy<1.24`";
const PYDANTIC: &str = "install `pydantic-settings` and import `BaseSettings` from it, or pin `pydantic<2`";
const JAKARTA: &str = "import it from `jakarta` with Spring Boot 3, Jakarta EE 9 or Tomcat 10 and later; with older ones, add its API as a dependency";
/// The abstract classes that were in `collections` until Python 3.10.
const ABSTRACT: &[&str] = &[
    "Callable",
    "Container",
    "Hashable",
    "ItemsView",
    "Iterable",
    "Iterator",
    "KeysView",
    "Mapping",
    "MappingView",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Sequence",
    "Set",
    "Sized",
    "ValuesView",
];
const COLLECTIONS: &str =
    "import abstract classes such as `Mapping` from `collections.abc`: Python 3.10 took them out of `collections`";
const PANDAS_APPEND: &str = "use `pd.concat([…])`, or pin `pandas<2`: pandas 2 removed `append`";

/// Modules of Python that a newer version no longer has, and what to do. Sorted.
#[rustfmt::skip]
const MODULES: &[(&str, &str)] = &[
    ("ConfigParser", "import `configparser`, as the module is called in Python 3"),
    ("Queue", "import `queue`, as the module is called in Python 3"),
    ("StringIO", "import `StringIO` from `io`, as in Python 3"),
    ("Tkinter", "import `tkinter`, as the module is called in Python 3"),
    ("__builtin__", "import `builtins`, as the module is called in Python 3"),
    ("asynchat", ASYNC),
    ("asyncore", ASYNC),
    ("cPickle", "import `pickle`, as the module is called in Python 3"),
    ("cStringIO", "import `StringIO` or `BytesIO` from `io`, as in Python 3"),
    ("cgi", "install `legacy-cgi`, or use another library: Python 3.13 removed `cgi`"),
    ("cgitb", "install `legacy-cgi`, or use another library: Python 3.13 removed `cgitb`"),
    ("commands", "use `subprocess.getoutput`: Python 3 has no `commands`"),
    ("crypt", "install `legacycrypt`, or use a library for passwords such as `bcrypt`: Python 3.13 removed `crypt`"),
    ("distutils", "install setuptools, which brings `distutils`, or use Python 3.11: Python 3.12 removed it"),
    ("imghdr", "use `filetype` or `puremagic`: Python 3.13 removed `imghdr`"),
    ("imp", "use `importlib`, or update the package that imports it: Python 3.12 removed `imp`"),
    ("nntplib", "install `standard-nntplib`, or use another library: Python 3.13 removed `nntplib`"),
    ("pipes", "use `shlex.quote` and `subprocess`: Python 3.13 removed `pipes`"),
    ("pkg_resources", "install `setuptools<82`, or use `importlib.metadata` and `importlib.resources`: newer versions of setuptools have no `pkg_resources`"),
    ("setuptools.command.test", "install `setuptools<72` for this package: newer versions have no command `test`"),
    ("smtpd", "use `aiosmtpd`: Python 3.12 removed `smtpd`"),
    ("sndhdr", "use `filetype` or `puremagic`: Python 3.13 removed `sndhdr`"),
    ("telnetlib", "use `telnetlib3`, or install `standard-telnetlib`: Python 3.13 removed `telnetlib`"),
    ("urllib2", "use `urllib.request`: Python 3 has no `urllib2`"),
    ("urlparse", "import from `urllib.parse`: Python 3 has no `urlparse`"),
];

const ASYNC: &str = "use `asyncio`, or install `pyasyncore` or `pyasynchat`: Python 3.12 removed it";

/// What took the place of the name that a line misses.
pub(crate) fn successor(line: &str) -> Option<&'static str> {
    let known = NAMES.iter().find(|(part, _)| line.contains(part)).map(|(_, advice)| *advice);
    known.or_else(|| is_abstract_class(line).then_some(COLLECTIONS))
}

/// Whether a line misses an abstract class in Python's `collections`.
fn is_abstract_class(line: &str) -> bool {
    let imported = || line.split_once("cannot import name '")?.1.split_once("' from 'collections'");
    let read = || line.split_once("module 'collections' has no attribute '")?.1.split_once('\'');
    imported().or_else(read).is_some_and(|(name, _)| ABSTRACT.contains(&name))
}

/// What took the place of a module, or of the package that it is part of.
pub(crate) fn module(name: &str) -> Option<&'static str> {
    let row = |name: &str| {
        let at = MODULES.binary_search_by_key(&name, |(module, _)| module).ok()?;
        MODULES.get(at).map(|(_, advice)| *advice)
    };
    row(name).or_else(|| row(name.split('.').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_has_a_successor() {
        for (line, word) in [
            (
                "ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.11/collections/__init__.py)",
                "abc",
            ),
            ("AttributeError: module 'numpy' has no attribute 'float'.", "numpy<1.24"),
            ("AttributeError: 'DataFrame' object has no attribute 'append'. Did you mean: '_append'?", "concat"),
            ("NameError: name 'unicode' is not defined. Did you mean: 'ord'?", "`str`"),
            ("Error: error:0308010C:digital envelope routines::unsupported", "webpack"),
            ("ReferenceError: primordials is not defined", "gulp"),
            ("NoMethodError: undefined method `exists?' for File:Class", "exist?"),
            ("a.rb:3:in '<main>': undefined method 'exists?' for class File (NoMethodError)", "exist?"),
            ("PHP Fatal error:  Uncaught Error: Call to undefined function each()", "foreach"),
            ("A.java:[3,22] package javax.xml.bind does not exist", "jakarta"),
            ("a.cc:4:8: error: no member named 'random_shuffle' in namespace 'std'", "shuffle"),
        ] {
            assert!(successor(line).is_some_and(|advice| advice.contains(word)), "{line}");
        }
        for line in [
            "ImportError: cannot import name 'OrderedDcit' from 'collections'",
            "ImportError: cannot import name 'Mapping' from 'own.collections'",
            "AttributeError: module 'numpy' has no attribute 'flaot'",
            "AttributeError: 'Basket' object has no attribute 'append'",
            "NoMethodError: undefined method `exists?' for nil:NilClass",
            "error: package own.model does not exist",
            "NameError: name 'unicode_of' is not defined",
        ] {
            assert_eq!(successor(line), None, "{line}");
        }
    }

    #[test]
    fn modules_that_python_no_longer_has_are_known() {
        assert!(module("distutils.core").is_some_and(|advice| advice.contains("setuptools")));
        assert!(module("setuptools.command.test").is_some() && module("setuptools").is_none());
        assert_eq!(module("distutilsx"), None);
        assert_eq!(module("requests"), None);
        assert!(MODULES.is_sorted_by_key(|(module, _)| module));
    }

    #[test]
    fn no_row_is_hidden_by_an_earlier_one() {
        for (at, (part, _)) in NAMES.iter().enumerate() {
            let hides = NAMES.iter().take(at).find(|(other, _)| part.contains(other));
            assert_eq!(hides, None, "{part}");
        }
    }
}
