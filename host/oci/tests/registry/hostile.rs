//! Servers that lie, send too much, or lead elsewhere.

use gephost_core::recording::Digest;
use gephost_oci::{Component, Credentials, OciError, Registry};
use serde_json::{Value, json};

use crate::exchange::{LIMIT, reference, registry};
use crate::scripted::{Answer, Asked, Scripted};

const GENE: &[u8] = b"a component";

fn descriptor(bytes: &[u8], media_type: &str) -> Value {
    json!({ "mediaType": media_type, "digest": Digest::of(bytes).to_string(), "size": bytes.len() })
}

fn manifest() -> Value {
    json!({
        "schemaVersion": 2,
        "config": descriptor(b"{}", "application/vnd.wasm.config.v0+json"),
        "layers": [descriptor(GENE, "application/wasm")],
    })
}

/// A server with one component, whose answers `change` may replace.
fn server(change: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Scripted {
    Scripted::start(move |asked| {
        let usual = || match asked.line.split('/').nth(3) {
            Some("manifests") if asked.line.ends_with("/latest") => Answer::new(200, manifest().to_string()),
            Some("blobs") => Answer::new(200, GENE),
            _ => Answer::new(404, "nothing"),
        };
        change(asked).unwrap_or_else(usual)
    })
}

fn named(server: &Scripted) -> String {
    format!("oci://127.0.0.1:{}/gene", server.port)
}

fn pull(server: &Scripted) -> Result<Vec<u8>, OciError> {
    registry(&named(server)).pull(LIMIT).map(|pulled| pulled.bytes)
}

/// The answer to requests whose line has this part.
fn at(part: &'static str, answer: impl Fn() -> Answer + Send + Sync + 'static) -> Scripted {
    server(move |asked| asked.line.contains(part).then(&answer))
}

#[test]
fn the_usual_answers_are_a_component() {
    assert_eq!(pull(&server(|_| None)).unwrap(), GENE);
}

#[test]
fn other_bytes_than_those_of_the_digest_are_refused() {
    assert!(matches!(pull(&at("/blobs/", || Answer::new(200, "b component"))), Err(OciError::Digest { .. })));
    assert!(matches!(pull(&at("/blobs/", || Answer::new(200, "a"))), Err(OciError::Digest { .. })));
    let absent = Digest::of(b"another manifest");
    let lying = at("/manifests/sha256:", || Answer::new(200, manifest().to_string()));
    let by_digest = Registry::new(&reference(&named(&lying)).at(absent), Credentials::Anonymous);
    assert!(matches!(by_digest.pull(LIMIT), Err(OciError::Digest { .. })));
    let stores = at("/", || Answer::new(201, "").with("docker-content-digest", Digest::of(b"x").to_string()));
    let component = Component { bytes: GENE, imports: &[], exports: &[], envelope: None };
    assert!(registry(&named(&stores)).push(&component).is_err(), "it stores something else");
}

#[test]
fn no_answer_is_read_beyond_its_bound() {
    let more = || Answer::new(200, [GENE, &vec![0; 100_000]].concat());
    assert!(matches!(pull(&at("/blobs/", more)), Err(OciError::TooLarge { limit: 11, .. })));
    let large = || Answer::new(200, " ".repeat(5 << 20));
    assert!(matches!(pull(&at("/manifests/latest", large)), Err(OciError::TooLarge { .. })));
    assert!(matches!(pull(&at("/referrers/", large)), Err(OciError::TooLarge { .. })));
    let token = |port: u16| format!("Bearer realm=\"http://127.0.0.1:{port}/token\"");
    let tokens = Scripted::start(move |_| large());
    let port = tokens.port;
    let asks = at("/manifests/latest", move || Answer::new(401, "").with("www-authenticate", token(port)));
    assert!(matches!(pull(&asks), Err(OciError::TooLarge { .. })));
    let Err(OciError::Status { said, .. }) =
        pull(&at("/manifests/latest", || Answer::new(500, "x\u{1b}[2J ".repeat(9999))))
    else {
        panic!("an error of the server")
    };
    assert!(said.len() <= 500 && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn a_broken_referrer_is_an_error_and_a_foreign_one_is_passed_over() {
    let list = |manifest: &Value| {
        let mut one = descriptor(manifest.to_string().as_bytes(), "application/vnd.oci.image.manifest.v1+json");
        one["artifactType"] = "application/vnd.dsse.envelope.v1+json".into();
        json!({ "manifests": [one] }).to_string()
    };
    let referrer = |subject: &[u8]| {
        json!({
            "config": descriptor(b"{}", "application/vnd.oci.empty.v1+json"),
            "layers": [descriptor(GENE, "application/vnd.dsse.envelope.v1+json")],
            "subject": descriptor(subject, "application/vnd.oci.image.manifest.v1+json"),
        })
    };
    let with = move |one: Value, served: Value| {
        let server = server(move |asked| {
            let is_list = asked.line.contains("/referrers/");
            let is_one = asked.line.contains("/manifests/sha256:");
            let listed = || Answer::new(200, list(&one));
            let of_one = || is_one.then(|| Answer::new(200, served.to_string()));
            if is_list { Some(listed()) } else { of_one() }
        });
        registry(&named(&server)).pull(LIMIT).map(|pulled| pulled.envelopes)
    };
    let (own, foreign) = (referrer(manifest().to_string().as_bytes()), referrer(b"something else"));
    assert_eq!(with(own.clone(), own.clone()).unwrap(), [GENE]);
    assert_eq!(with(foreign.clone(), foreign.clone()).unwrap(), Vec::<Vec<u8>>::new());
    assert!(matches!(with(own, foreign), Err(OciError::Digest { .. })));
}

#[test]
fn redirects_are_followed_on_this_machine_and_without_credentials() {
    let store = Scripted::start(|_| Answer::new(200, GENE));
    let to = format!("http://127.0.0.1:{}/store", store.port);
    let redirects = at("/blobs/", move || Answer::new(307, "").with("location", to.clone()));
    let with_token = Registry::new(&reference(&named(&redirects)), Credentials::Token("t0ken".to_owned()));
    assert_eq!(with_token.pull(LIMIT).unwrap().bytes, GENE);
    assert_eq!(store.asked()[0].authorization, None);
    let asked = redirects.asked();
    assert!(asked.iter().all(|asked| asked.authorization.as_deref() == Some("Bearer t0ken")), "{asked:?}");

    for to in [
        "http://registry.example/blob",
        "http://10.0.0.1/blob",
        "http://me@127.0.0.1/blob",
        "ftp://127.0.0.1/blob",
        "//127.0.0.1/blob",
        "file:///etc/passwd",
        "",
    ] {
        let leads = at("/blobs/", move || Answer::new(302, "").with("location", to));
        assert!(matches!(pull(&leads), Err(OciError::Address(_))), "{to:?}");
    }
    let circle = at("/blobs/", || Answer::new(302, "").with("location", "/v2/gene/blobs/again"));
    assert!(matches!(pull(&circle), Err(OciError::Address(_))));
}

#[test]
fn a_registry_that_is_not_on_this_machine_is_asked_with_tls_only() {
    // Whoever answers on this port speaks no TLS; the name is one that always leads to this machine.
    let plain = server(|_| None);
    let elsewhere = format!("oci://gene.localhost:{}/gene", plain.port);
    assert!(matches!(registry(&elsewhere).pull(LIMIT), Err(OciError::Network(_))));
    assert!(plain.asked().iter().all(|asked| !asked.line.contains("/v2/")), "{:?}", plain.asked());
}

#[test]
fn credentials_go_to_whom_the_registry_names_and_only_if_it_asks() {
    let me = || Credentials::Basic { user: "me".to_owned(), password: "secret".to_owned() };
    let basic = Some("Basic bWU6c2VjcmV0");
    let open = server(|_| None);
    assert!(Registry::new(&reference(&named(&open)), me()).pull(LIMIT).is_ok());
    assert!(open.asked().iter().all(|asked| asked.authorization.is_none()), "nobody asked for them");

    let tokens = Scripted::start(|_| Answer::new(200, r#"{"token":"t0ken"}"#));
    let realm = format!("Bearer realm=\"http://127.0.0.1:{}/token\",service=\"r\"", tokens.port);
    let closed = server(move |asked| {
        let is_known = asked.authorization.as_deref() == Some("Bearer t0ken");
        (!is_known).then(|| Answer::new(401, "who?").with("www-authenticate", realm.clone()))
    });
    assert!(Registry::new(&reference(&named(&closed)), me()).pull(LIMIT).is_ok());
    let [asked] = &tokens.asked()[..] else { panic!("one token is enough: {:?}", tokens.asked()) };
    assert_eq!(asked.authorization.as_deref(), basic);
    assert!(
        asked.line.contains("scope=repository%3Agene%3Apull%2Cpush") && asked.line.contains("service=r"),
        "{asked:?}"
    );

    let wants_basic = server(|asked| {
        let is_known = asked.authorization.is_some();
        (!is_known).then(|| Answer::new(401, "who?").with("www-authenticate", "Basic realm=\"r\""))
    });
    assert!(Registry::new(&reference(&named(&wants_basic)), me()).pull(LIMIT).is_ok());
    assert!(matches!(pull(&wants_basic), Err(OciError::Unauthenticated(said)) if said == "who?"));

    for realm in ["http://tokens.example/t", "http://169.254.169.254/latest", "x", "https://me@tokens.example/t"] {
        let leads = at("/manifests/", move || {
            Answer::new(401, "").with("www-authenticate", format!("Bearer realm=\"{realm}\""))
        });
        let refused = Registry::new(&reference(&named(&leads)), me()).pull(LIMIT);
        assert!(matches!(refused, Err(OciError::Address(_))), "{realm}: {refused:?}");
    }
    let never = at("/manifests/", || Answer::new(403, "no"));
    assert!(matches!(pull(&never), Err(OciError::Unauthenticated(said)) if said == "no"));
}
