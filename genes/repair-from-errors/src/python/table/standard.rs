//! Names of Python's standard library that moved.

/// module, module now, names, since. No module now means a builtin. A name that changed is followed by its new name, and by
/// nothing after the `=` if it was a module itself.
pub(super) const STANDARD: &[(&str, &str, &str, &str)] = &[
    ("aifc", "aifc", "openfp=open", "Python 3.9"),
    ("asyncio", "asyncio", "JoinableQueue=Queue", "Python 3.5"),
    ("base64", "base64", "encodestring=encodebytes decodestring=decodebytes", "Python 3.9"),
    ("cgi", "urllib.parse", "parse_qs parse_qsl", "Python 3.8"),
    ("commands", "subprocess", "getoutput getstatusoutput", "Python 3.0"),
    ("configparser", "configparser", "SafeConfigParser=ConfigParser", "Python 3.12"),
    ("distutils.core", "setuptools", "Command Extension setup", "Python 3.12"),
    ("distutils.command.build_ext", "setuptools.command.build_ext", "build_ext", "Python 3.12"),
    ("distutils.command.build_py", "setuptools.command.build_py", "build_py", "Python 3.12"),
    ("distutils.command.install", "setuptools.command.install", "install", "Python 3.12"),
    ("distutils.command.sdist", "setuptools.command.sdist", "sdist", "Python 3.12"),
    ("distutils.cmd", "setuptools", "Command", "Python 3.12"),
    ("distutils.extension", "setuptools", "Extension", "Python 3.12"),
    ("distutils.spawn", "shutil", "find_executable=which", "Python 3.12"),
    ("distutils.sysconfig", "sysconfig", "get_config_var get_config_vars", "Python 3.12"),
    ("distutils.util", "sysconfig", "get_platform", "Python 3.12"),
    ("fractions", "math", "gcd", "Python 3.9"),
    ("imp", "importlib", "reload", "Python 3.12"),
    ("imp", "importlib.util", "cache_from_source source_from_cache", "Python 3.12"),
    ("imp", "types", "new_module=ModuleType", "Python 3.12"),
    ("importlib.abc", "importlib.resources.abc", "ResourceReader Traversable TraversableResources", "Python 3.14"),
    ("itertools", "itertools", "ifilterfalse=filterfalse izip_longest=zip_longest", "Python 3.0"),
    ("itertools", "", "izip=zip imap=map ifilter=filter", "Python 3.0"),
    ("locale", "locale", "format=format_string", "Python 3.12"),
    ("md5", "hashlib", "new=md5 md5", "Python 3.0"),
    ("sha", "hashlib", "new=sha1 sha=sha1", "Python 3.0"),
    ("new", "", "classobj=type", "Python 3.0"),
    ("new", "types", "code=CodeType function=FunctionType module=ModuleType", "Python 3.0"),
    ("nose", "unittest", "SkipTest", "Python 3.10"),
    ("nose.plugins.skip", "unittest", "SkipTest", "Python 3.10"),
    ("operator", "", "isCallable=callable", "Python 3.0"),
    // `/` itself divides like this since the same version, so a table of operators stays true to its signs.
    ("operator", "operator", "div=truediv idiv=itruediv", "Python 3.0"),
    ("operator", "operator", "sequenceIncludes=contains irepeat=imul repeat=mul", "Python 3.0"),
    ("os", "os", "getcwdu=getcwd", "Python 3.0"),
    ("os", "errno", "errno=", "Python 3.7"),
    ("pipes", "shlex", "quote", "Python 3.13"),
    (
        "plistlib",
        "plistlib",
        "readPlistFromBytes=loads writePlistToBytes=dumps readPlistFromString=loads \
            writePlistToString=dumps",
        "Python 3.9",
    ),
    ("re", "re", "_pattern_type=Pattern", "Python 3.7"),
    ("sets", "", "Set=set ImmutableSet=frozenset", "Python 3.0"),
    ("sqlite3", "", "OptimizedUnicode=str", "Python 3.12"),
    ("string", "string", "letters=ascii_letters lowercase=ascii_lowercase uppercase=ascii_uppercase", "Python 3.0"),
    ("string", "", "maketrans=str.maketrans", "Python 3.0"),
    ("subprocess", "sys", "mswindows=platform.startswith('win')", "Python 3.0"),
    ("sunau", "sunau", "openfp=open", "Python 3.9"),
    (
        "sys",
        "sys",
        "maxint=maxsize exc_type=exc_info()[0] exc_value=exc_info()[1] exc_traceback=exc_info()[2]",
        "Python 3.0",
    ),
    ("tarfile", "stat", "filemode", "Python 3.8"),
    (
        "threading",
        "threading",
        "_Timer=Timer _Event=Event _Condition=Condition _Semaphore=Semaphore _BoundedSemaphore=BoundedSemaphore",
        "Python 3.3",
    ),
    ("time", "time", "clock=perf_counter", "Python 3.8"),
    (
        "types",
        "",
        "BooleanType=bool ComplexType=complex DictType=dict DictionaryType=dict FloatType=float \
            IntType=int ListType=list LongType=int NoneType=type(None) ObjectType=object SliceType=slice \
            StringType=str StringTypes=(str,) TupleType=tuple TypeType=type ClassType=type UnicodeType=str \
            XRangeType=range",
        "Python 3.0",
    ),
    // Both names meant one type.
    ("types", "types", "UnboundMethodType=MethodType", "Python 3.0"),
    ("typing", "typing", "_ForwardRef=ForwardRef", "Python 3.7"),
    ("unittest", "unittest", "_TextTestResult=TextTestResult", "Python 3.12"),
    (
        "urllib",
        "urllib.parse",
        "quote quote_plus unquote unquote_plus urlencode splitquery splittype splithost basejoin=urljoin",
        "Python 3.0",
    ),
    ("urllib", "urllib.response", "addinfourl", "Python 3.0"),
    (
        "urllib",
        "urllib.request",
        "urlopen urlretrieve urlcleanup URLopener FancyURLopener getproxies pathname2url url2pathname",
        "Python 3.0",
    ),
    ("urllib", "urllib.error", "ContentTooShortError", "Python 3.0"),
    ("urllib2", "urllib.error", "HTTPError URLError", "Python 3.0"),
    ("urllib2", "urllib.parse", "quote unquote", "Python 3.0"),
    (
        "urllib2",
        "urllib.request",
        "AbstractBasicAuthHandler AbstractDigestAuthHandler AbstractHTTPHandler BaseHandler \
            CacheFTPHandler FTPHandler FileHandler HTTPBasicAuthHandler HTTPCookieProcessor \
            HTTPDefaultErrorHandler HTTPDigestAuthHandler HTTPErrorProcessor HTTPHandler HTTPPasswordMgr \
            HTTPPasswordMgrWithDefaultRealm HTTPRedirectHandler HTTPSHandler OpenerDirector \
            ProxyBasicAuthHandler ProxyDigestAuthHandler ProxyHandler Request UnknownHandler build_opener \
            install_opener parse_http_list parse_keqv_list urlopen __version__",
        "Python 3.0",
    ),
    ("rfc822", "email.utils", "formatdate mktime_tz parseaddr parsedate parsedate_tz quote unquote", "Python 3.0"),
    ("wave", "wave", "openfp=open", "Python 3.9"),
    (
        "exceptions",
        "",
        "ArithmeticError AssertionError AttributeError BaseException EOFError EnvironmentError Exception \
            FloatingPointError IOError ImportError IndentationError IndexError KeyError KeyboardInterrupt \
            LookupError MemoryError NameError NotImplementedError OSError OverflowError ReferenceError \
            RuntimeError StandardError=Exception StopIteration SyntaxError SystemError SystemExit TypeError \
            UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError Warning ZeroDivisionError",
        "Python 3.0",
    ),
];
