//! The client and the hub over a network that loses, cuts, delays and repeats what is sent: nothing is published twice,
//! nothing that was acknowledged is lost, and no command tries without end.
//!
//! turmoil would need a client and a hub on its own sockets. Both use those of the system, and the hub a database, so the
//! faults are made by a proxy between the real programs.

use std::collections::BTreeSet;

use gephost_tests::environment::TestEnv;
use gephost_tests::faulty_proxy::{Fault, FaultyProxy, count, plan};
use gephost_tests::hub::Hub;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use super::nodes::eligible;
use crate::scene::{python, quickstart};

/// Faults of each plan.
const FAULTS: usize = 14;
/// Most requests of one command: a hello, a message, a component and a recording that are uploaded, and the message after each.
const MOST: usize = 6;

/// A user behind a faulty network.
struct Behind<'a> {
    env: &'a TestEnv,
    project: &'a TestProject,
    proxy: FaultyProxy,
    /// What happened to all requests.
    log: Vec<(String, Fault)>,
}

impl<'a> Behind<'a> {
    fn new(env: &'a TestEnv, project: &'a TestProject, hub: &Hub, faults: &[Fault]) -> Self {
        let proxy = FaultyProxy::start(hub.url().trim_start_matches("http://"), faults);
        Self { env, project, proxy, log: Vec::new() }
    }

    /// Repeats a command until it succeeds, as a person would. Each fault makes at most one repetition necessary.
    fn until_done(&mut self, arguments: &[&str]) -> Value {
        let url = self.proxy.url();
        let arguments: Vec<&str> =
            ["a2a"].into_iter().chain(arguments.iter().copied()).chain(["--hub", &url]).collect();
        for _ in 0..=self.proxy.left() {
            let (document, code) = self.env.json(self.project.root(), &arguments);
            let log = self.proxy.take_log();
            assert!(log.len() <= MOST, "{arguments:?} made {} requests: {log:?}", log.len());
            let was_answered =
                log.iter().all(|(_, fault)| matches!(fault, Fault::None | Fault::Delayed | Fault::Twice));
            self.log.extend(log);
            if code == 0 {
                return document;
            }
            assert!(!was_answered, "{arguments:?} failed on a network that worked: {document}\n{:?}", self.log);
            let failed = &document["error"]["code"];
            assert!(
                *failed == json!("hub_unreachable") || *failed == json!("hub_answer"),
                "{document}\n{:?}",
                self.log
            );
        }
        panic!("{arguments:?} never succeeded: {:?}", self.log);
    }
}

#[test]
fn over_a_network_that_fails_everything_happens_once() {
    if !python() {
        return;
    }
    let (author, user) = (TestEnv::new(), TestEnv::new());
    let (project, capsule) = eligible(&author);
    let theirs = quickstart(&user, None);
    let mut met = BTreeSet::new();
    for seed in 1..=8 {
        let folder = tempfile::tempdir().unwrap();
        let hub = Hub::start(&author, folder.path(), &["--team"]);
        let mut publisher = Behind::new(&author, &project, &hub, &plan(seed, FAULTS));
        let published = publisher.until_done(&["publish", "--recording"]);
        let row = &published["published"][0];
        assert_eq!(row["capsule"], json!(capsule), "seed {seed}: {published}");
        let asset = row["asset_id"].as_str().unwrap().to_owned();
        let shown = hub.get(&format!("/a2a/assets/{asset}")).json();
        assert_eq!(shown["authenticated"], json!(true), "seed {seed}: the answer with the secret was lost: {shown}");
        // Once more: the client knows that it is there, and asks nobody.
        assert_eq!(publisher.until_done(&["publish"])["published"][0]["known"], json!(true), "seed {seed}");

        let mut reader = Behind::new(&user, &theirs, &hub, &plan(seed + 100, FAULTS));
        reader.until_done(&["report", &asset, "--held"]);
        let fetched = reader.until_done(&["fetch", &asset]);
        assert_eq!(fetched["missing"], json!([]), "seed {seed}: {fetched}");
        publisher.until_done(&["status"]);
        let stats = hub.get("/a2a/stats").json();
        assert_eq!((&stats["total_bundles"], &stats["total_nodes"]), (&json!(1), &json!(2)), "seed {seed}: {stats}");
        let nodes = hub.get("/a2a/nodes").json();
        let total: i64 =
            nodes["nodes"].as_array().unwrap().iter().filter_map(|node| node["total_published"].as_i64()).sum();
        assert_eq!(total, 1, "seed {seed}: {nodes:#}");
        let reports = hub.get(&format!("/a2a/validation-reports?asset_id={asset}")).json();
        assert_eq!(reports["count"], json!(1), "seed {seed}: {reports:#}");

        publisher.until_done(&["revoke", &asset, "--why", "a better one comes"]);
        // What was acknowledged stays, also if the hub is killed.
        let url = hub.kill();
        let hub = Hub::start(&author, &url, &["--team"]);
        assert_eq!(hub.get(&format!("/a2a/assets/{asset}")).json()["status"], json!("revoked"), "seed {seed}");
        met.extend(count(&publisher.log).into_keys().chain(count(&reader.log).into_keys()));
    }
    assert!(Fault::ALL.iter().all(|fault| met.contains(fault)), "not every fault happened: {met:?}");
}
