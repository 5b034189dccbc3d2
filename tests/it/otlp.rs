//! `gephost observe --otlp`: the real exporter of OpenTelemetry's Python SDK, and a client that means harm.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};

use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use gephost_tests::schema::check;
use serde_json::Value;

/// Where `.ci/run` puts the packages of `tests/otlp/requirements.txt`.
const PACKAGES: &str = "target/tools/opentelemetry";

struct Listening {
    child: Child,
    stderr: BufReader<ChildStderr>,
    endpoint: String,
}

impl Listening {
    fn start(env: &TestEnv, project: &TestProject) -> Self {
        let mut command = env.command(gephost(), project.root());
        command.args(["--json", "observe", "--otlp", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let endpoint = line.split_whitespace().find(|word| word.starts_with("http://"));
        let endpoint = endpoint.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, stderr, endpoint }
    }

    /// The most memory that it ever held, in KiB.
    fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Interrupts it; gives its document.
    fn end(mut self, env: &TestEnv) -> Value {
        let id = self.child.id().to_string();
        assert!(env.command("kill", Path::new("/")).args(["-INT", &id]).status().unwrap().success());
        let mut left = String::new();
        self.stderr.read_to_string(&mut left).unwrap();
        let ended = self.child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{left}");
        let document = serde_json::from_slice(&ended.stdout).unwrap();
        check("observe_otlp", &document);
        document
    }
}

#[test]
fn the_python_sdk_is_understood_and_what_it_sent_is_read_by_later_commands() {
    let packages = repository().join(PACKAGES);
    if !packages.is_dir() {
        let how = "python3 -m pip install --target target/tools/opentelemetry -r tests/otlp/requirements.txt";
        return gephost_tests::skipped(&format!("no OpenTelemetry SDK: `{how}`"));
    }
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let listening = Listening::start(&env, &project);
    let sent = env
        .command("python3", project.root())
        .env("PYTHONPATH", packages)
        .arg(repository().join("tests/otlp/export.py"))
        .arg(&listening.endpoint)
        .output()
        .unwrap();
    assert!(sent.status.success() && sent.stderr.is_empty(), "{}", String::from_utf8_lossy(&sent.stderr));
    let document = listening.end(&env);
    assert_eq!(document["schema"], "gephost.observe_otlp/1");
    assert_eq!((&document["requests"], &document["events"]), (&1.into(), &4.into()), "{document}");
    let (observed, code) = env.json(project.root(), &["observe", "--calls"]);
    assert_eq!(code, 0);
    let calls: Vec<(&str, &str, &str)> = observed["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| {
            let text = |key: &str| call[key].as_str().unwrap();
            (text("session_key"), text("call_id"), text("outcome"))
        })
        .collect();
    assert_eq!(calls, [("talk-1", "call-one", "success"), ("talk-1", "call-two", "failure")], "{observed}");
    assert_eq!(project.git(&env, &["status", "--porcelain"]), "");
}

#[test]
fn bodies_made_to_fill_the_memory_do_not() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let listening = Listening::start(&env, &project);
    let address = listening.endpoint.strip_prefix("http://").unwrap().to_owned();
    let post = |content_type: &str, body: &[u8]| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let length = body.len();
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let many = "{},".repeat(5_000_000);
    let attributes =
        format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"attributes\":[{many}{{}}]}}]}}]}}]}}");
    assert!(post("application/json", attributes.as_bytes()).starts_with("HTTP/1.1 200"));
    let few = "{},".repeat(500_000);
    let spans = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{few}{{}}]}}]}}]}}");
    assert!(post("application/json", spans.as_bytes()).starts_with("HTTP/1.1 200"));
    // Empty messages, two bytes each: of resources, and of spans within one scope of one resource.
    assert!(post("application/x-protobuf", &[0x0a, 0].repeat(8_000_000)).starts_with("HTTP/1.1 200"));
    let spans = [&[0x0a, 0x84, 0x86, 0x3d, 0x12, 0x80, 0x86, 0x3d][..], &[0x12, 0].repeat(500_096)].concat();
    assert!(post("application/x-protobuf", &spans).starts_with("HTTP/1.1 200"));
    let peak = listening.peak_kib();
    assert!(peak < 200 * 1024, "{peak} KiB");
    assert_eq!(listening.end(&env)["requests"], 4);
}

#[test]
fn other_machines_are_let_in_only_when_told() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let refused = env.run(project.root(), &["observe", "--otlp", "0.0.0.0:0"]).expect_code(2);
    assert!(refused.stderr.contains("--beyond-loopback"), "{}", refused.stderr);
    for wrong in [
        &["observe", "--otlp", "example.com:1"][..],
        &["observe", "--beyond-loopback"],
        &["observe", "--otlp", "0", "a"],
    ] {
        env.run(project.root(), wrong).expect_code(2);
    }
    assert!(!env.state_of(project.root()).exists());
}
