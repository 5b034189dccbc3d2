//! What bash, cmd.exe, PowerShell and the C library say in other languages: the fixed part around the name. The texts are those of
//! their own translations.

use super::name::Name::{No, Said, Shown};
use super::name::Row;
use crate::cause::Cause::{Access, Path, Program};
use crate::output::vocabulary::Words;

/// Rows like those of the other topics. English is in the other files.
pub(super) const ROWS: &[Row] = &rows();

/// What shells say of a program that they do not find.
#[rustfmt::skip]
const PROGRAMS: &[Row] = &[
    // bash and zsh: `bash: x: orden no encontrada`. Each begins with two bytes that few lines have.
    (Program, "Kommando nicht gefunden", Said),
    (Program, "Befehl nicht gefunden", Said),
    (Program, "rden no encontrada", Said),
    (Program, "ommande introuvable", Said),
    (Program, "\u{e3}o encontrado", Said),
    (Program, "omando non trovato", Said),
    (Program, "команда не найдена", Said),
    (Program, "未找到命令", Said),
    (Program, "コマンドが見つかりません", Said),
    (Program, "znaleziono polecenia", Said),
    (Program, "komut yok", Said),
    // cmd.exe, whose letters with accents are often lost.
    (Program, " ist entweder falsch geschrieben oder", Shown),
    (Program, " no se reconoce como un comando interno", Shown),
    (Program, "'est pas reconnu en tant que commande interne", Shown),
    (Program, "nhecido como um comando interno", Shown),
    (Program, "iuto come comando interno", Shown),
    (Program, "не является внутренней или внешней", Shown),
    (Program, "不是内部或外部命令", Shown),
    (Program, "内部コマンドまたは外部コマンド", Shown),
    (Program, "jest rozpoznawana jako polecenie wewn", Shown),
    (Program, "\u{131}\u{15f} komut, ", Shown),
    // PowerShell, if its category is not shown.
    (Program, "wurde nicht als Name eines Cmdlet", Shown),
    (Program, " no se reconoce como nombre de un cmdlet", Shown),
    (Program, "'est pas reconnu comme nom d", Shown),
    (Program, "nhecido como nome de cmdlet", Shown),
    (Program, "iuto come nome di cmdlet", Shown),
    (Program, "не распознано как имя командлета", Shown),
    (Program, "项识别为 cmdlet", Shown),
    (Program, "は、コマンドレット、関数", Shown),
];

/// What the C library says of a path that is not there, and below that of one that may not be used.
const REASONS: [&str; 38] = [
    "Datei oder Verzeichnis nicht gefunden",
    "o existe el fichero o el directorio",
    "o existe el archivo o el directorio",
    "Aucun fichier ou dossier de ce",
    "rquivo ou diret\u{f3}rio inexistente",
    "Ficheiro ou pasta inexistente",
    "ile o directory non esistente",
    "Нет такого файла или каталога",
    "没有那个文件或目录",
    "そのようなファイルやディレクトリはありません",
    "Nie ma takiego pliku ani katalogu",
    "\u{f6}yle bir dosya ya da dizin yok",
    "Ist kein Verzeichnis",
    "o es un directorio",
    "'est pas un dossier",
    "\u{e8} una directory",
    "Это не каталог",
    "不是目录",
    "Nie jest katalogiem",
    "Keine Berechtigung",
    "ermiso denegado",
    "ermission non accord\u{e9}e",
    "ermiss\u{e3}o negada",
    "ermiss\u{e3}o recusada",
    "ermesso negato",
    "Отказано в доступе",
    "权限不够",
    "許可がありません",
    "Brak dost\u{119}pu",
    "\u{15f}im engellendi",
    "Zugriff verweigert",
    "cceso denegado",
    "cc\u{e8}s refus\u{e9}",
    "ccesso negato",
    "Acesso negado",
    "拒绝访问",
    "アクセスが拒否されました",
    "Odmowa dost",
];
/// How many of them are about a path that is not there.
const OF_PATHS: usize = 19;

const fn rows() -> [Row; PROGRAMS.len() + REASONS.len()] {
    let mut rows = [(Path, "", No); PROGRAMS.len() + REASONS.len()];
    let mut at = 0;
    while at < rows.len() {
        rows[at] = if at < PROGRAMS.len() {
            PROGRAMS[at]
        } else {
            let reason = at - PROGRAMS.len();
            (if reason < OF_PATHS { Path } else { Access }, REASONS[reason], No)
        };
        at += 1;
    }
    rows
}

/// What stands before the words with which a program says, in one of these languages, that it may not use a path, or that there is
/// none: `cat: a.txt` of `cat: a.txt: Permiso denegado`.
pub(crate) fn before_reason(line: &str) -> Option<&str> {
    static SAID: Words = Words::of(&REASONS);
    let before = line.get(..SAID.last_in(line)?)?;
    let (before, rest) = before.rsplit_once(':')?;
    (rest.trim().chars().count() <= LONGEST_START).then(|| before.trim_end())
}

/// The longest text between the colon and a known part, in characters: `N` of `N'est pas un dossier`.
const LONGEST_START: usize = 3;

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::cause::Cause;

    #[test]
    fn a_shell_says_in_any_language_that_a_program_is_missing() {
        for (line, name) in [
            ("bash: rg: orden no encontrada", "rg"),
            ("bash: Zeile 1: rg: Kommando nicht gefunden.", "rg"),
            ("bash: rg: Befehl nicht gefunden", "rg"),
            ("bash: ligne 1: rg\u{a0}: commande introuvable", "rg"),
            ("bash: linha 3: rg: comando não encontrado", "rg"),
            ("bash: rg: comando non trovato", "rg"),
            ("bash: строка 1: rg: команда не найдена", "rg"),
            ("bash: 行 1: rg: 未找到命令", "rg"),
            ("bash: 1 行: rg: コマンドが見つかりません", "rg"),
            ("bash: linia 1: rg: nie znaleziono polecenia", "rg"),
            ("bash: satır 1: rg: komut yok", "rg"),
            ("Der Befehl \"ls\" ist entweder falsch geschrieben oder", "ls"),
            ("\"ls\" no se reconoce como un comando interno o externo,", "ls"),
            ("'ls' n'est pas reconnu en tant que commande interne", "ls"),
            ("'ls' n\u{fffd}o \u{fffd} reconhecido como um comando interno", "ls"),
            ("\"ls\" non \u{e8} riconosciuto come comando interno o esterno,", "ls"),
            ("\"ls\" не является внутренней или внешней", "ls"),
            ("'ls' 不是内部或外部命令，也不是可运行的程序", "ls"),
            ("'ls' は、内部コマンドまたは外部コマンド、", "ls"),
            ("Nazwa 'ls' nie jest rozpoznawana jako polecenie wewnętrzne lub zewnętrzne,", "ls"),
            ("'ls' iç ya da dış komut, çalıştırılabilir", "ls"),
            ("Die Benennung \"ls\" wurde nicht als Name eines Cmdlet, einer Funktion erkannt.", "ls"),
            ("Le terme «ls» n'est pas reconnu comme nom d'applet de commande", "ls"),
            ("无法将“ls”项识别为 cmdlet、函数、脚本文件", "ls"),
        ] {
            let found = find(line).map(|found| (found.cause, found.name));
            assert_eq!(found, Some((Cause::Program, name)), "{line}");
        }
        for line in [
            "El comando terminó con un error",
            "Der Befehl wurde nicht ausgeführt",
            "la commande a échoué",
            "команда выполнена",
            "命令执行失败",
            "komut çalıştı",
            "comando eseguito",
            "wykonano polecenie",
            "コマンドを実行しました",
            "the entry is not there",
        ] {
            assert_eq!(find(line), None, "{line}");
        }
    }

    #[test]
    fn the_path_stands_before_the_reason_in_any_language() {
        for (line, before) in [
            ("cat: a.txt: No existe el fichero o el directorio", "cat: a.txt"),
            ("cat: a.txt: Datei oder Verzeichnis nicht gefunden", "cat: a.txt"),
            ("cat: a.txt: Aucun fichier ou dossier de ce nom", "cat: a.txt"),
            ("cat: a.txt: N'est pas un dossier", "cat: a.txt"),
            ("cat: a.txt: Nie ma takiego pliku ani katalogu", "cat: a.txt"),
            ("cat: a.txt: Böyle bir dosya ya da dizin yok", "cat: a.txt"),
            ("cat: a.txt: 没有那个文件或目录", "cat: a.txt"),
            ("ls: «a» öffnen: Keine Berechtigung", "ls: «a» öffnen"),
            ("mkdir: /a: Permiso denegado", "mkdir: /a"),
            ("mkdir: /a: Отказано в доступе", "mkdir: /a"),
        ] {
            assert_eq!(before_reason(line), Some(before), "{line}");
            assert!(matches!(find(line).map(|found| found.cause), Some(Cause::Path | Cause::Access)), "{line}");
        }
        for line in
            ["", "a: b", "No existe el fichero o el directorio", "e: die Datei ist da und hat keine Berechtigung"]
        {
            assert_eq!(before_reason(line), None, "{line}");
        }
    }
}
