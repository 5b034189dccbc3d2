//! Words that a suggestion may bring into a file although the workspace does not have them yet.

/// Keywords and primitive types, the derivable traits, and the methods and types of the standard library that suggestions
/// of rustc and clippy use. None of them runs a program, opens a file or reaches a network.
pub(super) const KNOWN: &str = "Box C Clone Copy Debug Default Display EPSILON Eq Err From Hash INFINITY Into Iterator MAX MIN NAN \
    NEG_INFINITY None Ok Option Ord PartialEq PartialOrd Result Reverse Self Some String ToString Vec _ abs add \
    all alloc and_then any as as_bytes as_deref as_deref_mut as_mut as_ref as_slice as_str assert assert_eq \
    async await bool break by_ref bytes cfg char chars chunks_exact clone cloned collect const contains continue \
    copied core count crate default derive div_ceil drain dyn else ends_with enum enumerate eq \
    eq_ignore_ascii_case expect extend f32 f64 false filter filter_map find find_map first flat_map flatten fn \
    fold for from from_str get get_or_insert_with i128 i16 i32 i64 i8 if impl in inclusive inspect_err into \
    into_boxed_str into_iter into_keys into_values is_ascii_alphabetic is_ascii_digit is_ascii_hexdigit \
    is_ascii_lowercase is_ascii_punctuation is_ascii_uppercase is_char_boundary is_empty is_err is_multiple_of \
    is_none is_none_or is_null is_ok is_ok_and is_some is_some_and isize isqrt iter iter_mut join keys last len let \
    lines loop map map_err map_or map_or_else match matches max min min_by_key mod move mut new next next_back \
    not nth null null_mut ok ok_or ok_or_else or_default or_insert or_insert_with partial_cmp pop position \
    product ptr ptr_eq pub push push_str r ref rem_euclid repeat repeat_n replace retain return rev saturating_add \
    saturating_sub self skip sort sort_by_key sort_unstable split starts_with static std str strip_prefix \
    strip_suffix struct sum super swap take then then_some to_be_bytes to_le_bytes to_owned to_string to_vec \
    total_cmp trait trim trim_end trim_end_matches trim_start trim_start_matches true try_from try_into type \
    u128 u16 u32 u64 u8 unsigned_abs unwrap_or unwrap_or_default unwrap_or_else use usize val value values \
    values_mut vec where while write zip";
