//! Every way to damage a log, and what it is called.

use jiff::Timestamp;

use super::super::{EntryBody, append};
use super::*;

const LENGTH: usize = 6;

/// A log of notes, a head after each line.
fn log(text: &str, length: usize) -> (Vec<String>, Head) {
    let mut head = Head::empty();
    let mut lines = Vec::new();
    for number in 0..length {
        let at = Timestamp::from_second(1_700_000_000).expect("a time");
        let body = EntryBody::Note { text: format!("{text} {number}") };
        let (line, next) = append(&head, at, &body).expect("a line");
        head = next;
        lines.push(line);
    }
    (lines, head)
}

fn verify(lines: &[String], stated: Option<&Head>) -> Option<Fault> {
    let mut verifier = Verifier::new(stated.cloned());
    for line in lines {
        verifier.line(line.as_bytes());
    }
    verifier.finish().fault
}

fn check(change: impl FnOnce(&mut Vec<String>), with_head: Option<Fault>, without: Option<Fault>) {
    let (mut lines, head) = log("word", LENGTH);
    change(&mut lines);
    assert_eq!(verify(&lines, Some(&head)), with_head, "with the head: {lines:#?}");
    assert_eq!(verify(&lines, None), without, "without the head: {lines:#?}");
}

fn both(fault: Fault) -> (Option<Fault>, Option<Fault>) {
    (Some(fault.clone()), Some(fault))
}

#[test]
fn an_intact_log_is_intact() {
    check(|_| {}, None, None);
    assert_eq!(verify(&[], Some(&Head::empty())), None);
    assert_eq!(verify(&[], None), None);
}

#[test]
fn an_edit_is_found_where_it_is() {
    for at in 0..LENGTH - 1 {
        let (with, without) = both(Fault::Edited { seq: at as u64 });
        check(|lines| lines[at] = lines[at].replace("word", "other"), with, without);
        let (with, without) = both(Fault::Edited { seq: at as u64 });
        check(|lines| lines[at] = "not JSON".to_owned(), with, without);
        let (with, without) = both(Fault::Edited { seq: at as u64 });
        check(|lines| lines[at].push(' '), with, without);
    }
}

#[test]
fn an_edit_of_the_last_entry_is_found_by_the_head_alone() {
    let change = |lines: &mut Vec<String>| lines[5] = lines[5].replace("word", "other");
    check(change, Some(Fault::Edited { seq: 5 }), None);
}

#[test]
fn an_edited_link_or_number_is_an_edit() {
    let digit = |lines: &mut Vec<String>, at: usize| {
        let (before, after) = lines[at].split_once("\"prev\":\"").expect("a link");
        let flipped = if after.starts_with('0') { "1" } else { "0" };
        lines[at] = format!("{before}\"prev\":\"{flipped}{}", &after[1..]);
    };
    let (with, without) = both(Fault::Edited { seq: 3 });
    check(|lines| digit(lines, 3), with, without);
    let (with, without) = both(Fault::Edited { seq: 0 });
    check(|lines| digit(lines, 0), with, without);
    let (with, without) = both(Fault::Edited { seq: 2 });
    check(|lines| lines[2] = lines[2].replace("\"seq\":2", "\"seq\":9"), with, without);
    let last = |lines: &mut Vec<String>| lines[5] = lines[5].replace("\"seq\":5", "\"seq\":9");
    check(last, Some(Fault::Edited { seq: 5 }), Some(Fault::Removed { seq: 5 }));
}

#[test]
fn a_log_written_anew_is_found_by_the_head_alone() {
    let (anew, _) = log("other", LENGTH);
    check(|lines| *lines = anew, Some(Fault::Edited { seq: 5 }), None);
    let (longer, _) = log("other", LENGTH + 2);
    check(|lines| *lines = longer, Some(Fault::Edited { seq: 5 }), None);
}

#[test]
fn a_removed_entry_is_named() {
    for at in 0..LENGTH - 1 {
        let (with, without) = both(Fault::Removed { seq: at as u64 });
        check(|lines| drop(lines.remove(at)), with, without);
    }
    let (with, without) = both(Fault::Removed { seq: 1 });
    check(|lines| drop(lines.drain(1..4)), with, without);
}

#[test]
fn reordered_entries_are_told_from_removed_ones() {
    for (one, other) in [(0, 1), (2, 3), (1, 4), (0, 5), (4, 5)] {
        let (with, without) = both(Fault::Reordered { seq: one as u64 });
        check(|lines| lines.swap(one, other), with, without);
    }
    let (with, without) = both(Fault::Reordered { seq: 0 });
    check(|lines| lines.reverse(), with, without);
}

#[test]
fn a_cut_end_is_found_by_the_head_alone() {
    check(|lines| lines.truncate(4), Some(Fault::Truncated { found: 4, stated: 6 }), None);
    check(Vec::clear, Some(Fault::Truncated { found: 0, stated: 6 }), None);
}

#[test]
fn entries_too_many_are_found() {
    let (with, without) = both(Fault::Extra { seq: 3 });
    let (other, _) = log("other", LENGTH);
    check(|lines| lines.insert(3, other[2].clone()), with, without);
    let (longer, _) = log("word", LENGTH + 1);
    check(|lines| *lines = longer, Some(Fault::Extra { seq: 6 }), None);
}

#[test]
fn a_duplicated_entry_is_named_wherever_its_copy_is() {
    for of in 0..LENGTH {
        for at in 0..=LENGTH {
            // A copy right before the entry is the entry, and the entry is the copy.
            let seq = if at == of { at + 1 } else { at };
            let (with, without) = both(Fault::Duplicated { seq: seq as u64, of: of as u64 });
            check(|lines| lines.insert(at, lines[of].clone()), with, without);
        }
    }
}

#[test]
fn a_head_of_another_log_is_told_from_a_log_that_was_rewritten() {
    let first = |lines: &[String]| crate::digest::sha256_hex(lines[0].as_bytes());
    let (ours, head) = log("word", LENGTH);
    let found = |lines: &[String], head: &Head, first: String| {
        let mut verifier = Verifier::new(Some(head.clone())).with_first(Some(first));
        for line in lines {
            verifier.line(line.as_bytes());
        }
        verifier.finish().fault
    };
    assert_eq!(found(&ours, &head, first(&ours)), None);
    for length in [2, LENGTH, LENGTH + 2] {
        let (other, of_other) = log("other", length);
        let foreign = Fault::ForeignHead { found: LENGTH as u64, stated: length as u64 };
        assert_eq!(found(&ours, &of_other, first(&other)), Some(foreign), "{length}");
    }
    // What is damaged is named as before, also in the first entry.
    let edited: Vec<String> = ours.iter().map(|line| line.replace("word 0", "word 9")).collect();
    assert_eq!(found(&edited, &head, first(&ours)), Some(Fault::Edited { seq: 0 }));
    let (one, head) = log("word", 1);
    let edited = [one[0].replace("word", "other")];
    assert_eq!(found(&edited, &head, first(&one)), Some(Fault::Edited { seq: 0 }));
    // A log with the same first entry was rewritten after it.
    let (mut anew, _) = log("word", 1);
    let mut end = Head::empty().after(anew[0].as_bytes());
    for number in 1..LENGTH {
        let body = EntryBody::Note { text: format!("forged {number}") };
        let (line, next) = append(&end, Timestamp::UNIX_EPOCH, &body).expect("a line");
        end = next;
        anew.push(line);
    }
    let (_, head) = log("word", LENGTH);
    assert_eq!(found(&anew, &head, first(&ours)), Some(Fault::Edited { seq: 5 }));
}

#[test]
fn the_quick_check_passes_exactly_what_the_head_vouches_for() {
    let (lines, head) = log("word", LENGTH);
    let passes = |lines: &[String]| {
        let mut chain = Chain::default();
        for line in lines {
            chain.line(line.as_bytes());
        }
        chain.head().as_ref() == Some(&head)
    };
    assert!(passes(&lines));
    assert_eq!(Chain::default().head(), Some(Head::empty()));
    let mut chain = Chain::default();
    assert!(chain.line(lines[0].as_bytes()) && !chain.line(lines[2].as_bytes()) && !chain.line(lines[1].as_bytes()));
    assert_eq!(chain.head(), None);
    assert_eq!(chain.first(), Some(crate::digest::sha256_hex(lines[0].as_bytes())));
    for at in 0..LENGTH {
        let mut edited = lines.clone();
        edited[at] = edited[at].replace("word", "other");
        assert!(!passes(&edited), "{at}");
        let mut removed = lines.clone();
        removed.remove(at);
        assert!(!passes(&removed), "{at}");
        let mut twice = lines.clone();
        twice.insert(at, lines[at].clone());
        assert!(!passes(&twice), "{at}");
    }
    assert!(!passes(&log("word", LENGTH + 1).0) && !passes(&log("other", LENGTH).0));
    let mut long = Chain::default();
    long.too_long();
    assert_eq!(long.head(), None);
}

#[test]
fn a_torn_end_is_no_fault_unless_it_was_acknowledged() {
    let (lines, head) = log("word", LENGTH);
    let torn = |stated: &Head| {
        let mut verifier = Verifier::new(Some(stated.clone()));
        for line in &lines[..5] {
            verifier.line(line.as_bytes());
        }
        verifier.torn(17);
        verifier.finish()
    };
    let (_, before) = log("word", 5);
    assert_eq!(torn(&before), Verification { head: before.clone(), torn_bytes: 17, fault: None });
    assert_eq!(torn(&head).fault, Some(Fault::Truncated { found: 5, stated: 6 }));
}

#[test]
fn entries_are_given_while_the_log_is_sound() {
    let (mut lines, head) = log("word", LENGTH);
    lines[3] = lines[3].replace("word", "other");
    let mut verifier = Verifier::new(Some(head));
    let given: Vec<_> = lines.iter().filter_map(|line| verifier.line(line.as_bytes())).collect();
    // The edit of an entry shows in the one after it.
    assert_eq!(given.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

proptest::proptest! {
    #[test]
    fn no_damage_verifies(seed in 0_usize..100_000, byte in proptest::num::u8::ANY, kind in 0..4) {
        let (lines, head) = log("word", LENGTH);
        let whole = lines.join("\n").into_bytes();
        let mut damaged = whole.clone();
        let at = seed % whole.len();
        match kind {
            0 => damaged[at] = byte,
            1 => drop(damaged.remove(at)),
            2 => damaged.insert(at, byte),
            _ => damaged.truncate(at),
        }
        let mut verifier = Verifier::new(Some(head.clone()));
        for line in damaged.split(|byte| *byte == b'\n') {
            verifier.line(line);
        }
        let mut chain = Chain::default();
        for line in damaged.split(|byte| *byte == b'\n') {
            chain.line(line);
        }
        proptest::prop_assert_eq!(chain.head().as_ref() == Some(&head), damaged == whole);
        let verification = verifier.finish();
        proptest::prop_assert_eq!(verification.fault.is_none(), damaged == whole);
        proptest::prop_assert!(verification.fault.is_some() || verification.head == head);
    }
}
