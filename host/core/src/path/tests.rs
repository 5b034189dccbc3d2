//! Every refusal of a path, names that must pass, and the parts of a path.

use super::*;

#[test]
fn every_refusal_has_its_own_reason() {
    let cases: &[(&str, PathError)] = &[
        ("", PathError::Empty),
        ("/etc/passwd", PathError::Absolute),
        ("C:/x", PathError::Drive),
        ("c:x", PathError::Drive),
        ("a\\b", PathError::Backslash),
        ("a/b:c", PathError::Stream),
        (".git::$INDEX_ALLOCATION/config", PathError::Stream),
        ("a//b", PathError::EmptySegment),
        ("a/", PathError::EmptySegment),
        ("./a", PathError::Dot),
        ("a/./b", PathError::Dot),
        ("a/../b", PathError::DotDot),
        ("..", PathError::DotDot),
        ("~/x", PathError::Home),
        (".git/config", PathError::DotGit),
        ("a/.GIT/config", PathError::DotGit),
        ("a/.Git", PathError::DotGit),
        (".git./config", PathError::DotGit),
        (".git . ./config", PathError::DotGit),
        ("GIT~1/config", PathError::DotGit),
        ("git~12/config", PathError::DotGit),
        ("CONFIG~1.JSO", PathError::ShortName),
        ("a/ENV~1", PathError::ShortName),
        ("con", PathError::Device),
        ("a/NUL.txt", PathError::Device),
        ("com1.log", PathError::Device),
        ("aux .c", PathError::Device),
        ("a./b", PathError::TrailingDotOrSpace),
        ("a /b", PathError::TrailingDotOrSpace),
        ("a/b...", PathError::TrailingDotOrSpace),
        ("a\nb", PathError::Control(10)),
        ("a\0b", PathError::Control(0)),
        ("a\u{85}b", PathError::Control(0x85)),
        ("a\u{202e}b", PathError::Invisible(0x202e)),
        (".g\u{200c}it/config", PathError::Invisible(0x200c)),
        ("a\u{feff}", PathError::Invisible(0xfeff)),
        ("\u{ff0e}env", PathError::Imitation(0xff0e)),
        ("a\u{2025}", PathError::Imitation(0x2025)),
        ("a\u{f03a}b", PathError::PrivateUse(0xf03a)),
        ("cafe\u{301}", PathError::NotNfc),
        ("\u{212b}", PathError::NotNfc),
    ];
    for (text, reason) in cases {
        assert_eq!(RepoPath::new(text).as_ref(), Err(reason), "{text:?}");
    }
    let longest = ["a".repeat(64), vec!["a".repeat(63); 63].join("/")].join("/");
    assert_eq!((longest.len(), RepoPath::new(&longest).is_ok()), (MAX_PATH_BYTES, true));
    assert_eq!(RepoPath::new(&format!("a{longest}")), Err(PathError::TooLong(4097)));
    assert!(RepoPath::new(&"a".repeat(255)).is_ok());
    assert_eq!(RepoPath::new(&"a".repeat(256)), Err(PathError::SegmentTooLong(256)));
    assert_eq!(RepoPath::new(&"abcd/".repeat(900)), Err(PathError::TooLong(4500)));
    assert_eq!(RepoPath::new(&vec!["a"; 65].join("/")), Err(PathError::TooDeep));
}

#[test]
fn ordinary_names_pass() {
    for text in [
        "a",
        "docs/a.md",
        ".gitignore",
        ".github/x.yml",
        "git/x",
        "a.git",
        "gitx~1y",
        "file.txt~",
        "a~b",
        "console.rs",
        "com10",
        "nul_test.py",
        "community/con-text.md",
        "docs/my file (1).md",
        "src/[id]/page.tsx",
        "日本語/説明（新）.md",
        "café.md",
        "...hidden",
        "-dash",
        "a\"quote\".md",
        "@scope/pkg",
        "x/~y",
        "emoji😀.md",
    ] {
        assert_eq!(RepoPath::new(text).map(|p| p.to_string()).as_deref(), Ok(text), "{text:?}");
    }
    assert!(RepoPath::new(&"a".repeat(255)).is_ok());
    assert!(RepoPath::new(&vec!["a"; 64].join("/")).is_ok());
}

#[test]
fn the_parts_of_a_path() {
    let path = RepoPath::new("a/b/c.py").unwrap();
    assert_eq!(path.file_name(), "c.py");
    assert_eq!(path.ancestors().map(|p| p.to_string()).collect::<Vec<_>>(), ["a/b", "a"]);
    assert_eq!(RepoPath::new("a").unwrap().parent(), None);
    assert_eq!(RepoPath::new("a").unwrap().join("../x"), Err(PathError::DotDot));
    assert_eq!(path.parent().unwrap().join("d").unwrap().as_str(), "a/b/d");
}
