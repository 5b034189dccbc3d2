use super::*;
use crate::secret::Class;

fn kinds(text: &str) -> Vec<(&'static str, &str, Class)> {
    find(text).into_iter().map(|found| (found.kind, &text[found.range], found.class)).collect()
}

/// A number as it is written; its `_` are taken out, so that no file holds it whole.
fn joined(parts: &str) -> String {
    parts.replace('_', "")
}

#[test]
fn personal_data_is_found_in_its_forms() {
    for (text, kind, value) in [
        ("mail jane.doe_@corp-mail.com now", "email", "jane.doe_@corp-mail.com"),
        ("<mailto:jane@mail.co.uk>", "email", "jane@mail.co.uk"),
        ("\"author\": \"J <j.x+tag@posteo.de>\"", "email", "j.x+tag@posteo.de"),
        ("email=jane@posteo.de&x", "email", "jane@posteo.de"),
        ("call +1 415-555-2671 or", "phone", "+1 415-555-2671"),
        ("tel:+49 30 901820", "phone", "+49 30 901820"),
        ("+44 (20) 7946 0958.", "phone", "+44 (20) 7946 0958"),
        ("\"+14155552671\"", "phone", "+14155552671"),
        ("(415) 555-2671", "phone", "(415) 555-2671"),
        ("415-555-2671", "phone", "415-555-2671"),
        ("1-415-555-2671,", "phone", "1-415-555-2671"),
        ("415.555.2671", "phone", "415.555.2671"),
        ("phone: 030 901 820 11", "phone", "030 901 820 11"),
        ("\"phoneNumber\": \"4155552671\"", "phone", "4155552671"),
    ] {
        assert_eq!(kinds(text), [(kind, value, Class::Personal)], "{text}");
    }
    for (parts, kind) in [
        ("4539_1488_0343_6467", "card"),
        ("5425 _2334 3010 _9903", "card"),
        ("3714-_496353-_98431", "card"),
        ("6011_0009_9013_9424", "card"),
        ("DE89 _3704 0044 _0532 0130 00", "iban"),
        ("GB82WEST_12345698765432", "iban"),
    ] {
        let number = joined(parts);
        for text in [number.clone(), format!("\"n\": \"{number}\","), format!("pays by {number}.\n")] {
            assert_eq!(kinds(&text), [(kind, &*number, Class::Personal)], "{text}");
        }
    }
}

#[test]
fn what_is_set_aside_for_documents_is_told_apart() {
    for text in ["jane@example.com", "a@mail.example.org", "x@service.test", "555-555-0123", "+1 415 555 0199"] {
        let found = kinds(text);
        assert!(matches!(found[..], [(_, whole, Class::Reserved)] if whole == text), "{text}: {found:?}");
    }
}

#[test]
fn other_numbers_and_signs_are_left_alone() {
    for text in [
        "git@github.com:someone/project.git",
        "noreply@github.com 123+me@users.noreply.github.com",
        "https://user@host.com/x",
        "import x from '@scope/pkg'; react@18.2.0",
        "y = W@x.shape; a@b.T",
        "user@host:~$ ls",
        "2024-01-01 12:34:56.789012345 +0200",
        "2024-01-01T12:34:56+00:00",
        "1700000000 1700000000000 1700000000000000000",
        "123e4567-e89b-12d3-a456-426614174000",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "192.168.100.200:8080 10.0.0.1 127.0.0.1",
        "version 1.22.333.4444 v415.555.2671",
        "0.4539148803436467 4539148803436467.5",
        "\"user_id\": 4539148803436467",
        "x = 4539148803436467123",
        "4539148803436468",
        "1234 5678 9012 3456 7890",
        "@@ -415,555 +2671,12 @@",
        "line 415-555 of 2671",
        "a+4155552671 3e+4155552671",
        "0x4155552671 415-555-26711",
        "DE89370400440532013001 DE8937",
        "ID12345678 XX89370400440532013000",
        "000-00-0000 12-34-56",
        "tel_count = 12",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
}
