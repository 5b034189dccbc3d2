//! The formats, and the files that have them.

/// A format that a configuration is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
    Toml,
}

impl Format {
    pub(super) fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    pub(super) fn globs(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["**/*.json"],
            Self::Yaml => &["**/*.yaml", "**/*.yml"],
            Self::Toml => &["**/*.toml"],
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
        }
    }
}
