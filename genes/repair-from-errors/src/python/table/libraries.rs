//! Names of the big libraries that moved. Source: the release notes or the changelog of the version in each row.

/// module, module now, names, since. No module now means a builtin. A name that changed is followed by its new name, and by
/// nothing after the `=` if it was a module itself.
pub(super) const LIBRARIES: &[(&str, &str, &str, &str)] = &[
    ("numpy", "", "bool complex float int object str long=int unicode=str", "NumPy 1.24"),
    ("numpy", "", "alen=len issubclass_=issubclass", "NumPy 1.23"),
    ("numpy", "numpy", "rank=ndim", "NumPy 1.18"),
    ("numpy", "numpy", "typeDict=sctypeDict", "NumPy 1.23"),
    ("numpy", "pickle", "loads", "NumPy 1.23"),
    (
        "numpy",
        "numpy",
        "Inf=inf Infinity=inf NAN=nan NaN=nan PINF=inf alltrue=all bool8=bool_ bytes0=bytes_ \
            cfloat=complex128 clongfloat=clongdouble complex_=complex128 cumproduct=cumprod float_=float64 \
            in1d=isin infty=inf int0=intp longcomplex=clongdouble longfloat=longdouble mat=asmatrix \
            object0=object_ product=prod round_=round row_stack=vstack singlecomplex=complex64 sometrue=any \
            str0=str_ string_=bytes_ trapz=trapezoid uint0=uintp unicode_=str_ void0=void",
        "NumPy 2.0",
    ),
    (
        "numpy",
        "numpy.exceptions",
        "AxisError ComplexWarning DTypePromotionError ModuleDeprecationWarning RankWarning TooHardError \
            VisibleDeprecationWarning",
        "NumPy 2.0",
    ),
    ("numpy", "numpy.lib.array_utils", "byte_bounds", "NumPy 2.0"),
    ("numpy", "ast", "safe_eval=literal_eval", "NumPy 2.0"),
    ("pandas", "datetime", "datetime", "pandas 2.0"),
    ("pandas", "numpy", "np=", "pandas 2.0"),
    ("pandas", "pandas.plotting", "scatter_matrix", "pandas 0.25"),
    ("pandas.io.json", "pandas", "json_normalize", "pandas 2.0"),
    (
        "pandas.util.testing",
        "pandas.testing",
        "assert_frame_equal assert_index_equal assert_series_equal",
        "pandas 2.0",
    ),
    ("scipy.misc", "scipy.special", "comb factorial factorial2 factorialk logsumexp", "SciPy 1.3"),
    ("scipy.integrate", "scipy.integrate", "trapz=trapezoid cumtrapz=cumulative_trapezoid", "SciPy 1.14"),
    ("scipy.linalg", "scipy.linalg", "pinv2=pinv", "SciPy 1.9"),
    ("scipy.linalg", "numpy", "tri tril triu", "SciPy 1.13"),
    (
        "scipy.signal",
        "scipy.signal.windows",
        "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop \
            gaussian general_gaussian hamming hann kaiser nuttall parzen triang tukey",
        "SciPy 1.13",
    ),
    (
        "scipy",
        "numpy",
        "absolute allclose angle append arange arccos arcsin arctan arctan2 argmax argmin argsort array \
            asarray ceil concatenate conj convolve cos cosh cross cumsum deg2rad diag diff dot e empty exp \
            eye fabs float32 float64 floor hstack hypot identity imag inf interp isfinite isinf isnan \
            linspace log log10 log2 logspace loadtxt matrix maximum mean median meshgrid minimum mod nan \
            ndarray newaxis nonzero ones outer percentile pi polyfit polyval prod rad2deg ravel real \
            reshape roll rot90 savetxt shape sign sin sinh size sort sqrt squeeze std tan tanh tile trace \
            transpose unique unwrap var vstack where zeros zeros_like",
        "SciPy 1.12",
    ),
    (
        "sklearn.ensemble.forest",
        "sklearn.ensemble",
        "ExtraTreesClassifier ExtraTreesRegressor RandomForestClassifier RandomForestRegressor \
            RandomTreesEmbedding",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.ensemble.gradient_boosting",
        "sklearn.ensemble",
        "GradientBoostingClassifier GradientBoostingRegressor",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.datasets.samples_generator",
        "sklearn.datasets",
        "make_biclusters make_blobs make_checkerboard make_circles make_classification make_friedman1 \
            make_gaussian_quantiles make_hastie_10_2 make_low_rank_matrix make_moons \
            make_multilabel_classification make_regression make_s_curve make_sparse_uncorrelated \
            make_spd_matrix make_swiss_roll",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.feature_selection.univariate_selection",
        "sklearn.feature_selection",
        "GenericUnivariateSelect SelectFdr SelectFpr SelectFwe SelectKBest SelectPercentile chi2 \
            f_classif f_regression",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.linear_model.logistic",
        "sklearn.linear_model",
        "LogisticRegression LogisticRegressionCV",
        "scikit-learn 0.24",
    ),
    ("sklearn.linear_model.base", "sklearn.linear_model", "LinearRegression", "scikit-learn 0.24"),
    (
        "sklearn.linear_model.ridge",
        "sklearn.linear_model",
        "Ridge RidgeCV RidgeClassifier RidgeClassifierCV ridge_regression",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.linear_model.stochastic_gradient",
        "sklearn.linear_model",
        "SGDClassifier SGDRegressor",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.metrics.classification",
        "sklearn.metrics",
        "accuracy_score classification_report cohen_kappa_score confusion_matrix f1_score fbeta_score \
            hamming_loss log_loss matthews_corrcoef precision_recall_fscore_support precision_score \
            recall_score zero_one_loss",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.metrics.ranking",
        "sklearn.metrics",
        "auc average_precision_score coverage_error label_ranking_average_precision_score \
            label_ranking_loss precision_recall_curve roc_auc_score roc_curve",
        "scikit-learn 0.24",
    ),
    ("sklearn.metrics.scorer", "sklearn.metrics", "check_scoring get_scorer make_scorer", "scikit-learn 0.24"),
    ("sklearn.neighbors.kde", "sklearn.neighbors", "KernelDensity", "scikit-learn 0.24"),
    (
        "sklearn.preprocessing.data",
        "sklearn.preprocessing",
        "MaxAbsScaler MinMaxScaler Normalizer PolynomialFeatures RobustScaler StandardScaler binarize \
            normalize scale",
        "scikit-learn 0.24",
    ),
    (
        "sklearn.preprocessing.label",
        "sklearn.preprocessing",
        "LabelBinarizer LabelEncoder MultiLabelBinarizer label_binarize",
        "scikit-learn 0.24",
    ),
    ("sklearn.svm.classes", "sklearn.svm", "LinearSVC LinearSVR NuSVC NuSVR OneClassSVM SVC SVR", "scikit-learn 0.24"),
    (
        "sklearn.tree.tree",
        "sklearn.tree",
        "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor",
        "scikit-learn 0.24",
    ),
    ("PIL.Image", "PIL.Image", "ANTIALIAS=LANCZOS CUBIC=BICUBIC LINEAR=BILINEAR", "Pillow 10.0"),
    ("PIL.Image", "PIL.Image", "fromstring=frombytes", "Pillow 3.0"),
    ("matplotlib.cm", "matplotlib.pyplot", "get_cmap", "Matplotlib 3.9"),
    ("attr", "attr", "assoc=evolve", "attrs 25"),
    ("pytest", "pytest", "yield_fixture=fixture", "pytest 9"),
    ("flask", "markupsafe", "Markup escape", "Flask 3.0"),
    ("flask", "werkzeug.utils", "safe_join", "Flask 2.1"),
    ("flask.helpers", "werkzeug.utils", "safe_join", "Flask 2.1"),
    ("jinja2", "markupsafe", "Markup escape", "Jinja 3.1"),
    ("jinja2.utils", "markupsafe", "Markup escape soft_unicode=soft_str", "Jinja 3.1"),
    (
        "jinja2",
        "jinja2",
        "contextfilter=pass_context contextfunction=pass_context environmentfilter=pass_environment \
            environmentfunction=pass_environment evalcontextfilter=pass_eval_context \
            evalcontextfunction=pass_eval_context",
        "Jinja 3.1",
    ),
    (
        "jinja2.filters",
        "jinja2",
        "contextfilter=pass_context environmentfilter=pass_environment \
            evalcontextfilter=pass_eval_context",
        "Jinja 3.1",
    ),
    (
        "jinja2.utils",
        "jinja2",
        "contextfunction=pass_context environmentfunction=pass_environment \
            evalcontextfunction=pass_eval_context",
        "Jinja 3.1",
    ),
    ("markupsafe", "markupsafe", "soft_unicode=soft_str", "MarkupSafe 2.1"),
    ("werkzeug", "werkzeug.utils", "cached_property import_string redirect secure_filename", "Werkzeug 1.0"),
    ("werkzeug", "werkzeug.security", "check_password_hash generate_password_hash", "Werkzeug 1.0"),
    (
        "werkzeug",
        "werkzeug.datastructures",
        "CombinedMultiDict FileStorage Headers ImmutableDict ImmutableMultiDict MultiDict \
            OrderedMultiDict",
        "Werkzeug 1.0",
    ),
    ("werkzeug", "werkzeug.local", "Local LocalManager LocalProxy LocalStack release_local", "Werkzeug 1.0"),
    ("werkzeug", "werkzeug.exceptions", "abort", "Werkzeug 1.0"),
    ("werkzeug", "markupsafe", "escape", "Werkzeug 1.0"),
    ("werkzeug.contrib.fixers", "werkzeug.middleware.proxy_fix", "ProxyFix", "Werkzeug 1.0"),
    ("werkzeug.contrib.profiler", "werkzeug.middleware.profiler", "ProfilerMiddleware", "Werkzeug 1.0"),
    ("werkzeug.contrib.lint", "werkzeug.middleware.lint", "LintMiddleware", "Werkzeug 1.0"),
    ("werkzeug.wsgi", "werkzeug.middleware.dispatcher", "DispatcherMiddleware", "Werkzeug 1.0"),
    ("werkzeug.wsgi", "werkzeug.middleware.shared_data", "SharedDataMiddleware", "Werkzeug 1.0"),
    ("werkzeug.wsgi", "werkzeug.middleware.http_proxy", "ProxyMiddleware", "Werkzeug 1.0"),
    ("werkzeug.wrappers", "werkzeug.wrappers", "BaseRequest=Request BaseResponse=Response", "Werkzeug 2.1"),
    ("werkzeug.utils", "markupsafe", "escape", "Werkzeug 2.1"),
    ("werkzeug.security", "hmac", "safe_str_cmp=compare_digest", "Werkzeug 2.1"),
    ("werkzeug.security", "werkzeug.utils", "safe_join", "Werkzeug 2.1"),
    (
        "werkzeug.urls",
        "urllib.parse",
        "url_encode=urlencode url_join=urljoin url_parse=urlsplit url_quote=quote \
            url_quote_plus=quote_plus url_unparse=urlunsplit url_unquote=unquote \
            url_unquote_plus=unquote_plus",
        "Werkzeug 3.0",
    ),
    ("django.conf.urls", "django.urls", "url=re_path", "Django 4.0"),
    ("django.utils.encoding", "django.utils.encoding", "force_text=force_str smart_text=smart_str", "Django 4.0"),
    (
        "django.utils.translation",
        "django.utils.translation",
        "ugettext=gettext ugettext_lazy=gettext_lazy ugettext_noop=gettext_noop ungettext=ngettext \
            ungettext_lazy=ngettext_lazy",
        "Django 4.0",
    ),
    (
        "django.utils.http",
        "urllib.parse",
        "urlquote=quote urlquote_plus=quote_plus urlunquote=unquote urlunquote_plus=unquote_plus",
        "Django 4.0",
    ),
    ("django.utils.http", "django.utils.http", "is_safe_url=url_has_allowed_host_and_scheme", "Django 4.0"),
    ("django.utils.safestring", "django.utils.safestring", "SafeText=SafeString", "Django 4.0"),
    ("django.utils.text", "html", "unescape_entities=unescape", "Django 4.0"),
    ("django.contrib.postgres.fields", "django.db.models", "JSONField", "Django 4.0"),
    ("django.contrib.postgres.fields.jsonb", "django.db.models", "JSONField", "Django 4.0"),
    ("django.db.models.fields", "django.core.exceptions", "FieldDoesNotExist", "Django 3.1"),
    ("django.db.models", "django.core.exceptions", "FieldDoesNotExist", "Django 3.1"),
    ("django.utils.functional", "functools", "curry=partial", "Django 3.0"),
    ("django.utils.lru_cache", "functools", "lru_cache", "Django 3.0"),
    ("django.utils.decorators", "contextlib", "ContextDecorator", "Django 3.0"),
    ("django.forms.extras.widgets", "django.forms.widgets", "SelectDateWidget", "Django 2.0"),
    ("django.core.servers.basehttp", "wsgiref.util", "FileWrapper", "Django 1.9"),
    ("django.utils.log", "logging", "NullHandler", "Django 1.9"),
    ("django.contrib.sites.models", "django.contrib.sites.requests", "RequestSite", "Django 1.9"),
    ("django.contrib.sites.models", "django.contrib.sites.shortcuts", "get_current_site", "Django 1.9"),
    (
        "django.contrib.contenttypes.generic",
        "django.contrib.contenttypes.fields",
        "GenericForeignKey GenericRelation",
        "Django 1.9",
    ),
    (
        "django.contrib.contenttypes.generic",
        "django.contrib.contenttypes.forms",
        "BaseGenericInlineFormSet generic_inlineformset_factory",
        "Django 1.9",
    ),
    (
        "django.contrib.contenttypes.generic",
        "django.contrib.contenttypes.admin",
        "GenericInlineModelAdmin GenericStackedInline GenericTabularInline",
        "Django 1.9",
    ),
];
