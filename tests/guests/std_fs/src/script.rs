//! Each line of a script is an operation: a word and its arguments, separated by spaces. Its result is one line of the log.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::TcpStream;

use gephost_gene::log;

/// Runs a script, and returns how many proposals it asks for with `propose N`; without that line, one.
pub(crate) fn run(script: &str) -> usize {
    let mut proposals = 1;
    let mut held = Vec::new();
    for line in script.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["propose", count] = words.as_slice() {
            proposals = count.parse().unwrap_or(1);
            continue;
        }
        let result = match operation(&words, &mut held) {
            Ok(text) => text,
            Err(error) => format!("{:?}", error.kind()),
        };
        log::info(&format!("{line} => {result}"));
    }
    proposals
}

fn operation(words: &[&str], held: &mut Vec<fs::File>) -> io::Result<String> {
    let done = |result: io::Result<()>| result.map(|()| "done".to_owned());
    match *words {
        ["read", path] => fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        ["list", path] => list(path),
        ["write", path, text] => done(fs::write(path, text)),
        ["append", path, text] => {
            done(fs::OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(text.as_bytes())))
        }
        ["create-new", path] => fs::File::create_new(path).map(|_| "done".to_owned()),
        ["set-len", path, length] => {
            let length = length.parse().map_err(io::Error::other)?;
            done(fs::OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(length)))
        }
        ["write-at", path, offset, text] => {
            let offset = offset.parse().map_err(io::Error::other)?;
            let mut file = fs::OpenOptions::new().write(true).open(path)?;
            file.seek(SeekFrom::Start(offset))?;
            done(file.write_all(text.as_bytes()))
        }
        ["stat", path] => fs::metadata(path).map(|data| shown(&data)),
        ["lstat", path] => fs::symlink_metadata(path).map(|data| shown(&data)),
        ["readlink", path] => fs::read_link(path).map(|target| target.display().to_string()),
        ["unlink", path] => done(fs::remove_file(path)),
        ["rmdir", path] => done(fs::remove_dir(path)),
        ["rmtree", path] => done(fs::remove_dir_all(path)),
        ["mkdir", path] => done(fs::create_dir(path)),
        ["mkdirs", path] => done(fs::create_dir_all(path)),
        ["rename", from, to] => done(fs::rename(from, to)),
        ["link", from, to] => done(fs::hard_link(from, to)),
        ["copy", from, to] => fs::copy(from, to).map(|bytes| bytes.to_string()),
        ["unlinked-but-open", path] => unlinked(path),
        ["deep", root, depth] => deep(root, depth.parse().map_err(io::Error::other)?),
        ["hold", path, count] => hold(path, count.parse().map_err(io::Error::other)?, held),
        ["many", root, count] => many(root, count.parse().map_err(io::Error::other)?),
        ["environment"] => Ok(format!("{} {}", std::env::vars().count(), std::env::args().count())),
        ["stdin"] => io::stdin().read_to_end(&mut Vec::new()).map(|bytes| bytes.to_string()),
        ["connect", address] => TcpStream::connect(address).map(|_| "connected".to_owned()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn shown(data: &fs::Metadata) -> String {
    let kind = match data.file_type() {
        kind if kind.is_dir() => "directory",
        kind if kind.is_symlink() => "link",
        _ => "file",
    };
    format!("{kind} {}", data.len())
}

fn list(path: &str) -> io::Result<String> {
    let names: io::Result<Vec<String>> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect();
    Ok(names?.join(" "))
}

fn unlinked(path: &str) -> io::Result<String> {
    let mut file = fs::OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
    fs::remove_file(path)?;
    file.write_all(b"still here")?;
    file.seek(SeekFrom::Start(0))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(format!("{text} {}", fs::exists(path)?))
}

fn deep(root: &str, depth: usize) -> io::Result<String> {
    let mut path = root.to_owned();
    for level in 0..depth {
        path.push_str("/d");
        fs::create_dir(&path).map_err(|error| io::Error::new(error.kind(), format!("level {level}: {error}")))?;
    }
    Ok("done".to_owned())
}

/// Opens a file many times, and keeps every handle.
fn hold(path: &str, count: usize, held: &mut Vec<fs::File>) -> io::Result<String> {
    for _ in 0..count {
        held.push(fs::File::open(path)?);
    }
    Ok(held.len().to_string())
}

/// Creates and removes many files.
fn many(root: &str, count: usize) -> io::Result<String> {
    for number in 0..count {
        let path = format!("{root}/{number}");
        fs::write(&path, b"")?;
        fs::remove_file(&path)?;
    }
    Ok("done".to_owned())
}
