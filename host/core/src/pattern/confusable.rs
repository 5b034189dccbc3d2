//! Letters that look like ASCII ones, so that a name that looks denied is denied.
//!
//! A part of the table of Unicode Technical Standard 39: the letters of Cyrillic, Greek, Armenian and extended Latin
//! whose shape is that of an ASCII letter. Compatibility forms (full width, mathematical) are not in it: normalisation
//! removes them, and no path may contain them.

/// Letters and the ASCII letter that they look like, in ascending order.
const LOOKALIKES: &[(char, char)] = &[
    ('ı', 'i'),
    ('ɑ', 'a'),
    ('ɡ', 'g'),
    ('ɩ', 'i'),
    ('ɪ', 'i'),
    ('ʏ', 'y'),
    ('Α', 'a'),
    ('Β', 'b'),
    ('Ε', 'e'),
    ('Ζ', 'z'),
    ('Η', 'h'),
    ('Ι', 'i'),
    ('Κ', 'k'),
    ('Μ', 'm'),
    ('Ν', 'n'),
    ('Ο', 'o'),
    ('Ρ', 'p'),
    ('Τ', 't'),
    ('Υ', 'y'),
    ('Χ', 'x'),
    ('α', 'a'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('ϲ', 'c'),
    ('ϳ', 'j'),
    ('Ϲ', 'c'),
    ('Ѕ', 's'),
    ('І', 'i'),
    ('Ј', 'j'),
    ('А', 'a'),
    ('В', 'b'),
    ('Е', 'e'),
    ('К', 'k'),
    ('М', 'm'),
    ('Н', 'h'),
    ('О', 'o'),
    ('Р', 'p'),
    ('С', 'c'),
    ('Т', 't'),
    ('У', 'y'),
    ('Х', 'x'),
    ('а', 'a'),
    ('в', 'b'),
    ('е', 'e'),
    ('к', 'k'),
    ('м', 'm'),
    ('н', 'h'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('т', 't'),
    ('у', 'y'),
    ('х', 'x'),
    ('ѕ', 's'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ѵ', 'v'),
    ('Ү', 'y'),
    ('ү', 'y'),
    ('һ', 'h'),
    ('Ӏ', 'i'),
    ('ӏ', 'i'),
    ('Ԁ', 'd'),
    ('ԁ', 'd'),
    ('Ԛ', 'q'),
    ('ԛ', 'q'),
    ('Ԝ', 'w'),
    ('ԝ', 'w'),
    ('Տ', 's'),
    ('Օ', 'o'),
    ('հ', 'h'),
    ('ո', 'n'),
    ('ս', 'u'),
    ('ց', 'g'),
    ('օ', 'o'),
];

/// The lower-case ASCII letter that a letter looks like, if it is not that letter itself.
pub(crate) fn lookalike(c: char) -> Option<char> {
    let at = LOOKALIKES.binary_search_by_key(&c, |(letter, _)| *letter).ok()?;
    LOOKALIKES.get(at).map(|(_, ascii)| *ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_none_is_ascii() {
        assert!(LOOKALIKES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(LOOKALIKES.iter().all(|(letter, ascii)| !letter.is_ascii() && ascii.is_ascii_lowercase()));
        assert_eq!((lookalike('ѕ'), lookalike('s'), lookalike('é')), (Some('s'), None, None));
    }
}
