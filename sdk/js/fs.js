// Files for genes in JavaScript, with the functions and errors of `node:fs`. `fs.d.ts` has the types.
//
// A path is relative to /workspace, or begins with /workspace or /tmp. What a gene writes below /workspace is its change.

import preopens from 'wasi:filesystem/preopens@0.2.12';

import { decodeText, encodeText } from './gephost.js';

const CHUNK = 1 << 20;
const FOLLOW = { symlinkFollow: true };

/** A whole file: its bytes, or its text if an encoding is given. The only encoding is UTF-8. */
export function readFileSync(path, options) {
  const encoding = encodingOf(options);
  const bytes = opened('open', path, {}, { read: true }, (file) => {
    const parts = [];
    for (let at = 0, end = false; !end; ) {
      const [part, isEnd] = call('read', path, () => file.read(CHUNK, at));
      if (part.length > 0) parts.push(part);
      at += part.length;
      end = isEnd || part.length === 0;
    }
    return joined(parts);
  });
  return encoding ? decodeText(bytes) : bytes;
}

/** Writes a whole file. The flag `w` replaces the file, `a` adds to it, and `x` in a flag refuses one that is there. */
export function writeFileSync(path, data, options) {
  encodingOf(options);
  const flag = options?.flag ?? 'w';
  if (!/^[wa]x?$/.test(flag)) throw new TypeError(`unknown flag: ${flag}`);
  const bytes = typeof data === 'string' ? encodeText(data) : new Uint8Array(data.buffer ?? data, data.byteOffset, data.byteLength);
  const isAdded = flag.startsWith('a');
  const how = { create: true, exclusive: flag.endsWith('x'), truncate: !isAdded };
  opened('open', path, how, { write: true }, (file) => {
    let at = isAdded ? Number(call('stat', path, () => file.stat()).size) : 0;
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.slice(from, from + CHUNK);
      const written = Number(call('write', path, () => file.write(part, at)));
      from += written;
      at += written;
    }
  });
}

/** Writes at the end of a file. */
export function appendFileSync(path, data, options) {
  const more = typeof options === 'string' ? { encoding: options } : options;
  writeFileSync(path, data, { flag: 'a', ...more });
}

/** Whether there is a file or a folder. */
export function existsSync(path) {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** What is there; a link is followed. */
export function statSync(path, options) {
  return stat('stat', path, options, FOLLOW);
}

/** The same without following a link. */
export function lstatSync(path, options) {
  return stat('lstat', path, options, {});
}

/** The names in a folder, sorted. With `recursive`, those in its folders too, as paths from the folder. */
export function readdirSync(path, options) {
  const entries = entriesOf(path).map((entry) => new Dirent(entry, path));
  for (let at = 0; options?.recursive && at < entries.length; at++) {
    const folder = entries[at];
    if (!folder.isDirectory()) continue;
    const place = `${folder.parentPath}/${folder.name}`;
    entries.push(...entriesOf(place).map((entry) => new Dirent(entry, place)));
  }
  if (options?.withFileTypes) return entries;
  const below = `${path}/`.length;
  return entries.map((entry) => `${entry.parentPath}/${entry.name}`.slice(below)).sort();
}

/** Makes a folder. With `recursive`, its parents too, and one that is there is no error. */
export function mkdirSync(path, options) {
  if (!options?.recursive) return make(path);
  const names = path.split('/');
  for (let count = 1; count <= names.length; count++) {
    const folder = names.slice(0, count).join('/');
    if (folder === '' || existsSync(folder)) continue;
    make(folder);
  }
  if (!statSync(path).isDirectory()) throw failure('mkdir', path, 'exist');
}

/** Removes a file. */
export function unlinkSync(path) {
  const { folder, name } = placeOf('unlink', path);
  call('unlink', path, () => folder.unlinkFileAt(name));
}

/** Removes an empty folder. */
export function rmdirSync(path) {
  const { folder, name } = placeOf('rmdir', path);
  call('rmdir', path, () => folder.removeDirectoryAt(name));
}

/** Removes a file, or with `recursive` a folder and what is in it. With `force`, nothing there is no error. */
export function rmSync(path, options) {
  const found = lstatSync(path, { throwIfNoEntry: !options?.force });
  if (!found) return;
  if (!found.isDirectory()) return unlinkSync(path);
  if (!options?.recursive) throw failure('rm', path, 'is-directory');
  for (const name of readdirSync(path)) rmSync(`${path}/${name}`, { recursive: true });
  rmdirSync(path);
}

/** Moves a file or a folder. */
export function renameSync(from, to) {
  const [source, target] = [placeOf('rename', from), placeOf('rename', to)];
  call('rename', from, () => source.folder.renameAt(source.name, target.folder, target.name));
}

/** Copies a file. */
export function copyFileSync(from, to) {
  writeFileSync(to, readFileSync(from));
}

/** What a file is. */
class Stats {
  #type;

  constructor(found) {
    this.#type = found.type;
    this.size = Number(found.size);
    const changed = found.dataModificationTimestamp;
    this.mtimeMs = changed ? Number(changed.seconds) * 1000 + Math.floor(changed.nanoseconds / 1e6) : 0;
  }

  isFile() {
    return this.#type === 'regular-file';
  }

  isDirectory() {
    return this.#type === 'directory';
  }

  isSymbolicLink() {
    return this.#type === 'symbolic-link';
  }
}

/** An entry of a folder. */
class Dirent {
  #type;

  constructor(entry, parentPath) {
    this.name = entry.name;
    this.parentPath = parentPath;
    this.#type = entry.type;
  }

  isFile() {
    return this.#type === 'regular-file';
  }

  isDirectory() {
    return this.#type === 'directory';
  }

  isSymbolicLink() {
    return this.#type === 'symbolic-link';
  }
}

export default {
  readFileSync, writeFileSync, appendFileSync, existsSync, statSync, lstatSync, readdirSync, mkdirSync, unlinkSync, rmdirSync,
  rmSync, renameSync, copyFileSync,
};

// The names and words of Node.js for the errors of WASI.
const ERRORS = {
  access: ['EACCES', 'permission denied'],
  'bad-descriptor': ['EBADF', 'bad file descriptor'],
  busy: ['EBUSY', 'resource busy or locked'],
  exist: ['EEXIST', 'file already exists'],
  'file-too-large': ['EFBIG', 'file too large'],
  invalid: ['EINVAL', 'invalid argument'],
  io: ['EIO', 'i/o error'],
  'is-directory': ['EISDIR', 'illegal operation on a directory'],
  loop: ['ELOOP', 'too many symbolic links encountered'],
  'name-too-long': ['ENAMETOOLONG', 'name too long'],
  'no-entry': ['ENOENT', 'no such file or directory'],
  'not-directory': ['ENOTDIR', 'not a directory'],
  'not-empty': ['ENOTEMPTY', 'directory not empty'],
  'not-permitted': ['EPERM', 'operation not permitted'],
  unsupported: ['ENOTSUP', 'operation not supported'],
};

function failure(syscall, path, code) {
  const [name, words] = ERRORS[code] ?? ['EIO', String(code)];
  return Object.assign(new Error(`${name}: ${words}, ${syscall} '${path}'`), { code: name, syscall, path });
}

/** Calls the host. Its errors become those of Node.js. */
function call(syscall, path, action) {
  try {
    return action();
  } catch (error) {
    throw failure(syscall, path, codeOf(error));
  }
}

function codeOf(error) {
  if (typeof error === 'string') return error;
  return error?.payload ?? error?.message ?? error;
}

let folders;

/** The folder of the host below which a path is, and the rest of the path. */
function placeOf(syscall, path) {
  if (typeof path !== 'string') throw new TypeError('the path must be a string');
  folders ??= Object.fromEntries(preopens.getDirectories().map(([folder, name]) => [name, folder]));
  const [, top, rest] = /^\/+(tmp|workspace)(?:\/+(.*))?$/s.exec(path) ?? [null, 'workspace', path.replace(/^\/+/, '')];
  const folder = folders[`/${top}`];
  // There are no folders for a gene without the capability `workspace`.
  if (!folder) throw failure(syscall, path, 'access');
  return { folder, name: path === '' ? '' : rest || '.' };
}

/** Opens a file for the time of an action. */
function opened(syscall, path, how, flags, action) {
  const { folder, name } = placeOf(syscall, path);
  const file = call(syscall, path, () => folder.openAt(FOLLOW, name, how, flags));
  try {
    return action(file);
  } finally {
    file[Symbol.dispose]();
  }
}

function stat(syscall, path, options, follow) {
  const { folder, name } = placeOf(syscall, path);
  try {
    return new Stats(call(syscall, path, () => folder.statAt(follow, name)));
  } catch (error) {
    if (error.code === 'ENOENT' && options?.throwIfNoEntry === false) return undefined;
    throw error;
  }
}

/** The entries of a folder, sorted by name, as the host gives them. */
function entriesOf(path) {
  return opened('scandir', path, { directory: true }, { read: true }, (folder) => {
    const listing = call('scandir', path, () => folder.readDirectory());
    try {
      const entries = [];
      for (let entry; (entry = call('scandir', path, () => listing.readDirectoryEntry())); ) entries.push(entry);
      return entries;
    } finally {
      listing[Symbol.dispose]();
    }
  });
}

function make(path) {
  const { folder, name } = placeOf('mkdir', path);
  call('mkdir', path, () => folder.createDirectoryAt(name));
}

function encodingOf(options) {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  if (encoding && !/^utf-?8$/i.test(encoding)) throw new TypeError(`unknown encoding: ${encoding}`);
  return encoding;
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
