//! Messages of parsers, and the files that they name.

use super::format::Format;

/// Parts of a parser's message, by format. Sources: Python's `json` and `tomllib`, V8's `JSON.parse`, npm, `serde_json`, jq,
/// Go's `encoding/json`, `PyYAML`, js-yaml, go-yaml, Ruby's Psych, and cargo.
const MESSAGES: &[(Format, &str)] = &[
    (Format::Json, "JSONDecodeError"),
    // What `python3 -m json.tool` prints is only the message.
    (Format::Json, "Expecting property name enclosed in double quotes: line "),
    (Format::Json, "Expecting value: line "),
    (Format::Json, "Expecting ',' delimiter: line "),
    (Format::Json, "Expecting ':' delimiter: line "),
    (Format::Json, "Invalid control character at: line "),
    (Format::Json, "Invalid \\escape: line "),
    (Format::Json, "Illegal trailing comma before end of "),
    (Format::Json, "EJSONPARSE"),
    (Format::Json, " in JSON at position "),
    (Format::Json, "JSON.parse"),
    (Format::Json, "Unexpected end of JSON input"),
    (Format::Json, "is not valid JSON"),
    (Format::Json, "jq: parse error"),
    (Format::Json, "jq: error (at "),
    (Format::Json, "Expected double-quoted property name"),
    (Format::Json, "trailing comma at line "),
    (Format::Json, "expected value at line "),
    (Format::Json, "key must be a string at line "),
    (Format::Json, "expected `,` or `}` at line "),
    (Format::Json, "expected `,` or `]` at line "),
    (Format::Json, "expected `:` at line "),
    (Format::Json, "invalid escape at line "),
    (Format::Json, "control character (\\u0000-\\u001F) found"),
    (Format::Json, "expected ident at line "),
    (Format::Json, "looking for beginning of value"),
    (Format::Json, "looking for beginning of object key string"),
    (Format::Json, "after object key:value pair"),
    (Format::Json, "after array element"),
    (Format::Json, "in string escape code"),
    (Format::Json, "Unexpected UTF-8 BOM"),
    (Format::Yaml, "yaml.scanner.ScannerError"),
    (Format::Yaml, "yaml.parser.ParserError"),
    (Format::Yaml, "yaml.reader.ReaderError"),
    (Format::Yaml, "YAMLException"),
    (Format::Yaml, "YAMLParseError"),
    (Format::Yaml, "YAMLSyntaxError"),
    (Format::Yaml, "Psych::SyntaxError"),
    (Format::Yaml, "yaml: line "),
    (Format::Yaml, "mapping values are not allowed"),
    (Format::Yaml, "found character '\\t' that cannot start any token"),
    (Format::Yaml, "found character that cannot start any token"),
    (Format::Yaml, "while scanning a simple key"),
    (Format::Toml, "TOMLDecodeError"),
    (Format::Toml, "TomlDecodeError"),
    (Format::Toml, "TOML parse error"),
    (Format::Toml, "failed to parse manifest at"),
    (Format::Toml, "could not parse input as TOML"),
    (Format::Toml, "toml: line "),
    (Format::Toml, "TomlError"),
];

/// The formats that an output says do not parse, each with the line that says so.
pub(super) fn formats(output: &str) -> Vec<(Format, String)> {
    let mut formats: Vec<(Format, String)> = Vec::new();
    let mut add = |format: Format, line: &str| {
        if !formats.iter().any(|(known, _)| *known == format) {
            formats.push((format, line.trim().to_owned()));
        }
    };
    for line in output.lines() {
        if let Some((format, _)) = MESSAGES.iter().find(|(_, part)| line.contains(part)) {
            add(*format, line);
        }
        // cargo shows the manifest and the place as the compiler does.
        if line.trim_start().strip_prefix("--> ").is_some_and(|place| place.contains("Cargo.toml:")) {
            add(Format::Toml, line);
        }
    }
    formats
}

/// The words of a text that name a file of these formats.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let separators = |c: char| c.is_whitespace() || "\"'`()<>,;=|&[]{}‘’“”".contains(c);
    let words = text.split(separators).filter_map(|word| {
        let word = word.trim_end_matches(['.', ':']);
        let ends = [".json", ".yaml", ".yml", ".toml"];
        let end = ends.iter().find_map(|end| word.find(end).map(|at| at + end.len()))?;
        let rest = word.get(end..)?;
        // `Cargo.toml:3:8`, but not `a.json5`.
        (rest.is_empty() || rest.starts_with(':')).then(|| word.get(..end)).flatten()
    });
    words.take(64)
}

/// The file that the failing command itself reads as JSON, whatever its name: `python -m json.tool FILE`.
pub(super) fn read_as_json(input: &str) -> Option<&str> {
    let separators = |c: char| c.is_whitespace() || "\"'`;|&<>[]{},".contains(c);
    let words: Vec<&str> = input.split(separators).filter(|word| !word.is_empty()).collect();
    let at = words.windows(2).position(|pair| pair == ["-m", "json.tool"])?;
    words.get(at + 2).copied().filter(|word| !word.starts_with('-') && word.len() <= 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_what_it_reads_as_json() {
        assert_eq!(read_as_json("python3 -m json.tool a/.eslintrc"), Some("a/.eslintrc"));
        assert_eq!(read_as_json("{\"command\":\"python3 -m json.tool .eslintrc && ls\"}"), Some(".eslintrc"));
        assert_eq!(read_as_json("python3 -m json.tool --indent 2 a"), None);
        assert_eq!(read_as_json("cat a.json"), None);
    }

    #[test]
    fn files_are_found_in_messages() {
        let text = "  in \"conf/a.yml\", line 3\n --> Cargo.toml:5:2\n/x/b.json: Unexpected\nopen('c.json5')";
        assert_eq!(names(text).collect::<Vec<_>>(), ["conf/a.yml", "Cargo.toml", "/x/b.json"]);
    }
}
