//! Servers of their own: a crash in the middle, and encrypted connections.

use std::os::unix::fs::PermissionsExt;

use gephost_queue::{Added, End, open};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;

use crate::backend::{leased, long};
use crate::servers::{Server, nats, own, postgres};

/// What was accepted survives a server that is killed, and the handles that were open go on.
fn survives_a_crash(mut server: Server) {
    let url = server.fresh_url();
    let queue = open(&url, long()).unwrap();
    for key in ["done", "leased", "waits"] {
        assert_eq!(queue.add(key, key.as_bytes()).unwrap(), Added::New);
    }
    queue.put_blob("digest", b"blob").unwrap();
    let lease = leased(&*queue);
    assert!(queue.finish(&lease, b"result").unwrap());
    let lease = leased(&*queue);
    server.crash();
    assert_eq!(queue.end_of("done").unwrap(), Some(End::Done(b"result".to_vec())));
    assert!(queue.finish(&lease, b"later").unwrap(), "the lease still holds");
    let other = open(&url, long()).unwrap();
    assert_eq!(other.end_of("leased").unwrap(), Some(End::Done(b"later".to_vec())));
    assert_eq!(leased(&*other).key, "waits");
    assert_eq!(queue.add("done", b"").unwrap(), Added::Known);
    assert_eq!(queue.blob("digest").unwrap(), Some(b"blob".to_vec()));
}

#[test]
fn postgres_survives_a_crash() {
    postgres(&[]).into_iter().for_each(survives_a_crash);
}

#[test]
fn nats_survives_a_crash() {
    nats("").into_iter().for_each(survives_a_crash);
}

/// An authority, a second one, and a certificate for `localhost` that the first one signed.
fn certificates() -> TempDir {
    let folder = tempfile::Builder::new().prefix("gephost-queue-").tempdir().unwrap();
    let authority = || {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    };
    let (trusted, other, key) = (authority(), authority(), KeyPair::generate().unwrap());
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &trusted).unwrap();
    let files = [
        ("ca.pem", trusted.pem()),
        ("other.pem", other.pem()),
        ("server.pem", server.pem()),
        ("server.key", key.serialize_pem()),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(folder.path().join("server.key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    folder
}

/// A server is believed if the authority is trusted and the name is the one that was asked for, and not otherwise.
fn is_verified(files: &TempDir, url: impl Fn(&str, &str) -> String) {
    let root = |name: &str| format!("&sslrootcert={}", files.path().join(name).display());
    let queue = open(&url("localhost", &root("ca.pem")), long()).unwrap();
    assert_eq!(queue.add("a", b"").unwrap(), Added::New);
    for (host, root) in [("localhost", root("other.pem")), ("127.0.0.1", root("ca.pem")), ("localhost", String::new())]
    {
        let Err(error) = open(&url(host, &root), long()) else { panic!("{host} with {root} was believed") };
        let text = error.to_string();
        assert!(text.contains("certificate") || text.contains("UnknownIssuer"), "{text}");
    }
    for (name, text) in
        [("empty.pem", ""), ("garbage.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")]
    {
        std::fs::write(files.path().join(name), text).unwrap();
        assert!(open(&url("localhost", &root(name)), long()).is_err(), "{name}");
    }
    assert!(open(&url("localhost", &root("missing.pem")), long()).is_err());
}

#[test]
fn postgres_is_verified() {
    let files = certificates();
    let path = |name: &str| files.path().join(name).display().to_string();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    if std::os::unix::fs::MetadataExt::uid(&files.path().metadata().unwrap()) == 0 && postgres_is_a_user() {
        own(&files.path().join("server.key"));
    }
    let Some(server) = postgres(&[("ssl", "on"), ("ssl_cert_file", &certificate), ("ssl_key_file", &key)]) else {
        return;
    };
    for mode in ["require", "verify-full"] {
        let port = server.port();
        is_verified(&files, |host, root| {
            format!(
                "postgres://gephost:p%40ss%2Fword@{host}:{port}/postgres?queue={}&sslmode={mode}{root}",
                mode.replace('-', "_")
            )
        });
    }
}

fn postgres_is_a_user() -> bool {
    std::process::Command::new("id").arg("postgres").output().is_ok_and(|ran| ran.status.success())
}

#[test]
fn nats_is_verified() {
    let files = certificates();
    let path = |name: &str| files.path().join(name).display().to_string();
    let tls = format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}", path("server.pem"), path("server.key"));
    let url = |port| format!("tls://gephost:p%40ss%2Fword@localhost:{port}?sslrootcert={}", path("ca.pem"));
    let Some(server) = crate::servers::nats_at(&tls, url) else { return };
    let port = server.port();
    is_verified(&files, |host, root| format!("tls://gephost:p%40ss%2Fword@{host}:{port}?queue=x{root}"));
}
