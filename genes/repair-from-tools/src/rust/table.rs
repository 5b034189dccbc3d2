//! Which suggestions are safe to follow.

/// The texts of helps that are safe to follow where the compiler does not say so (terminal output has no applicability), in
/// the wording of `rustc_resolve`, `rustc_hir_typeck`, `rustc_parse`, `rustc_lint` and `rustc_borrowck`. Each leaves the
/// program as it was meant: if it is wrong, the compiler says so at the next compilation.
const HELPS: &[&str] = &[
    "a {} with a similar name exists",
    "an {} with a similar name exists",
    "there is a method `{}` with a similar name",
    "there is an associated {} `{}` with a similar name",
    "there is an associated {} with a similar name",
    "there is a variant with a similar name",
    "there is a {} with a similar name",
    "a similar name exists in the module",
    "a {} with a similar name exists in the module",
    "similarly named {} `{}` defined here",
    "consider importing this {}",
    "consider importing one of these {}",
    "trait `{}` which provides `{}` is implemented but not in scope; perhaps you want to import it",
    "trait `{}` which provides `{}` is implemented but not in scope; perhaps add a `use` for it",
    "the following trait is implemented but not in scope; perhaps add a `use` for it",
    "consider borrowing here",
    "consider mutably borrowing here",
    "consider dereferencing the borrow",
    "consider changing this to be mutable",
    "consider annotating `{}` with `#[derive({})]`",
    "try using a conversion method",
    "try using a conversion method: `{}`",
    "remove this semicolon to return this value",
    "remove this `mut`",
    "remove these parentheses",
    "remove these braces",
    "remove this semicolon",
    "remove extra angle bracket",
    "remove unnecessary parentheses",
    "you can add the `dyn` keyword if you want a trait object",
    "if this is a dyn-compatible trait, use `dyn`",
    "use `dyn`",
    "use `..=` for an inclusive range",
    "use `..=` instead",
    "if this is intentional, prefix it with an underscore",
    "try ignoring the field",
    "escape `{}` to use it as an identifier",
    "surround the struct literal with parentheses",
    "add `;` here",
    "add `,` here",
    "missing comma",
    "try adding a comma",
    "use a float literal",
    "change the type of the numeric literal from `{}` to `{}`",
    "consider specifying the generic argument",
    "you can convert an `{}` to a `{}`",
    "wrap this expression in parentheses",
    "use double quotes to define a string literal",
    "if you meant to write a string literal, use double quotes",
    "if you meant to write a `char` literal, use single quotes",
    "use `'_` for type paths",
    "remove the unnecessary path segments",
    "the following explicit lifetimes could be elided",
    "if this is the desired value, use",
];

/// Clippy's lints whose suggestion is machine-applicable, as its list of lints states (rust-lang.github.io/rust-clippy).
const CLIPPY: &[&str] = &[
    "assertions_on_constants",
    "bool_comparison",
    "borrow_deref_ref",
    "clone_on_copy",
    "collapsible_else_if",
    "collapsible_if",
    "comparison_to_empty",
    "deref_addrof",
    "explicit_auto_deref",
    "explicit_iter_loop",
    "extra_unused_lifetimes",
    "filter_next",
    "implicit_saturating_sub",
    "int_plus_one",
    "into_iter_on_ref",
    "len_zero",
    "let_and_return",
    "map_clone",
    "map_flatten",
    "match_like_matches_macro",
    "needless_borrow",
    "needless_borrowed_reference",
    "needless_lifetimes",
    "needless_option_as_deref",
    "needless_question_mark",
    "needless_return",
    "nonminimal_bool",
    "op_ref",
    "option_as_ref_deref",
    "precedence",
    "println_empty_string",
    "ptr_eq",
    "question_mark",
    "redundant_closure",
    "redundant_field_names",
    "redundant_pattern",
    "redundant_pattern_matching",
    "redundant_slicing",
    "redundant_static_lifetimes",
    "search_is_some",
    "single_char_add_str",
    "single_component_path_imports",
    "to_string_in_format_args",
    "toplevel_ref_arg",
    "unnecessary_cast",
    "unnecessary_fold",
    "unnecessary_lazy_evaluations",
    "unnecessary_mut_passed",
    "unnecessary_to_owned",
    "unneeded_unit",
    "unused_unit",
    "unwrap_or_default",
    "useless_conversion",
    "useless_format",
    "useless_vec",
    "while_let_on_iterator",
    "writeln_empty_string",
];

/// Whether the text of a help is in the table.
pub(super) fn is_known_help(text: &str) -> bool {
    HELPS.iter().any(|help| matches(help, text))
}

/// Whether this is a lint of clippy with a machine-applicable suggestion; `code` is `clippy::lint`.
pub(super) fn is_known_lint(code: &str) -> bool {
    code.strip_prefix("clippy::").is_some_and(|lint| CLIPPY.contains(&lint))
}

/// Whether a text has the form of a pattern, in which `{}` means any part.
fn matches(pattern: &str, text: &str) -> bool {
    let text = text.trim_end_matches(':');
    let mut parts = pattern.split("{}");
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = "";
    for part in parts {
        last = part;
        let Some((_, after)) = rest.split_once(part).filter(|_| !part.is_empty()) else { return part.is_empty() };
        rest = after;
    }
    // The replacement may follow.
    rest.is_empty() || rest.starts_with(": `") || (last.is_empty() && !pattern.contains("{}") && rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helps_match_their_pattern() {
        assert!(matches("a {} with a similar name exists", "a local variable with a similar name exists"));
        assert!(matches("a {} with a similar name exists", "a function with a similar name exists: `foo`"));
        assert!(matches("remove this `mut`", "remove this `mut`:"));
        assert!(!matches("remove this `mut`", "remove this `mut` and more"));
        assert!(!matches("consider borrowing here", "consider"));
        assert!(matches("consider importing this {}", "consider importing this struct"));
        assert!(matches("try using a conversion method: `{}`", "try using a conversion method: `.to_string()`"));
    }
}
