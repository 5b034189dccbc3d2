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
    "replace the use of the deprecated {}",
    "you can add the `dyn` keyword if you want a trait object",
    "if this is a dyn-compatible trait, use `dyn`",
    "use `dyn`",
    "try naming the parameter or explicitly ignoring it",
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
    "use the new name: `{}`",
    "try using a raw pointer method instead; or if this reference is intentional, make it explicit",
    "the following explicit lifetimes could be elided",
    "if this is the desired value, use",
    "consider adding an explicit lifetime bound",
    "you can use the `?` operator instead",
    "if this is a type, explicitly ignore the parameter name",
    "consistently use `{}`",
    "use explicit `std::ptr::eq` method to compare metadata and addresses",
    "if you mean to use a decimal constant, remove the `0` to avoid confusion",
    "explicitly specify the \"C\" ABI",
];

/// Of several suggestions, those that leave the meaning as it is.
const PREFERRED: &[&str] = &[
    "if you would like to reborrow, try removing `&*`",
    "use explicit `std::ptr::eq` method to compare metadata and addresses",
    "if you mean to use a decimal constant, remove the `0` to avoid confusion",
];

/// Clippy's lints whose suggestion is machine-applicable, as its list of lints states (rust-lang.github.io/rust-clippy).
const CLIPPY: &str = "assertions_on_constants assign_op_pattern bind_instead_of_map blocks_in_conditions bool_assert_comparison \
    bool_comparison borrow_deref_ref bytes_count_to_len bytes_nth cast_abs_to_unsigned char_lit_as_u8 \
    chars_last_cmp chars_next_cmp clone_on_copy cmp_null cmp_owned collapsible_else_if collapsible_if \
    comparison_to_empty default_instead_of_iter_empty deprecated_cfg_attr deref_addrof \
    double_parens excessive_precision expect_fun_call explicit_auto_deref explicit_counter_loop \
    explicit_iter_loop explicit_write extra_unused_lifetimes filter_map_identity filter_next flat_map_identity \
    for_kv_map from_over_into from_str_radix_10 get_first identity_op implicit_saturating_add \
    implicit_saturating_sub init_numbered_fields int_plus_one into_iter_on_ref io_other_error \
    is_digit_ascii_radix iter_cloned_collect iter_kv_map iter_next_slice iter_nth_zero iter_skip_next \
    legacy_numeric_constants len_zero let_and_return let_unit_value manual_bits manual_contains manual_div_ceil \
    manual_filter manual_filter_map manual_find manual_find_map manual_hash_one manual_ignore_case_cmp \
    manual_is_ascii_check manual_is_multiple_of manual_map manual_next_back manual_ok_err manual_ok_or \
    manual_pattern_char_comparison manual_range_contains manual_range_patterns manual_rem_euclid manual_repeat_n \
    manual_retain manual_saturating_arithmetic manual_slice_fill manual_split_once manual_str_repeat manual_swap \
    manual_unwrap_or manual_unwrap_or_default manual_while_let_some map_all_any_identity map_clone \
    map_collect_result_unit map_flatten map_identity match_as_ref match_like_matches_macro match_ref_pats \
    match_single_binding mem_replace_option_with_none mem_replace_option_with_some mem_replace_with_default \
    must_use_unit needless_bool needless_bool_assign needless_borrow needless_borrowed_reference \
    needless_borrows_for_generic_args needless_else needless_late_init needless_lifetimes needless_match \
    needless_option_as_deref needless_option_take needless_parens_on_range_literals needless_question_mark \
    needless_return needless_splitn neg_multiply non_minimal_cfg nonminimal_bool obfuscated_if_else op_ref \
    option_as_ref_deref option_map_or_none or_then_unwrap precedence print_literal print_with_newline \
    println_empty_string ptr_eq ptr_offset_with_cast question_mark redundant_as_str redundant_at_rest_pattern \
    redundant_closure redundant_closure_call redundant_field_names redundant_guards redundant_pattern \
    redundant_pattern_matching redundant_slicing redundant_static_lifetimes repeat_once \
    result_map_or_into_option search_is_some single_char_add_str single_char_pattern \
    single_component_path_imports single_element_loop string_extend_chars string_from_utf8_as_bytes \
    strlen_on_c_strings tabs_in_doc_comments to_digit_is_some to_string_in_format_args toplevel_ref_arg try_err \
    uninlined_format_args unnecessary_cast unnecessary_first_then_check unnecessary_fold \
    unnecessary_get_then_check unnecessary_lazy_evaluations unnecessary_literal_unwrap unnecessary_map_or \
    unnecessary_min_or_max unnecessary_mut_passed unnecessary_operation unnecessary_sort_by unnecessary_to_owned \
    unneeded_struct_pattern unneeded_unit unneeded_wildcard_pattern unused_unit unwrap_or_default useless_asref \
    useless_attribute useless_conversion useless_format useless_vec while_let_on_iterator write_literal \
    write_with_newline writeln_empty_string zero_ptr";

/// Further lints of clippy whose suggestion changes only a comment, an implementation that means the same, or the type of a
/// parameter so that it takes what it took before.
const HARMLESS: &str =
    "doc_lazy_continuation doc_overindented_list_items inconsistent_digit_grouping non_canonical_clone_impl ptr_arg";

/// Whether the text of a help is in the table.
pub(super) fn is_known_help(text: &str) -> bool {
    HELPS.iter().any(|help| matches(help, text))
}

/// Whether it is the one of several suggestions that leaves the meaning as it is.
pub(super) fn is_preferred(text: &str) -> bool {
    PREFERRED.iter().any(|help| matches(help, text))
}

/// Whether this is a lint of clippy with a machine-applicable suggestion; `code` is `clippy::lint`.
pub(super) fn is_known_lint(code: &str) -> bool {
    let listed = |lint| CLIPPY.split(' ').chain(HARMLESS.split(' ')).any(|known| known == lint);
    code.strip_prefix("clippy::").is_some_and(listed)
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
