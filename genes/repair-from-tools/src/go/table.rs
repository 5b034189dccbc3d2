//! Packages of Go's standard library by name.

/// Import paths whose last part is the package's name and belongs to one package of the standard library only (so neither
/// `rand` nor `template`). Source: pkg.go.dev/std.
const PACKAGES: &[&str] = &[
    "archive/tar",
    "archive/zip",
    "bufio",
    "bytes",
    "cmp",
    "compress/bzip2",
    "compress/flate",
    "compress/gzip",
    "compress/zlib",
    "container/heap",
    "container/list",
    "container/ring",
    "context",
    "crypto/aes",
    "crypto/cipher",
    "crypto/ecdsa",
    "crypto/ed25519",
    "crypto/hmac",
    "crypto/md5",
    "crypto/rsa",
    "crypto/sha1",
    "crypto/sha256",
    "crypto/sha512",
    "crypto/subtle",
    "crypto/tls",
    "crypto/x509",
    "database/sql",
    "embed",
    "encoding/base32",
    "encoding/base64",
    "encoding/binary",
    "encoding/csv",
    "encoding/gob",
    "encoding/hex",
    "encoding/json",
    "encoding/pem",
    "encoding/xml",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go/ast",
    "go/format",
    "go/token",
    "hash/adler32",
    "hash/crc32",
    "hash/crc64",
    "hash/fnv",
    "hash/maphash",
    "html",
    "image",
    "image/color",
    "image/draw",
    "image/gif",
    "image/jpeg",
    "image/png",
    "io",
    "io/fs",
    "iter",
    "log",
    "log/slog",
    "maps",
    "math",
    "math/big",
    "math/bits",
    "math/cmplx",
    "mime",
    "mime/multipart",
    "net",
    "net/http",
    "net/http/cookiejar",
    "net/http/httptest",
    "net/http/httputil",
    "net/mail",
    "net/netip",
    "net/rpc",
    "net/smtp",
    "net/textproto",
    "net/url",
    "os",
    "os/exec",
    "os/signal",
    "os/user",
    "path",
    "path/filepath",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "runtime/debug",
    "slices",
    "sort",
    "strconv",
    "strings",
    "sync",
    "sync/atomic",
    "syscall",
    "testing",
    "testing/fstest",
    "testing/iotest",
    "testing/quick",
    "text/tabwriter",
    "time",
    "unicode",
    "unicode/utf16",
    "unicode/utf8",
    "unique",
    "unsafe",
];

/// The import path of the package with this name.
pub(super) fn package(name: &str) -> Option<&'static str> {
    PACKAGES.iter().copied().find(|path| path.rsplit('/').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_belongs_to_two_packages() {
        let mut names: Vec<&str> = PACKAGES.iter().filter_map(|path| path.rsplit('/').next()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(package("filepath"), Some("path/filepath"));
        assert_eq!(package("rand"), None);
    }
}
