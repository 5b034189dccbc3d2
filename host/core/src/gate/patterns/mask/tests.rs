use super::super::language::Language;
use super::*;
use crate::path::RepoPath;

fn read(path: &str, spoken: &[Language], text: &str) -> Option<Masked> {
    let path = RepoPath::new(path).expect("a plain path");
    Some(Reader::of(&path, spoken)?.mask(text))
}

fn code(text: &str, language: Language, extension: &str) -> Option<String> {
    Some(read(&format!("a.{extension}"), &[Language::Any, language], text)?.code)
}

#[test]
fn what_is_said_is_blank_and_what_runs_is_not() {
    for (language, extension, text, expected) in [
        (Language::Python, "py", "f('eval(x)') # eval(x)", "f('       ')          "),
        (Language::Python, "py", "\"\"\"Never\neval(x)\"\"\"\neval(x)", "\"\"\"     \n       \"\"\"\neval(x)"),
        (Language::Python, "py", "f'{eval(x)}' + 'eval(x)'", "f'{eval(x)}' + '       '"),
        (Language::Python, "py", "f'a {x[\"b\"]:>{w}} c' # d", "f'  {x[\" \"]:>{w}}  '    "),
        (Language::Python, "py", "f\"{x['\"\"\"\neval(x)", "f\"{x['\"\"\"\neval(x)"),
        (Language::Python, "py", "f'{x['a']}' # eval(x)", "f'{x['a']}' # eval(x)"),
        (Language::Python, "py", "f'{\n'a' + eval(x)}' # '", "f'{\n'a' + eval(x)}' # '"),
        (Language::Python, "py", "'a\\'eval(x)'", "'          '"),
        (Language::Python, "py", "'a\\\r\nb' ; eval(x) # '", "'  \r\n ' ; eval(x)    "),
        (Language::Python, "py", "# a\reval(x)", "   \reval(x)"),
        (Language::Python, "py", "'open\neval(x)'", "'open\neval(x)'"),
        (Language::Python, "py", "'''\n>>> eval(x)\n'''", "'''\n>>> eval(x)\n'''"),
        (Language::Python, "py", "\"\"\"\n# \"\"\"; eval(x)", "\"\"\"\n  \"\"\"; eval(x)"),
        (Language::JavaScript, "js", "a('eval(x)') // eval(x)", "a('       ')           "),
        (Language::JavaScript, "js", "/** eval(x) */ eval(x)", "               eval(x)"),
        (Language::JavaScript, "js", "/*\n// */ eval(x)", "  \n      eval(x)"),
        (Language::JavaScript, "js", "/\"/; eval(x); /\"/", "/ /; eval(x); / /"),
        (Language::JavaScript, "js", "`a${eval(`b${{c:1}}`)}d` + 'eval(x)'", "` ${eval(` ${{c:1}}`)} ` + '       '"),
        (Language::JavaScript, "js", "`\n// ${eval(x)}`", "`\n   ${eval(x)}`"),
        (Language::JavaScript, "js", "a / b /* c\n\" */ + eval(x) //\"", "a / b     \n     + eval(x)    "),
        (Language::JavaScript, "js", "a / \"\\\n\" + eval(x) + \"", "a / \" \n\" + eval(x) + \""),
        (Language::JavaScript, "js", "if (x) /['/]'/.test(eval(y)) // '", "if (x) /     /.test(eval(y))     "),
        (Language::JavaScript, "js", "f(x) / eval(y) / 1 // z", "f(x) / eval(y) / 1     "),
        (Language::JavaScript, "ts", "x! / eval(y) / 1 // z", "x! / eval(y) / 1 // z"),
        (Language::JavaScript, "js", "1./eval(x)/1", "1./eval(x)/1"),
        (Language::JavaScript, "js", "break a\n/`/; eval(x) //`", "break a\n/`/; eval(x) //`"),
        (
            Language::JavaScript,
            "js",
            "class A extends /'/.constructor { a = eval(x) } //'",
            "class A extends / /.constructor { a = eval(x) }    ",
        ),
        (Language::JavaScript, "js", "=\u{a0}/\"/; eval(x); \"", "=\u{a0}/\"/; eval(x); \""),
        (Language::JavaScript, "js", "#!a `\neval(x) // `", "#!a `\neval(x)     "),
        (Language::JavaScript, "js", "--> `\neval(x)\n--> `", "--> `\neval(x)\n--> `"),
        (Language::JavaScript, "js", "// a\u{2028}eval(x)", "    \u{2028}eval(x)"),
        (Language::JavaScript, "tsx", "// a\nx = <p>\n// {eval(y)}</p>", "    \nx = <p>\n   {eval(y)}</p>"),
        (
            Language::JavaScript,
            "tsx",
            "f(<A b='c' {...d}>it's {`${<B/>}x`} ok</A>); g('h') // i",
            "f(<A b=' ' {...d}>     {`${<B/>} `}   </A>); g(' ')     ",
        ),
        (Language::JavaScript, "jsx", "() => <><b/>don't</>; /'/", "() => <><b/>     </>; / /"),
        (Language::JavaScript, "tsx", "x = <T extends U>(a: T) => 'b' // c", "x = <T extends U>(a: T) => 'b' // c"),
        (Language::JavaScript, "tsx", "x = <T,>(a: T) => 'b'", "x = <T,>(a: T) => 'b'"),
        (Language::JavaScript, "js", "a < b > /'/ // c", "a < b > /'/ // c"),
        (Language::JavaScript, "jsx", "x = <p>a > b</p> // c", "x = <p>a > b</p> // c"),
        (Language::JavaScript, "jsx", "x = <p>a</p", "x = <p> </p"),
        (Language::Rust, "rs", "r#\"a\"b\"# + 'x' + '\"' + \"y\" // z", "r#\"   \"# + ' ' + ' ' + \" \"     "),
        (Language::Rust, "rs", "fn f<'a>(x: &'a str) { \"s\" }", "fn f<'a>(x: &'a str) { \" \" }"),
        (Language::Rust, "rs", "/* /* a */ b */ c", "                c"),
        (Language::Rust, "rs", "#!/x \"\nc(); // \"", "#!/x \"\nc();     "),
        (Language::Rust, "rs", "/// a\n/// ```\n/// b();\n/// ```\n/// c", "     \n/// ```\n/// b();\n       \n     "),
        (Language::Rust, "rs", "/// ```text\n/// b();\n/// ```", "           \n        \n       "),
        (Language::Go, "go", "`a\nb` + \"c\" + '\"' // d", "` \n ` + \" \" + ' '     "),
    ] {
        assert_eq!(code(text, language, extension).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn comments_that_begin_with_a_hash() {
    use Language::{Any, Dockerfile, Shell, Yaml};
    for (path, spoken, text, expected) in [
        ("a.sh", &[Any, Shell][..], "# a\nb # c\n", "   \nb    \n"),
        ("a.sh", &[Any, Shell], "b#c \"$#\" ${x#y} # d", "b#c \"$#\" ${x#y}    "),
        ("a.sh", &[Any, Shell], "# don't\nx='\n# '; c", "       \nx='\n# '; c"),
        ("a.sh", &[Any, Shell], "echo \"$(a \"b\")\" # it's\n# d'", "echo \"$(a \"b\")\"       \n    "),
        ("a.sh", &[Any, Shell], "echo \"\n# \"; c", "echo \"\n# \"; c"),
        ("a.sh", &[Any, Shell], "cat <<E | sh\n# $(c)\nE\n# d", "cat <<E | sh\n# $(c)\nE\n   "),
        ("a.sh", &[Any, Shell], "$((1<<E)) \"\nE\n# \"; c", "$((1<<E)) \"\nE\n# \"; c"),
        ("a.sh", &[Any, Shell], "a\\\n#; c", "a\\\n#; c"),
        ("a.fish", &[Any, Shell], "# a", "-"),
        ("a.yml", &[Any, Yaml], "a: b # c\n# don't\nd: 'e # f'", "a: b    \n       \nd: 'e # f'"),
        ("a.yml", &[Any, Yaml], "a: |\n  # b $c\n  # d\n# e", "a: |\n  # b $c\n     \n   "),
        ("a.yml", &[Any, Yaml], "a: \"\n# \"; b", "a: \"\n# \"; b"),
        ("Dockerfile", &[Any, Dockerfile, Shell], "# don't\nRUN a \\\n# b\n c", "       \nRUN a \\\n   \n c"),
        ("Dockerfile", &[Any, Dockerfile, Shell], "RUN <<E\n# $(b)\nE", "RUN <<E\n# $(b)\nE"),
        ("Makefile", &[Any, Shell], "# a\n\t# $(shell b)\n# c \\\nd", "   \n\t# $(shell b)\n# c \\\nd"),
        ("Jenkinsfile", &[Any, Shell], "# a", "-"),
        ("a.rb", &[Any], "# a", "-"),
    ] {
        let found = read(path, spoken, text).map(|masked| masked.plain);
        assert_eq!(found.as_deref().unwrap_or("-"), expected, "{path}: {text}");
    }
}

#[test]
fn mixed_files_are_left_alone() {
    assert_eq!(code("'a'", Language::JavaScript, "vue"), None);
    assert_eq!(code("'a'", Language::Python, "ipynb"), None);
    assert!(read("a", &[Language::Any, Language::Python, Language::Shell], "'a'").is_none());
}

proptest::proptest! {
    #[test]
    fn nothing_makes_it_panic_and_lines_stay(text in "[a'\"`/*#\\\\{}()$rf<é\u{2028}\r\n>]{0,40}") {
        for (path, spoken) in [
            ("a.py", &[Language::Any, Language::Python][..]),
            ("a.js", &[Language::Any, Language::JavaScript]),
            ("a.ts", &[Language::Any, Language::JavaScript]),
            ("a.rs", &[Language::Any, Language::Rust]),
            ("a.go", &[Language::Any, Language::Go]),
            ("a.sh", &[Language::Any, Language::Shell]),
            ("Makefile", &[Language::Any, Language::Shell]),
            ("Dockerfile", &[Language::Any, Language::Dockerfile, Language::Shell]),
            ("a.yml", &[Language::Any, Language::Yaml]),
        ] {
            if let Some(masked) = read(path, spoken, &text) {
                for view in [&masked.code, &masked.plain] {
                    proptest::prop_assert_eq!(view.len(), text.len());
                    proptest::prop_assert_eq!(view.split('\n').count(), text.split('\n').count());
                }
                proptest::prop_assert!(masked.sure <= text.len());
            }
        }
    }
}
