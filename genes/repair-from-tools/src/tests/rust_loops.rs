//! Loops that clippy of Rust 1.95 wants otherwise.

use super::cases::repaired;

fn fixed(source: &str, output: &str) -> Option<String> {
    repaired("cargo clippy", output, &[("src/lib.rs", source)])
}

/// A function around the lines of a loop, which begins in line 2.
fn function(lines: &[&str]) -> String {
    format!("fn f() {{\n    {}\n}}\n", lines.join("\n    "))
}

#[test]
fn an_index_that_only_gets_items_becomes_the_item() {
    let case = |body: &str| {
        let source = function(&["for i in 0..n {", &format!("    {body}"), "}"]);
        let output = "error: the loop variable `i` is only used to index `list`\n --> src/lib.rs:2:14\n  |\n2 |     for i in 0..n {\n  |              ^^^^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#needless_range_loop\nhelp: consider using an iterator\n  |\n2 -     for i in 0..n {\n2 +     for <item> in list.iter().take(n) {\n  |\n\n";
        fixed(&source, output).map(|text| text.lines().nth(2).unwrap_or_default().trim().to_owned())
    };
    for (body, expected) in [
        ("sum += list[i] as u32;", Some("sum += *item as u32;")),
        ("show(&list[i], list[i].len(), list[i][0]);", Some("show(item, item.len(), item[0]);")),
        ("list[i] = 0;", Some("*item = 0;")),
        // The index or the list is used in another way, or the text is no code.
        ("sum += list[i] + i;", None),
        ("sum += list[i] + list[0];", None),
        ("show(list[i], \"list[i]\");", None),
        ("show(list[i]?);", None),
        ("show(item, list[i]);", None),
        ("show(other.list[i]);", None),
    ] {
        assert_eq!(case(body).as_deref(), expected, "{body}");
    }
}

#[test]
fn a_loop_that_matches_first_becomes_while_let() {
    let output = |last: usize| {
        format!(
            "error: this loop could be written as a `while let` loop\n --> src/lib.rs:2:5\n  |\n2 | /     loop {{\n...  |\n{last} | |     }}\n  | |_____^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#while_let_loop\nhelp: try\n  |\n2 ~     while let Some(x) = next() {{ .. }}\n  |\n\n"
        )
    };
    let case = |lines: &[&str]| fixed(&function(lines), &output(lines.len() + 1));
    let matched = [
        "loop {",
        "    match next() {",
        "        Some(x) |",
        "        Other(x) => {",
        "            use_it(x);",
        "        }",
        "        _ => break,",
        "    }",
        "}",
    ];
    assert_eq!(case(&matched), Some(function(&["while let Some(x) | Other(x) = next() {", "    use_it(x);", "}"])));
    let bound = [
        "loop {",
        "    let mut x = match next() {",
        "        Some(x) => x,",
        "        None => break,",
        "    };",
        "    use_it(x);",
        "}",
    ];
    assert_eq!(case(&bound), Some(function(&["while let Some(mut x) = next() {", "    use_it(x);", "}"])));
    for (place, line) in [
        (3, "        Ok(x) => x,"),
        (2, "        Some(y) => y + 1,"),
        (3, "        None => return,"),
        (1, "    let (x, y) = match next() {"),
    ] {
        let mut other = bound;
        other[place] = line;
        assert_eq!(case(&other), None, "{line}");
    }
    for (place, line) in [(6, "        _ => return,"), (2, "        Some(x) if x > 0 |"), (7, "    } more();")] {
        let mut other = matched;
        other[place] = line;
        assert_eq!(case(&other), None, "{line}");
    }
}

#[test]
fn a_match_over_several_lines_becomes_the_macro() {
    let source = function(&["match c {", "    'a' |", "    'b' => true,", "    _ => false,", "}"]);
    let output = "error: match expression looks like `matches!` macro\n --> src/lib.rs:2:5\n  |\n2 | /     match c {\n3 | |         'a' |\n4 | |         'b' => true,\n5 | |         _ => false,\n6 | |     }\n  | |_____^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#match_like_matches_macro\nhelp: use `matches!` directly\n  |\n2 ~     matches!(c, 'a' |\n3 +         'b')\n  |\n\n";
    let expected = function(&["matches!(c, 'a' |", "    'b')"]);
    assert_eq!(fixed(&source, output), Some(expected));
    assert_eq!(fixed(&source.replace("'a' |", "'c' |"), output), None, "the file has other lines now");
}
