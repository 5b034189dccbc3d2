//! Answers of servers that are only an error. The programs that fetch them end with code 0.

use super::shell::Command;

/// Programs that print what a server answers. The first ones ask whatever server they are told.
const FETCH: [&str; 5] = ["curl", "wget", "http", "https", "xh"];
const ASK: [&str; 16] = [
    "stripe", "gcloud", "az", "aws", "gh", "glab", "vercel", "netlify", "supabase", "firebase", "flyctl", "fly",
    "doctl", "heroku", "twilio", "hcloud",
];
/// How addresses of this machine or network begin. What is served there is often what is being worked on, and an error may
/// be what was asked for.
const LOCAL: [&str; 9] = ["localhost", "127.", "0.0.0.0", "[", "host.docker.internal", "192.168.", "10.", "172.", "$"];
/// Most characters of an answer that are looked at.
const MAX_CHARACTERS: usize = 240;

/// Whether all that a command printed is the error of a server. `line` is the whole command line: some terminals print it, too.
pub(super) fn is_only_an_error(command: &Command, line: &str, text: &str) -> bool {
    let Some((program, words)) = command.filtered().and_then(<[String]>::split_first) else { return false };
    let asks = ASK.contains(&program.as_str())
        || FETCH.contains(&program.as_str()) && words.iter().any(|word| is_elsewhere(word));
    let body = body(line, text);
    asks && (is_error(body) || is_error_page(body))
}

/// Whether a word is an address on another machine.
fn is_elsewhere(word: &str) -> bool {
    let Some((_, rest)) = word.split_once("://") else { return false };
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
    host.contains('.') && !LOCAL.iter().any(|start| rest.starts_with(start)) && host.rsplit('.').next() != Some("local")
}

/// The text without the lines of the command line at its start.
fn body<'t>(line: &str, text: &'t str) -> &'t str {
    let mut rest = text.trim_start();
    while !rest.starts_with('{') {
        let Some((first, below)) = rest.split_once('\n') else { return rest };
        let first = first.trim().trim_end_matches(['\\', 'n']).trim_end();
        if first.is_empty() || !line.contains(first) {
            return rest;
        }
        rest = below;
    }
    rest
}

/// Whether a page is only the error of a server: `404: Not Found`, or HTML with such a title.
fn is_error_page(body: &str) -> bool {
    const SAID: [&str; 10] = [
        "400 Bad Request",
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "404: Not Found",
        "429 Too Many Requests",
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Temporarily Unavailable",
        "504 Gateway Time-out",
    ];
    let body = body.trim();
    let near = body.get(..body.floor_char_boundary(MAX_CHARACTERS)).unwrap_or_default();
    let title = near.split_once("<title>").map_or(body, |(_, rest)| rest.split("</title>").next().unwrap_or(rest));
    SAID.contains(&title.trim())
}

/// Whether an object begins with an error: `{"error": {`, `{"type": "error"`, `{"errors": [{`, GitHub's `{"message": …}`.
fn is_error(body: &str) -> bool {
    let near: String = body.chars().take(MAX_CHARACTERS).filter(|c| !c.is_whitespace()).collect();
    let starts = |start: &str| near.starts_with(start);
    let says_what = near.strip_prefix("{\"error\":\"").is_some_and(|rest| !rest.starts_with('"'));
    says_what
        || starts("{\"error\":{\"")
        || starts("{\"type\":\"error\"")
        || starts("{\"errors\":[{\"")
        || starts("{\"message\":\"") && near.contains("\"documentation_url\":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_an_error() {
        let error = "{\n  \"error\": {\n    \"message\": \"no\"\n  }\n}";
        for (line, text, expected) in [
            ("stripe charges create 2>&1", error, true),
            ("curl -s https://api.example.com/v1/x", "{\"error\":\"invalid key\"}", true),
            ("curl -s https://api.example.com/v1/x | head -20", "{\"type\":\"error\",\"error\":{}}", true),
            ("curl -s https://api.github.com/x", "{\"message\": \"Not Found\",\n\"documentation_url\": \"y\"}", true),
            (
                "curl -s \\\n  -d a https://api.example.com/v1",
                "-d a https://api.example.com/v1\n{\"error\":{\"a\":1}}",
                true,
            ),
            ("curl -s https://api.example.com/v1/x", "{\"error\":null,\"data\":1}", false),
            ("curl -s https://api.example.com/v1/x", "{\"error\":\"\",\"data\":1}", false),
            ("curl -s https://api.example.com/v1/x", "{\"data\":[{\"error\":\"x\"}]}", false),
            ("curl -s http://localhost:3000/x", "{\"error\":\"invalid key\"}", false),
            ("curl -s http://127.0.0.1:3000/x", "{\"error\":\"invalid key\"}", false),
            ("curl -s $BASE/x", "{\"error\":\"invalid key\"}", false),
            ("curl -si https://api.example.com/v1/x", "HTTP/2 403\n\n{\"error\":\"invalid key\"}", false),
            ("curl -s https://raw.example.com/a/b", "404: Not Found", true),
            ("curl -sL https://a.example.com/b | head -3", "<html>\n<head><title>403 Forbidden</title></head>", true),
            ("curl -s https://a.example.com/b", "<html><head><title>The 404 Not Found page</title></head>", false),
            ("curl -s http://localhost:80/", "<html><head><title>502 Bad Gateway</title></head>", false),
            ("cat answer.json", error, false),
            ("gh api repos/a/b/issues", "[{\"title\":\"error\"}]", false),
        ] {
            assert_eq!(is_only_an_error(&Command::read(line), line, text), expected, "{line}: {text}");
        }
    }
}
