//! TLS for PostgreSQL: rustls on ring. The server's certificate and name are always verified.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::QueueError;

/// Makes TLS connections that trust certain authorities.
#[derive(Clone)]
pub(crate) struct Connector(Arc<ClientConfig>);

impl Connector {
    /// Trusts the authorities of a PEM file or, without one, those of the operating system.
    pub(crate) fn new(root: Option<&Path>) -> Result<Self, QueueError> {
        let mut store = RootCertStore::empty();
        match root {
            None => {
                store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            Some(path) => {
                let unusable =
                    |error: &dyn std::error::Error| QueueError::of(&format!("sslrootcert {}", path.display()), error);
                for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unusable(&error))? {
                    let certificate = certificate.map_err(|error| unusable(&error))?;
                    store.add(certificate).map_err(|error| unusable(&error))?;
                }
            }
        }
        if store.is_empty() {
            return Err(QueueError(
                "there is no certificate authority to trust: name a PEM file with sslrootcert=FILE".to_owned(),
            ));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| QueueError::of("TLS", &error))?
            .with_root_certificates(store)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Tls;
    type TlsConnect = Handshake;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Handshake, Self::Error> {
        Ok(Handshake(self.clone(), ServerName::try_from(domain)?.to_owned()))
    }
}

/// A handshake to come, with the name that the server must prove.
pub(crate) struct Handshake(Connector, ServerName<'static>);

impl TlsConnect<Socket> for Handshake {
    type Stream = Tls;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Tls>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let Self(Connector(config), name) = self;
        Box::pin(async move {
            let stream = tokio_rustls::TlsConnector::from(config).connect(name, socket).await?;
            Ok(Tls(Box::new(stream)))
        })
    }
}

/// An encrypted connection.
pub(crate) struct Tls(Box<tokio_rustls::client::TlsStream<Socket>>);

impl TlsStream for Tls {
    /// None: the certificate was verified already, and its hash would need a parser of certificates.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Tls {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Tls {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
