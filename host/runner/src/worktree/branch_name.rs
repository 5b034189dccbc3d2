//! The name of the branch that a change is published on: `evo/<timestamp>-<slug>` (seed 004 section 5.2). Pure.

use jiff::Timestamp;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Characters of a slug, at most.
const MAX_SLUG: usize = 50;

/// A branch name that git takes whatever the title holds (F6): digits, ASCII lower-case letters and dashes only.
pub fn branch_name(at: Timestamp, title: &str) -> String {
    format!("evo/{}-{}", at.strftime("%Y%m%dT%H%M%SZ"), slug(title))
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.nfd().filter(|&c| !is_combining_mark(c)) {
        if slug.len() == MAX_SLUG {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "change".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f6_every_title_gives_a_name_that_git_takes() {
        for (title, expected) in [
            ("fix: tool~retry", "fix-tool-retry"),
            ("a~b^c:d?e*f[g\\h", "a-b-c-d-e-f-g-h"),
            ("..", "change"),
            ("x..y", "x-y"),
            ("fix.lock", "fix-lock"),
            ("line\nbreak\r\n", "line-break"),
            ("@{u}", "u"),
            ("", "change"),
            ("修复", "change"),
            ("Réparer l'été", "reparer-l-ete"),
            ("-rf /", "rf"),
            ("HEAD", "head"),
            ("\0\u{7f}", "change"),
        ] {
            let name = branch_name(Timestamp::UNIX_EPOCH, title);
            assert_eq!(name, format!("evo/19700101T000000Z-{expected}"), "{title:?}");
            assert!(git2::Branch::name_is_valid(&name).expect("no NUL"), "{name}");
        }
    }

    #[test]
    fn a_long_title_is_cut_without_a_dash_at_the_end() {
        assert_eq!(slug(&"x".repeat(1 << 20)), "x".repeat(MAX_SLUG));
        assert_eq!(slug(&format!("{} tail", "x".repeat(MAX_SLUG - 1))), "x".repeat(MAX_SLUG - 1));
    }
}
