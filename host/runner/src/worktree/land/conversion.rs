//! Whether git gives a file of this checkout other bytes than its blob has. gephost runs no filter and converts no line
//! end, so it leaves such files to git. Reads attributes and configuration only.

use git2::{AttrCheckFlags, AttrValue, Repository};

use super::path::as_path;

/// What git would do to a content on its way into the checkout; nothing where the file has the bytes of the blob.
pub(super) fn conversion(
    repository: &Repository,
    path: &[u8],
    content: &[u8],
) -> Result<Option<&'static str>, git2::Error> {
    let attribute = |name| {
        let value = repository.get_attr_bytes(as_path(path), name, AttrCheckFlags::FILE_THEN_INDEX)?;
        Ok::<_, git2::Error>(AttrValue::from_bytes(value))
    };
    let is_named = |value: &AttrValue<'_>| matches!(value, AttrValue::String(_) | AttrValue::Bytes(_));
    if is_named(&attribute("filter")?) {
        return Ok(Some("a filter of git rewrites it (attribute `filter`)"));
    }
    if is_named(&attribute("working-tree-encoding")?) {
        return Ok(Some("git re-encodes it (attribute `working-tree-encoding`)"));
    }
    if attribute("ident")? == AttrValue::True && content.windows(3).any(|three| three == b"$Id") {
        return Ok(Some("git expands $Id$ in it (attribute `ident`)"));
    }
    let text = match attribute("text")? {
        // The name that the attribute had first.
        AttrValue::Unspecified => attribute("crlf")?,
        text => text,
    };
    let eol = attribute("eol")?;
    let is = |value: &AttrValue<'_>, name: &str| matches!(value, AttrValue::String(found) if *found == name);
    let sure = matches!(text, AttrValue::True) || is(&eol, "crlf") || is(&eol, "lf");
    if text == AttrValue::False || is(&text, "input") || (!sure && content.contains(&0)) {
        return Ok(None);
    }
    let config = repository.config()?;
    let says = |key, value: &str| config.get_string(key).is_ok_and(|found| found.eq_ignore_ascii_case(value));
    let autocrlf = says("core.autocrlf", "true")
        || (!says("core.autocrlf", "input") && config.get_bool("core.autocrlf").unwrap_or(false));
    let marked = sure || is(&text, "auto");
    let to_crlf = match () {
        () if is(&eol, "crlf") => true,
        () if is(&eol, "lf") => false,
        () if autocrlf => true,
        () => marked && says("core.eol", "crlf"),
    };
    Ok((to_crlf && content.contains(&b'\n')).then_some("git writes its lines with CRLF ends here"))
}

#[cfg(test)]
mod tests {
    use super::super::super::scratch::Scratch;
    use super::*;

    /// What the checkout of git itself makes of a content is the judge.
    #[test]
    fn it_is_told_exactly_where_the_bytes_that_git_checks_out_differ() {
        let contents: [&[u8]; 4] = [b"line\nline\n", b"no end", b"bin\0ary\n", b"$Id$\n"];
        let attributes = [
            "",
            "* text",
            "* text=auto",
            "* -text",
            "* binary",
            "* eol=crlf",
            "* eol=lf",
            "* crlf",
            "* -crlf",
            "* ident",
            "* crlf=input",
            "* text eol=crlf",
            "* text=auto eol=lf",
            "* filter=up",
            "* working-tree-encoding=UTF-16LE",
        ];
        let configs =
            [("core.autocrlf", "false"), ("core.autocrlf", "true"), ("core.autocrlf", "input"), ("core.eol", "crlf")];
        let mut converted = 0;
        for content in contents {
            let scratch = Scratch::new();
            std::fs::write(scratch.root.join("file"), content).expect("our file");
            scratch.commit("a file");
            scratch.git(&["config", "filter.up.smudge", "tr a-z A-Z"]);
            for (attributes, (key, value)) in attributes.iter().flat_map(|line| configs.map(|config| (line, config))) {
                scratch.git(&["config", key, value]);
                scratch.write(".git/info/attributes", attributes);
                std::fs::remove_file(scratch.root.join("file")).expect("our file");
                scratch.git(&["checkout", "-f", "HEAD", "--", "file"]);
                let git_made = std::fs::read(scratch.root.join("file")).expect("checked out");
                let repository = Repository::open(&scratch.root).expect("a repository");
                let told = conversion(&repository, b"file", content).expect("an answer");
                converted += usize::from(told.is_some());
                // A filter and another encoding are left to git whatever they make of this content.
                let left = told.is_some() && (attributes.contains("filter") || attributes.contains("encoding"));
                let case = format!("{:?} {attributes:?} {key}={value}: {told:?}", String::from_utf8_lossy(content));
                assert!(left || told.is_some() == (git_made != content), "{case}");
                scratch.git(&["config", "--unset", key]);
            }
        }
        assert!(converted > 30, "{converted}");
    }
}
