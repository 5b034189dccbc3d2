//! Methods and attributes of Python objects that were renamed.

/// Methods that were renamed, and are called: the type in the message, old, new, since.
pub(super) const METHODS: &[(&str, &str, &str, &str)] = &[
    ("Thread", "isAlive", "is_alive", "Python 3.9"),
    ("Timer", "isAlive", "is_alive", "Python 3.9"),
    ("_MainThread", "isAlive", "is_alive", "Python 3.9"),
    ("array.array", "fromstring", "frombytes", "Python 3.9"),
    ("array.array", "tostring", "tobytes", "Python 3.9"),
    ("dict", "iteritems", "items", "Python 3.0"),
    ("dict", "iterkeys", "keys", "Python 3.0"),
    ("dict", "itervalues", "values", "Python 3.0"),
    ("dict", "viewitems", "items", "Python 3.0"),
    ("dict", "viewkeys", "keys", "Python 3.0"),
    ("dict", "viewvalues", "values", "Python 3.0"),
    ("collections.OrderedDict", "iteritems", "items", "Python 3.0"),
    ("collections.OrderedDict", "iterkeys", "keys", "Python 3.0"),
    ("collections.OrderedDict", "itervalues", "values", "Python 3.0"),
    ("collections.defaultdict", "iteritems", "items", "Python 3.0"),
    ("collections.defaultdict", "iterkeys", "keys", "Python 3.0"),
    ("collections.defaultdict", "itervalues", "values", "Python 3.0"),
    ("Counter", "iteritems", "items", "Python 3.0"),
    ("Counter", "itervalues", "values", "Python 3.0"),
    ("ConfigParser", "readfp", "read_file", "Python 3.12"),
    ("RawConfigParser", "readfp", "read_file", "Python 3.12"),
    ("SafeConfigParser", "readfp", "read_file", "Python 3.12"),
    ("xml.etree.ElementTree.Element", "getiterator", "iter", "Python 3.9"),
    ("ElementTree", "getiterator", "iter", "Python 3.9"),
    ("numpy.ndarray", "tostring", "tobytes", "NumPy 2.3"),
    ("DataFrame", "iteritems", "items", "pandas 2.0"),
    ("Series", "iteritems", "items", "pandas 2.0"),
    ("DataFrame", "applymap", "map", "pandas 3.0"),
    ("DataFrame", "as_matrix", "to_numpy", "pandas 1.0"),
    ("Series", "as_matrix", "to_numpy", "pandas 1.0"),
    ("Series", "order", "sort_values", "pandas 0.20"),
    ("CountVectorizer", "get_feature_names", "get_feature_names_out", "scikit-learn 1.2"),
    ("TfidfVectorizer", "get_feature_names", "get_feature_names_out", "scikit-learn 1.2"),
    ("DictVectorizer", "get_feature_names", "get_feature_names_out", "scikit-learn 1.2"),
    ("OneHotEncoder", "get_feature_names", "get_feature_names_out", "scikit-learn 1.2"),
    ("PolynomialFeatures", "get_feature_names", "get_feature_names_out", "scikit-learn 1.2"),
    ("Image", "tostring", "tobytes", "Pillow 3.0"),
];

/// Attributes that were renamed: the type in the message, old, new. All of Python 3.0.
pub(super) const ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("function", "func_closure", "__closure__"),
    ("function", "func_code", "__code__"),
    ("function", "func_defaults", "__defaults__"),
    ("function", "func_dict", "__dict__"),
    ("function", "func_doc", "__doc__"),
    ("function", "func_globals", "__globals__"),
    ("function", "func_name", "__name__"),
    ("GNUTranslations", "ugettext", "gettext"),
    ("GNUTranslations", "ungettext", "ngettext"),
    ("NullTranslations", "ugettext", "gettext"),
    ("NullTranslations", "ungettext", "ngettext"),
    ("method", "im_func", "__func__"),
    ("method", "im_self", "__self__"),
];

/// Special methods of Python 2, and what they are called now.
pub(super) const SPECIAL: &[(&str, &str)] = &[
    ("next", "__next__"),
    ("__nonzero__", "__bool__"),
    ("__unicode__", "__str__"),
    ("__div__", "__truediv__"),
    ("__rdiv__", "__rtruediv__"),
    ("__idiv__", "__itruediv__"),
];

/// Aliases in `unittest.TestCase` that Python 3.12 or earlier removed.
pub(super) const ASSERTIONS: [(&str, &str); 16] = [
    ("assertAlmostEquals", "assertAlmostEqual"),
    ("assertEquals", "assertEqual"),
    ("assertItemsEqual", "assertCountEqual"),
    ("assertNotAlmostEquals", "assertNotAlmostEqual"),
    ("assertNotEquals", "assertNotEqual"),
    ("assertNotRegexpMatches", "assertNotRegex"),
    ("assertRaisesRegexp", "assertRaisesRegex"),
    ("assertRegexpMatches", "assertRegex"),
    ("assert_", "assertTrue"),
    ("failIf", "assertFalse"),
    ("failIfAlmostEqual", "assertNotAlmostEqual"),
    ("failIfEqual", "assertNotEqual"),
    ("failUnless", "assertTrue"),
    ("failUnlessAlmostEqual", "assertAlmostEqual"),
    ("failUnlessEqual", "assertEqual"),
    ("failUnlessRaises", "assertRaises"),
];
