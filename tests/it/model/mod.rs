//! `--diagnose model`, against a server that answers what a test wants, and against a real model on this machine.

mod answers;
mod folder;
mod genes;
mod hostile;
mod keys;
mod real;

use std::sync::OnceLock;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::scripted::{Say, Scripted};
use serde_json::{Value, json};

use crate::scene;

/// A diff that repairs the quickstart.
const REPAIR: &str = "--- a/inventory/store.py\n+++ b/inventory/store.py\n@@ -1,6 +1,7 @@\n \"\"\"Keeps how many of each article there are.\"\"\"\n \n-from collections import Mapping, OrderedDict\n+from collections import OrderedDict\n+from collections.abc import Mapping\n \n \n class Store(Mapping):\n";

/// A quickstart whose user has named a model.
struct Scene {
    env: TestEnv,
    project: TestProject,
    server: Scripted,
}

impl Scene {
    fn new(script: impl IntoIterator<Item = Say>) -> Self {
        Self::with("", script)
    }

    /// With more lines in the table `[model]`.
    fn with(more: &str, script: impl IntoIterator<Item = Say>) -> Self {
        let (env, server) = (TestEnv::new(), Scripted::new(script));
        let project = scene::quickstart(&env, None);
        let scene = Self { env, project, server };
        scene.configure("openai", more);
        scene
    }

    fn configure(&self, api: &str, more: &str) {
        configure(
            &self.env,
            &format!("api = \"{api}\"\nendpoint = \"{}/v1\"\nname = \"m\"\n{more}", self.server.address),
        );
    }

    fn run(&self, arguments: &[&str]) -> (Value, i32) {
        self.env.json(self.project.root(), arguments)
    }

    /// A dry run with the model.
    fn dry(&self) -> (Value, i32) {
        self.run(&["run", "--diagnose", "model"])
    }
}

/// Writes the user's own config.
fn configure(env: &TestEnv, table: &str) {
    env.write_config(&format!("{}[model]\n{table}", gephost_tests::environment::trusting()));
}

/// An answer with one proposal for the quickstart's first finding.
fn answer(diff: &str) -> String {
    let finding = finding();
    json!({
        "summary": "Mapping has moved",
        "findings": [{ "id": finding, "hypothesis": "the name was removed from collections", "direction": "inventory/store.py" }],
        "proposals": [{
            "finding": finding, "title": "import Mapping from collections.abc", "objective": "the import works again",
            "evidence": ["ImportError"], "risk_level": "low", "unified_diff": diff,
            "tests_to_run": ["python3 -m unittest discover -s tests"], "rollback_plan": "revert",
        }],
    })
    .to_string()
}

/// The id that every run of the quickstart gives its first finding.
fn finding() -> &'static str {
    static FINDING: OnceLock<String> = OnceLock::new();
    FINDING.get_or_init(|| {
        let env = TestEnv::new();
        let (document, _) = env.json(scene::quickstart(&env, None).root(), &["diagnose"]);
        document["findings"][0]["id"].as_str().unwrap().to_owned()
    })
}
