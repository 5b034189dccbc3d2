// Files for genes in AssemblyScript, which has no functions for them: by WASI 0.1, which `gephost gene pack` adapts to the
// host. A path is relative to /workspace, or begins with /workspace or /tmp. What a gene writes below /workspace is its
// change. No function traps: if one fails, `errorCode` returns why.

@external("wasi_snapshot_preview1", "path_open")
declare function pathOpen(folder: i32, follow: i32, path: usize, length: i32, how: i32, rights: u64, inherited: u64, flags: i32, fd: usize): i32;
@external("wasi_snapshot_preview1", "fd_read")
declare function fdRead(fd: i32, buffers: usize, count: i32, read: usize): i32;
@external("wasi_snapshot_preview1", "fd_write")
declare function fdWrite(fd: i32, buffers: usize, count: i32, written: usize): i32;
@external("wasi_snapshot_preview1", "fd_readdir")
declare function fdReaddir(fd: i32, buffer: usize, size: i32, after: u64, used: usize): i32;
@external("wasi_snapshot_preview1", "fd_close")
declare function fdClose(fd: i32): i32;
@external("wasi_snapshot_preview1", "path_filestat_get")
declare function pathStat(folder: i32, follow: i32, path: usize, length: i32, stat: usize): i32;
@external("wasi_snapshot_preview1", "path_create_directory")
declare function pathMkdir(folder: i32, path: usize, length: i32): i32;
@external("wasi_snapshot_preview1", "path_unlink_file")
declare function pathUnlink(folder: i32, path: usize, length: i32): i32;
@external("wasi_snapshot_preview1", "path_remove_directory")
declare function pathRmdir(folder: i32, path: usize, length: i32): i32;
@external("wasi_snapshot_preview1", "path_rename")
declare function pathRename(folder: i32, path: usize, length: i32, toFolder: i32, to: usize, toLength: i32): i32;

// How a file is opened, and which rights that needs.
const CREATE = 1;
const DIRECTORY = 2;
const TRUNCATE = 8;
const APPEND = 1;
const READ: u64 = 1 << 1;
const READ_DIRECTORY: u64 = 1 << 14;
const WRITE: u64 = 1 << 6;

// Numbers of errors.
const BAD_DESCRIPTOR = 8;
const NO_ENTRY = 44;
const CHUNK = 65536;

let lastError = 0;

/** Why the last function failed, as Node.js names it, for example `ENOENT`; empty if it did not fail. */
export function errorCode(): string {
  switch (lastError) {
    case 0: return "";
    case 2: case 63: return "EPERM";
    // There are no folders for a gene without the capability `workspace`.
    case BAD_DESCRIPTOR: case 76: return "EACCES";
    case 20: return "EEXIST";
    case 22: return "EFBIG";
    case 31: return "EISDIR";
    case 32: return "ELOOP";
    case 37: return "ENAMETOOLONG";
    case NO_ENTRY: return "ENOENT";
    case 54: return "ENOTDIR";
    case 55: return "ENOTEMPTY";
    case 58: return "ENOTSUP";
    case 29: return "EIO";
    default: return "EINVAL";
  }
}

/** What a file is. */
export class Stat {
  constructor(public size: u64, public isDirectory: bool) {}

  get isFile(): bool {
    return !this.isDirectory;
  }
}

/** A whole file as text; null if it cannot be read. */
export function readFile(path: string): string | null {
  const bytes = readBytes(path);
  return bytes === null ? null : String.UTF8.decode(bytes);
}

/** A whole file as bytes; null if it cannot be read. */
export function readBytes(path: string): ArrayBuffer | null {
  const fd = open(path, 0, READ, 0);
  if (fd < 0) return null;
  const bytes: u8[] = [];
  const chunk = new ArrayBuffer(CHUNK);
  const buffer = list(changetype<usize>(chunk), CHUNK);
  const read = heap.alloc(4);
  while (did(fdRead(fd, buffer, 1, read))) {
    const count = load<i32>(read);
    if (count == 0) break;
    const at = bytes.length;
    bytes.length = at + count;
    memory.copy(bytes.dataStart + at, changetype<usize>(chunk), count);
  }
  const error = lastError;
  fdClose(fd);
  lastError = error;
  return error == 0 ? bytes.buffer.slice(0, bytes.length) : null;
}

/** Writes a whole file. The file that was there is replaced. */
export function writeFile(path: string, text: string): bool {
  return write(path, String.UTF8.encode(text), CREATE | TRUNCATE, 0);
}

/** Writes a whole file of bytes. */
export function writeBytes(path: string, bytes: ArrayBuffer): bool {
  return write(path, bytes, CREATE | TRUNCATE, 0);
}

/** Writes at the end of a file. */
export function appendFile(path: string, text: string): bool {
  return write(path, String.UTF8.encode(text), CREATE, APPEND);
}

/** Whether there is a file or a folder. */
export function exists(path: string): bool {
  return stat(path) !== null;
}

/** What is there; null if there is nothing. */
export function stat(path: string): Stat | null {
  const place = Place.of(path);
  const found = heap.alloc(64);
  if (!did(pathStat(place.folder, 1, place.path, place.length, found))) return null;
  return new Stat(load<u64>(found, 32), load<u8>(found, 16) == 3);
}

/** The names in a folder, sorted; null if it cannot be read. */
export function readdir(path: string): string[] | null {
  const fd = open(path, DIRECTORY, READ_DIRECTORY, 0);
  if (fd < 0) return null;
  const names: string[] = [];
  const buffer = heap.alloc(CHUNK);
  const used = heap.alloc(4);
  let after: u64 = 0;
  let isWhole = true;
  while (isWhole && did(fdReaddir(fd, buffer, CHUNK, after, used))) {
    const end = load<i32>(used);
    // A full buffer may end in the middle of an entry, which is then asked for again.
    isWhole = end == CHUNK;
    for (let at = 0; at + 24 <= end; ) {
      const length = load<i32>(buffer + at, 16);
      if (at + 24 + length > end) break;
      const name = String.UTF8.decodeUnsafe(buffer + at + 24, length);
      if (name != "." && name != "..") names.push(name);
      after = load<u64>(buffer + at);
      at += 24 + length;
    }
  }
  const error = lastError;
  fdClose(fd);
  lastError = error;
  return error == 0 ? names.sort() : null;
}

/** Makes a folder. The folder that it is in must be there. */
export function mkdir(path: string): bool {
  const place = Place.of(path);
  return did(pathMkdir(place.folder, place.path, place.length));
}

/** Removes a file. */
export function unlink(path: string): bool {
  const place = Place.of(path);
  return did(pathUnlink(place.folder, place.path, place.length));
}

/** Removes an empty folder. */
export function rmdir(path: string): bool {
  const place = Place.of(path);
  return did(pathRmdir(place.folder, place.path, place.length));
}

/** Moves a file or a folder. */
export function rename(from: string, to: string): bool {
  const place = Place.of(from);
  const target = Place.of(to);
  return did(pathRename(place.folder, place.path, place.length, target.folder, target.path, target.length));
}

/** A path as WASI takes it: from a folder that the gene has from the beginning. */
class Place {
  private constructor(public folder: i32, private text: ArrayBuffer) {}

  /** The folders have numbers in the order in which the host lists them: /workspace, /tmp, and / which is /workspace. */
  static of(path: string): Place {
    if (path == "/tmp" || path.startsWith("/tmp/")) return new Place(4, below(path, 4));
    if (path == "/workspace" || path.startsWith("/workspace/")) return new Place(3, below(path, 10));
    return new Place(3, below(path, 0));
  }

  get path(): usize {
    return changetype<usize>(this.text);
  }

  get length(): i32 {
    return this.text.byteLength;
  }
}

/** The path without a beginning of this length, and without slashes before the rest. */
function below(path: string, beginning: i32): ArrayBuffer {
  let at = beginning;
  while (at < path.length && path.charCodeAt(at) == 0x2f) at++;
  // An empty path is an error of the gene's, but a folder itself is not.
  return String.UTF8.encode(at < path.length ? path.substring(at) : path.length == 0 ? "" : ".");
}

function did(error: i32): bool {
  lastError = error;
  return error == 0;
}

function open(path: string, how: i32, rights: u64, flags: i32): i32 {
  const place = Place.of(path);
  const fd = heap.alloc(4);
  return did(pathOpen(place.folder, 1, place.path, place.length, how, rights, 0, flags, fd)) ? load<i32>(fd) : -1;
}

function write(path: string, bytes: ArrayBuffer, how: i32, flags: i32): bool {
  const fd = open(path, how, WRITE, flags);
  if (fd < 0) return false;
  const written = heap.alloc(4);
  let at = 0;
  while (at < bytes.byteLength && did(fdWrite(fd, list(changetype<usize>(bytes) + at, bytes.byteLength - at), 1, written))) {
    at += load<i32>(written);
  }
  const error = lastError;
  fdClose(fd);
  return did(error);
}

/** A list of one buffer. */
function list(data: usize, length: i32): usize {
  const buffers = heap.alloc(8);
  store<usize>(buffers, data);
  store<i32>(buffers, length, 4);
  return buffers;
}
