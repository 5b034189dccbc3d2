//! The kinds of edits, and how often each is the right one.
//!
//! The kinds and their order are those that studies of small bug fixes found: the changes of one statement of
//! `ManySStuBs4J` (Karampatsis and Sutton, MSR 2020), where another identifier is by far the most frequent, then other numbers,
//! other functions, more or less specific conditions, other operators and swapped arguments; and `PySStuBs` (Kamienski and
//! others, MSR 2021), which adds kinds of Python. Their shares are of large programs. The weights here are ours: a kind that
//! has few possible edits at a place weighs more, since each of them costs one run.

/// A kind of edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Template {
    Boundary,
    OffByOne,
    Comparison,
    Arithmetic,
    Bitwise,
    Logic,
    Number,
    Boolean,
    Variable,
    Attribute,
    SwappedArguments,
    MisnamedArguments,
    Negation,
    LoopCondition,
    Guard,
    DroppedOperand,
    Unwrapped,
    Yield,
    Method,
    Slice,
    Difference,
    ListLiteral,
    Balance,
    Bookkeeping,
    Step,
    BaseCase,
    Returned,
    Indentation,
    Jump,
    SwappedIndexes,
}

/// What each kind is called, and its weight.
pub(crate) const TEMPLATES: &[(Template, &str, f64)] = &[
    (Template::Boundary, "include or exclude the boundary", 30.0),
    (Template::OffByOne, "change a bound by one", 14.0),
    (Template::Comparison, "use another comparison", 10.0),
    (Template::Arithmetic, "use another arithmetic operator", 10.0),
    (Template::Bitwise, "use another bitwise operator", 20.0),
    (Template::Logic, "use the other logical operator", 14.0),
    (Template::Number, "use another number", 12.0),
    (Template::Boolean, "use the other truth value", 12.0),
    (Template::Variable, "use another variable of the scope", 10.0),
    (Template::Attribute, "use another attribute", 6.0),
    (Template::SwappedArguments, "swap two arguments", 16.0),
    // One of the arguments has the name of the parameter that it is passed for (Rice and others, OOPSLA 2017).
    (Template::MisnamedArguments, "swap two arguments", 5.0),
    (Template::Negation, "negate a condition", 8.0),
    (Template::LoopCondition, "end the loop when a value is used up", 12.0),
    (Template::Guard, "look whether the value itself is missing", 16.0),
    (Template::DroppedOperand, "leave out a part of the condition", 6.0),
    (Template::Unwrapped, "use the argument and not the call", 8.0),
    (Template::Yield, "yield each value and not the whole", 12.0),
    (Template::Method, "use a similar function", 12.0),
    (Template::Slice, "use a part of the sequence", 5.0),
    (Template::Difference, "use the sum or the difference", 20.0),
    (Template::ListLiteral, "return a list with the value", 8.0),
    (Template::Balance, "return whether nothing is left", 6.0),
    (Template::Bookkeeping, "note what was visited", 14.0),
    (Template::Step, "step on in the loop", 6.0),
    (Template::BaseCase, "end the recursion", 3.0),
    (Template::Returned, "return the value", 8.0),
    (Template::Indentation, "move the statement out of the block", 5.0),
    (Template::Jump, "use the other jump", 6.0),
    (Template::SwappedIndexes, "swap two indexes", 6.0),
];

impl Template {
    /// What it does, as the title of a proposal.
    pub(crate) fn name(self) -> &'static str {
        TEMPLATES.iter().find(|(template, ..)| *template == self).map_or("edit", |(_, name, _)| name)
    }

    /// How often it is right, compared with the others.
    pub(crate) fn weight(self) -> f64 {
        TEMPLATES.iter().find(|(template, ..)| *template == self).map_or(1.0, |(.., weight)| *weight)
    }
}
