//! Packages of Python whose name is not that of the module that they bring. To add one, add a row.

/// The module, and the package that has it.
#[rustfmt::skip]
const PACKAGES: [(&str, &str); 33] = [
    ("yaml", "PyYAML"), ("cv2", "opencv-python"), ("PIL", "Pillow"), ("sklearn", "scikit-learn"), ("skimage", "scikit-image"),
    ("bs4", "beautifulsoup4"), ("dotenv", "python-dotenv"), ("dateutil", "python-dateutil"), ("Crypto", "pycryptodome"),
    ("jwt", "PyJWT"), ("git", "GitPython"), ("magic", "python-magic"), ("attr", "attrs"), ("OpenSSL", "pyOpenSSL"),
    ("docx", "python-docx"), ("pptx", "python-pptx"), ("fitz", "PyMuPDF"), ("MySQLdb", "mysqlclient"), ("serial", "pyserial"),
    ("usb", "pyusb"), ("nacl", "PyNaCl"), ("zmq", "pyzmq"), ("slugify", "python-slugify"), ("jose", "python-jose"),
    ("multipart", "python-multipart"), ("win32api", "pywin32"), ("win32com", "pywin32"), ("pkg_resources", "setuptools"),
    ("psycopg2", "psycopg2-binary"), ("rest_framework", "djangorestframework"), ("corsheaders", "django-cors-headers"),
    ("environ", "django-environ"), ("telegram", "python-telegram-bot"),
];

/// What is to be installed for these modules: `PyYAML` (which has `yaml`) and `requests`.
pub(crate) fn quoted(modules: &[&str]) -> String {
    let package = |module: &str| {
        let first = module.split('.').next().unwrap_or(module);
        match PACKAGES.iter().find(|(name, _)| *name == first) {
            Some((_, package)) => format!("`{package}` (which has `{module}`)"),
            None => format!("`{module}`"),
        }
    };
    modules.iter().map(|module| package(module)).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_with_another_name_than_its_module_is_named() {
        assert_eq!(quoted(&["yaml", "requests"]), "`PyYAML` (which has `yaml`) and `requests`");
        assert_eq!(quoted(&["PIL.Image"]), "`Pillow` (which has `PIL.Image`)");
        assert_eq!(quoted(&[]), "");
    }
}
