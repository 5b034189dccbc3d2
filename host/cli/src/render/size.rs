//! Sizes.

/// Bytes, as a person reads them.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut whole = bytes;
    let mut tenths = 0;
    let mut unit = "";
    for name in UNITS {
        if whole < 1024 {
            break;
        }
        tenths = whole % 1024 * 10 / 1024;
        whole /= 1024;
        unit = name;
    }
    format!("{whole}.{tenths} {unit}")
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_said_in_the_unit_that_fits() {
        for (bytes, said) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")]
        {
            assert_eq!(size(bytes), said);
        }
        assert_eq!(size(u64::MAX), "16777215.9 TiB");
    }
}
