//! The names by which libraries call their checks, in lower case and without signs.

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// Two operands are equal.
    Equal,
    /// The same, and of the same kind, or the same thing.
    Same,
    NotEqual,
    /// The first operand has the second one in it.
    Contains,
    /// The size of the first operand is the second one.
    Size,
    Null,
    NotNull,
    True,
    False,
    Empty,
}

/// Names of functions that take two operands or one, and what they ask. Signs and case do not count.
#[rustfmt::skip]
pub(super) const NAMES: &[(Asks, &[&str])] = &[
    (
        Asks::Equal,
        &[
            "assertequals", "assertequal", "asserteq", "assertdeepequal", "equal", "equals", "deepequal", "deepequals",
            "expecteq", "areequal", "xctassertequal", "eq", "asserteql", "equalvalues", "assertlistequal", "assertdictequal",
            "asserttupleequal", "expectequal", "expectidentical", "assertsetequal", "assertmultilineequal",
        ],
    ),
    (
        Asks::Same,
        &[
            "assertsame", "same", "aresame", "strictequal", "strictequals", "deepstrictequal", "assertis", "is",
            "assertstrictequals",
        ],
    ),
    (
        Asks::NotEqual,
        &[
            "assertnotequals", "assertnotequal", "assertne", "notequal", "expectne", "arenotequal", "notequals",
            "xctassertnotequal",
        ],
    ),
    (Asks::Contains, &[
            "assertcontains", "assertstringcontainsstring", "contains", "assertincludes", "stringcontains",
        ]),
    (Asks::Size, &[
            "assertcount", "assertlen", "len",
        ]),
    (Asks::Null, &[
            "assertnull", "expectnull", "assertnil", "assertisnone", "isnull", "null", "nil", "xctassertnil",
        ]),
    (
        Asks::NotNull,
        &[
            "assertnotnull", "assertnotnil", "assertisnotnone", "isnotnull", "notnull", "notnil", "refutenil",
            "xctassertnotnil",
        ],
    ),
    (
        Asks::True,
        &[
            "asserttrue", "istrue", "true", "assert", "ok", "expecttrue", "truthy", "xctasserttrue", "assertok",
        ],
    ),
    (Asks::False, &[
            "assertfalse", "isfalse", "false", "refute", "notok", "expectfalse", "falsy", "xctassertfalse",
        ]),
    (Asks::Empty, &[
            "assertempty", "empty", "isempty",
        ]),
];

/// Verbs behind a subject: `expect(x).toBe(5)`, `x.Should().Be(5)`, `x shouldBe 5`, `assertThat(x, is(5))`.
#[rustfmt::skip]
pub(super) const VERBS: &[(Asks, &[&str])] = &[
    (
        Asks::Equal,
        &[
            "isequalto", "toequal", "toequals", "toeql", "toeq", "todeepequal", "equalto", "be", "shouldbe", "shouldequal",
            "mustequal", "eq", "is", "shouldeq", "equal", "shouldequals",
        ],
    ),
    (Asks::Same, &[
            "issameas", "tobe", "tostrictequal", "toequalstrict", "tobeidenticalto", "besameas",
        ]),
    (Asks::NotEqual, &[
            "isnotequalto", "nottoequal", "nottobe", "notbe", "shouldnotbe", "tonotequal",
        ]),
    (
        Asks::Contains,
        &[
            "contains", "tocontain", "toinclude", "contain", "containsstring", "doescontain", "shouldcontain", "hasitem",
            "containsubstring",
        ],
    ),
    (
        Asks::Size,
        &[
            "hassize", "tohavelength", "tohavelengthof", "tohavesize", "havecount", "hascountequalto", "haslength",
            "havelength", "shouldhavesize",
        ],
    ),
    (
        Asks::Null,
        &[
            "isnull", "tobenull", "benull", "isnil", "tobenil", "nullvalue", "isnullvalue", "shouldbenull", "mustbenil",
            "benil",
        ],
    ),
    (
        Asks::NotNull,
        &[
            "isnotnull", "nottobenull", "tonotbenull", "notbenull", "isnotnil", "nottobenil", "notnullvalue", "isnotnullvalue",
            "toexist", "shouldnotbenull", "tobedefined", "nottobeundefined",
        ],
    ),
    (Asks::True, &[
            "istrue", "tobetrue", "betrue", "tobetruthy", "tobeok", "shouldbetrue", "mustbetrue",
        ]),
    (Asks::False, &[
            "isfalse", "tobefalse", "befalse", "tobefalsy", "shouldbefalse",
        ]),
    (Asks::Empty, &[
            "isempty", "tobeempty", "beempty", "shouldbeempty",
        ]),
];
