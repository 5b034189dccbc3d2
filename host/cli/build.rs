//! Links the program with packed relative relocations, if this system's loader knows them.
//!
//! gephost starts itself once for each call of a gene, and each start applies tens of thousands of relocations. Packed, they
//! are 40 times smaller to read. glibc knows them since 2.36; other systems link as always.

#![expect(clippy::disallowed_methods, reason = "a build script reads the builder's machine, and is no part of gephost")]

fn main() {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_native = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    if is_native && target("OS") == "linux" && target("ENV") == "gnu" && glibc() >= Some((2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// The version of this system's glibc.
fn glibc() -> Option<(u32, u32)> {
    let output = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
