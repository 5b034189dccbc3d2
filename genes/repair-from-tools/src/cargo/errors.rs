//! Reads the Rust compiler's errors in packages of a registry.

/// An error in the source of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageError {
    /// The compiler's code, such as `E0282`.
    pub(super) code: String,
    /// Its message.
    pub(super) message: String,
    /// The package.
    pub(super) name: String,
    /// Its version.
    pub(super) version: String,
}

/// The first error of each code in each package, in the order of the output.
pub(super) fn errors(output: &str) -> Vec<PackageError> {
    let mut errors: Vec<PackageError> = Vec::new();
    let mut raised: Option<(&str, &str)> = None;
    for line in output.lines() {
        let text = line.trim();
        if let Some(error) = text.strip_prefix("error[").and_then(|rest| rest.split_once("]: ")) {
            raised = Some(error);
        } else if let Some(place) = text.strip_prefix("--> ")
            && let Some((code, message)) = raised.take()
            && let Some((name, version)) = package(&place.replace('\\', "/"))
        {
            let (code, message) = (code.to_owned(), message.to_owned());
            if !errors.iter().any(|known| known.code == code && known.name == name && known.version == version) {
                errors.push(PackageError { code, message, name, version });
            }
        }
    }
    errors
}

/// Name and version of the package that a place belongs to: `…/registry/src/INDEX/NAME-VERSION/…:83:9`.
fn package(place: &str) -> Option<(String, String)> {
    let (_, rest) = place.split_once("/registry/src/")?;
    let folder = rest.split('/').nth(1)?;
    let is_version = |text: &str| {
        let mut parts = text.splitn(3, '.');
        let number = |part: Option<&str>| part.is_some_and(|it| it.parse::<u64>().is_ok());
        number(parts.next())
            && number(parts.next())
            && parts.next().is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut parts = folder.match_indices('-').map(|(at, _)| (&folder[..at], &folder[at + 1..]));
    parts.find(|(_, version)| is_version(version)).map(|(name, version)| (name.to_owned(), version.to_owned()))
}
