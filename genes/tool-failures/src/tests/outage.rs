//! A network that is down has one finding, whatever program tells it and in whatever words.

use gephost_gene::run_log::FailureKind as K;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::report::Report;
use crate::findings::reports;

/// Command, the host's kind of failure, output, and the server that is named; empty if none is.
#[rustfmt::skip]
const LOST: &[(&str, K, &str, &str)] = &[
    ("pip install a", K::Network, "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('<HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -2] Name or service not known')': /simple/a/\nERROR: Could not find a version that satisfies the requirement a (from versions: none)\nERROR: No matching distribution found for a", ""),
    ("pip install b", K::Other, "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='files.example', port=443): Max retries exceeded with url: /b", "files.example"),
    ("python a.py", K::Traceback, "Traceback (most recent call last):\n  File \"a.py\", line 1\nrequests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.example', port=443): Max retries exceeded with url: /x (Caused by NameResolutionError(\"Failed to resolve 'api.example' ([Errno 8] nodename nor servname provided, or not known)\"))", "api.example"),
    ("python b.py", K::Traceback, "Traceback (most recent call last):\n  File \"b.py\", line 1\nhttpx.ConnectError: [Errno 8] nodename nor servname provided, or not known", ""),
    ("python c.py", K::Traceback, "Traceback (most recent call last):\n  File \"c.py\", line 1\nhttpx.ConnectError: All connection attempts failed", ""),
    ("python d.py", K::Traceback, "Traceback (most recent call last):\nurllib.error.URLError: <urlopen error [Errno 11001] getaddrinfo failed>", ""),
    ("uv sync", K::Other, "error: Failed to fetch: `https://pypi.example/simple/x/`\n  Caused by: dns error: failed to lookup address information: nodename nor servname provided", "pypi.example"),
    ("npm ci", K::Network, "npm error code EAI_AGAIN\nnpm error request to https://registry.example/a failed, reason: getaddrinfo EAI_AGAIN registry.example", "registry.example"),
    ("node a.js", K::Traceback, "TypeError: fetch failed\n    at a (a.js:1:1) {\n  [cause]: Error: getaddrinfo ENOTFOUND api.example", "api.example"),
    ("cargo fetch", K::Other, "warning: spurious network error (3 tries remaining): [6] Couldn't resolve host name (Could not resolve host: index.example)", "index.example"),
    ("git pull", K::Git, "fatal: unable to access 'https://git.example/a.git/': Could not resolve host: git.example", "git.example"),
    ("git fetch", K::Git, "ssh: Could not resolve hostname git.example: nodename nor servname provided, or not known\nfatal: Could not read from remote repository.", "git.example"),
    ("git clone https://git.example/b", K::Git, "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\nfatal: early EOF", "git.example"),
    ("go mod download", K::Other, "go: example.com/a@v1.0.0: Get \"https://proxy.example/example.com/a.mod\": dial tcp: lookup proxy.example on 127.0.0.53:53: no such host", "proxy.example"),
    ("go get x", K::Other, "go: Get \"https://sum.example/a\": dial tcp 10.1.2.3:443: i/o timeout", "sum.example"),
    ("docker pull a", K::Other, "Error response from daemon: Get \"https://images.example/v2/\": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)", "images.example"),
    ("mvn package", K::Other, "[ERROR] Could not transfer artifact a:b:pom:1 from/to central (https://maven.example/maven2): transfer failed: Unknown host maven.example", "maven.example"),
    ("gradle build", K::Other, "FAILURE: Build failed with an exception.\n> java.net.UnknownHostException: services.example", "services.example"),
    ("apt-get update", K::Other, "W: Failed to fetch http://deb.example/InRelease  Temporary failure resolving 'deb.example'", "deb.example"),
    ("wget https://a.example/x", K::Other, "wget: unable to resolve host address 'a.example'", "a.example"),
    ("curl https://a.example", K::Other, "curl: (5) Could not resolve proxy: proxy.corp.example", "proxy.corp.example"),
    ("curl https://b.example/", K::Other, "curl: (56) Received HTTP code 403 from proxy after CONNECT", "b.example"),
    ("curl https://c.example/", K::Other, "curl: (56) CONNECT tunnel failed, response 403", "c.example"),
    ("curl https://d.example/", K::Timeout, "curl: (28) Connection timed out after 10001 milliseconds", "d.example"),
    ("java -jar a.jar", K::Timeout, "Exception in thread \"main\" java.net.SocketTimeoutException: Read timed out", ""),
    ("curl https://d.example/", K::Other, "curl: (56) Recv failure: Connection reset by peer", "d.example"),
    ("dotnet restore", K::Other, "error NU1301:   No such host is known. (nuget.example:443)", "nuget.example:443"),
    ("aws s3 ls", K::Other, "Could not connect to the endpoint URL: \"https://s3.example/\"", "s3.example"),
    ("bundle install", K::Other, "Failed to open TCP connection to gems.example:443 (getaddrinfo: Name or service not known)", "gems.example:443"),
    ("node shot.js", K::Other, "Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://site.example/", "site.example"),
];

fn of(calls: &[Call<'_>]) -> Vec<Report> {
    let mut analysis = Analysis::default();
    for call in calls {
        analysis.add(call);
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

fn lost<'a>(event: u64, input: &'a str, kind: K, output: &'a str) -> Call<'a> {
    Call { event, kind, input, output, ..Call::FAILED }
}

#[test]
fn each_program_says_that_a_server_is_not_reached() {
    for (input, kind, output, host) in LOST {
        let found = of(&[lost(0, input, *kind, output)]);
        let is_network = matches!(found[0].kind, "network" | "connection_closed");
        assert!(is_network, "{input}: {}: {}", found[0].kind, found[0].title);
        let hosts = found[0].facets.first().map_or(String::new(), |facet| facet.values.join(" "));
        assert_eq!(hosts, *host, "{input}");
    }
}

#[test]
fn an_outage_is_one_finding() {
    let calls: Vec<Call<'_>> =
        LOST.iter().zip(0..).map(|((input, kind, output, _), event)| lost(event, input, *kind, output)).collect();
    let found = of(&calls);
    let titles: Vec<String> = found.iter().map(|report| format!("{}: {}", report.kind, report.title)).collect();
    assert_eq!(found[0].occurrences as usize, LOST.len(), "{titles:#?}");
    assert!(found[0].direction.contains("several servers could not be reached"), "{}", found[0].direction);
    assert!(found[0].facets[0].distinct > 15, "the servers are named: {:?}", found[0].facets);
}

#[test]
fn a_server_of_this_machine_is_not_part_of_an_outage() {
    let refused = "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server";
    let reset = "curl: (56) Recv failure: Connection reset by peer";
    let found = of(&[
        lost(0, "curl https://a.example/", K::Network, "curl: (6) Could not resolve host: a.example"),
        lost(1, "curl http://localhost:3000/", K::Network, refused),
        lost(2, "curl http://127.0.0.1:4000/", K::Network, reset),
        lost(3, "curl https://b.example/", K::Network, reset),
    ]);
    let counts: Vec<(&str, u32)> = found.iter().map(|report| (report.kind, report.occurrences)).collect();
    assert_eq!(counts.iter().filter(|(kind, _)| *kind == "network").count(), 2, "{counts:?}");
    assert!(counts.contains(&("network", 2)) && counts.contains(&("connection_closed", 1)), "{counts:?}");
    // In another session nothing says that the network is down.
    let found = of(&[
        lost(0, "curl https://a.example/", K::Network, "curl: (6) Could not resolve host: a.example"),
        Call { session: 1, ..lost(1, "curl https://b.example/", K::Network, reset) },
    ]);
    assert_eq!(found.iter().filter(|report| report.kind == "connection_closed").count(), 1);
}

#[test]
fn what_only_looks_like_an_outage_is_none() {
    for (input, kind, output) in [
        ("pip install nopackage", K::Other, "ERROR: No matching distribution found for nopackage"),
        (
            "sudo make install",
            K::Other,
            "sudo: unable to resolve host box\nmake: *** No rule to make target 'install'.  Stop.",
        ),
        ("npx parcel build", K::Other, "Error: Failed to resolve './foo' from './src/index.js'"),
        ("npm test", K::Timeout, "Error: connect ECONNREFUSED 10.1.2.3:80\nCommand timed out after 2m 0s"),
        ("npm run build", K::CompileLint, "src/a.ts(1,2): error TS2304: Cannot find name 'ENOTFOUND'."),
        ("ssh a", K::Other, "Server 'x' has unknown host key, refusing"),
        (
            "go test ./...",
            K::TestFailure,
            "--- FAIL: TestDial (0.00s)\n    a_test.go:3: dial tcp: lookup nowhere: no such host\nFAIL",
        ),
        ("python a.py", K::Traceback, "Traceback (most recent call last):\nValueError: no such hostname pattern"),
        ("vite build", K::Other, "[vite]: Rollup failed to resolve import \"./a\" from \"src/b.ts\""),
    ] {
        let found = of(&[lost(0, input, kind, output)]);
        assert!(found.iter().all(|report| report.kind != "network"), "{input}: {}", found[0].title);
    }
}
