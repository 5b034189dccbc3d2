//! Versions of packages and cargo's requirements of them.

use std::fmt;

/// Major, minor and patch. Pre-releases are not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u64, pub(super) u64, pub(super) u64);

impl Version {
    /// Reads `1.2.3` and nothing else.
    pub(super) fn read(text: &str) -> Option<Self> {
        match numbers(text)?.as_slice() {
            [major, minor, patch] => Some(Self(*major, *minor, *patch)),
            _ => None,
        }
    }

    /// Whether cargo considers two versions compatible: their leftmost number that is not 0 is the same.
    pub(super) fn is_compatible(self, other: Self) -> bool {
        match self {
            Self(0, 0, _) => self == other,
            Self(0, minor, _) => (other.0, other.1) == (0, minor),
            Self(major, ..) => other.0 == major,
        }
    }

    /// The requirement, changed so that this release is the lowest that it accepts. The kind of comparison stays. `None` if
    /// it did not accept `broken`, if it accepts nothing lower already, or if it is not a single comparison of plain numbers.
    pub(super) fn required(self, requirement: &str, broken: Self) -> Option<String> {
        let trimmed = requirement.trim();
        let rest = trimmed.trim_start_matches(['=', '^', '~', '>']).trim_start();
        let sign = trimmed.strip_suffix(rest)?;
        let asked = numbers(rest)?;
        let at = |place: usize| asked.get(place).copied().unwrap_or(0);
        let least = Self(at(0), at(1), at(2));
        let same = |count: usize| [self.0, self.1, self.2].iter().zip(&asked).take(count).all(|(a, b)| a == b);
        let held = [broken.0, broken.1, broken.2].iter().zip(&asked).all(|(a, b)| a == b);
        let takes = match sign.trim_end() {
            "=" => held,
            "" | "^" => least <= broken && (asked.len() == 1 && at(0) == 0 && self.0 == 0 || least.is_compatible(self)),
            "~" => least <= broken && same(asked.len().min(2)),
            ">=" => least <= broken,
            _ => false,
        };
        takes.then(|| format!("{sign}{self}"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// One to three numbers joined by dots.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Option<Vec<u64>> =
        text.split('.').map(|part| if plain(part) { part.parse().ok() } else { None }).collect();
    numbers.filter(|numbers| numbers.len() <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_keeps_its_kind() {
        for (requirement, expected) in [
            ("0.3.30", Some("0.3.35")),
            ("0.3", Some("0.3.35")),
            ("0", Some("0.3.35")),
            ("=0.3.30", Some("=0.3.35")),
            ("= 0.3.30", Some("= 0.3.35")),
            ("^0.3.1", Some("^0.3.35")),
            ("~0.3.2", Some("~0.3.35")),
            (">=0.3.9", Some(">=0.3.35")),
            (">= 0.1", Some(">= 0.3.35")),
            // Not the release in use, high enough already, or more than one comparison.
            ("0.1.45", None),
            ("=0.3.29", None),
            ("0.3.31", None),
            ("~0.2", None),
            ("0.3.35", None),
            (">0.3.1", None),
            ("*", None),
            ("0.3.*", None),
            ("0.3.30-alpha", None),
            (">=0.3, <0.4", None),
            ("", None),
            ("0.3.30.1", None),
            ("99999999999999999999999", None),
        ] {
            let fixed = Version(0, 3, 35);
            assert_eq!(fixed.required(requirement, Version(0, 3, 30)).as_deref(), expected, "{requirement}");
        }
    }

    #[test]
    fn compatible_is_what_cargo_says() {
        assert!(Version(1, 2, 3).is_compatible(Version(1, 9, 0)));
        assert!(Version(0, 3, 1).is_compatible(Version(0, 3, 9)));
        assert!(!Version(0, 3, 1).is_compatible(Version(0, 4, 0)));
        assert!(!Version(0, 0, 1).is_compatible(Version(0, 0, 2)));
        assert_eq!(Version::read("0.3.30-beta.1"), None);
        assert_eq!(Version::read("1.2"), None);
    }
}
