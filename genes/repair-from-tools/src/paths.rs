//! Paths in the workspace: from its root, and relative to a file.

/// The folder of a file; empty for the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path from the root that a relative one means in a folder; `None` if it leads outside.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" => return None,
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The path of a file from that of another one.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    let same = folders.iter().zip(to.split('/')).take_while(|(a, b)| *a == b).count();
    let up = folders.len() - same;
    let rest = to.split('/').skip(same).collect::<Vec<_>>().join("/");
    if up == 0 { format!("./{rest}") } else { format!("{}{rest}", "../".repeat(up)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_leads_back_to_its_file() {
        for (from, to, expected) in [
            ("a.js", "b", "./b"),
            ("src/a.js", "src/lib/b", "./lib/b"),
            ("src/a.js", "b", "../b"),
            ("src/x/a.js", "src/y/b", "../y/b"),
        ] {
            assert_eq!(relative(from, to), expected);
            assert_eq!(joined(folder(from), expected).as_deref(), Some(to));
        }
        assert_eq!(joined("a", "../../b"), None);
    }
}
