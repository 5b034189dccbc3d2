// Types of the files of the gephost SDK for JavaScript and TypeScript: what `node:fs` has, by the same names.

type Encoding = 'utf8' | 'utf-8';
type WriteOptions = Encoding | { encoding?: Encoding; flag?: 'w' | 'wx' | 'a' | 'ax' };

/** A whole file: its bytes, or its text if an encoding is given. Text that is not UTF-8 is an error. */
export function readFileSync(path: string, options?: { encoding?: undefined }): Uint8Array;
export function readFileSync(path: string, options: Encoding | { encoding: Encoding }): string;

/** Writes a whole file. The flag `w` replaces the file, `a` adds to it, and `x` in a flag refuses one that is there. */
export function writeFileSync(path: string, data: string | Uint8Array, options?: WriteOptions): void;

/** Writes at the end of a file. */
export function appendFileSync(path: string, data: string | Uint8Array, options?: Encoding | { encoding?: Encoding }): void;

/** Whether there is a file or a folder. */
export function existsSync(path: string): boolean;

/** What is there; a link is followed. */
export function statSync(path: string, options?: { throwIfNoEntry?: true }): Stats;
export function statSync(path: string, options: { throwIfNoEntry: boolean }): Stats | undefined;

/** The same without following a link. */
export function lstatSync(path: string, options?: { throwIfNoEntry?: true }): Stats;
export function lstatSync(path: string, options: { throwIfNoEntry: boolean }): Stats | undefined;

/** The names in a folder, sorted. With `recursive`, those in its folders too, as paths from the folder. */
export function readdirSync(path: string, options?: { recursive?: boolean; withFileTypes?: false }): string[];
export function readdirSync(path: string, options: { recursive?: boolean; withFileTypes: true }): Dirent[];

/** Makes a folder. With `recursive`, its parents too, and one that is there is no error. */
export function mkdirSync(path: string, options?: { recursive?: boolean }): void;

/** Removes a file. */
export function unlinkSync(path: string): void;

/** Removes an empty folder. */
export function rmdirSync(path: string): void;

/** Removes a file, or with `recursive` a folder and what is in it. With `force`, nothing there is no error. */
export function rmSync(path: string, options?: { recursive?: boolean; force?: boolean }): void;

/** Moves a file or a folder. */
export function renameSync(from: string, to: string): void;

/** Copies a file. */
export function copyFileSync(from: string, to: string): void;

/** What a file is. */
export interface Stats {
  size: number;
  /** Time of the last change, in milliseconds since 1970. */
  mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** An entry of a folder. */
export interface Dirent {
  name: string;
  parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** What a function throws. */
export interface FileError extends Error {
  /** For example `ENOENT`. */
  code: string;
  syscall: string;
  path: string;
}

declare const fs: {
  readFileSync: typeof readFileSync;
  writeFileSync: typeof writeFileSync;
  appendFileSync: typeof appendFileSync;
  existsSync: typeof existsSync;
  statSync: typeof statSync;
  lstatSync: typeof lstatSync;
  readdirSync: typeof readdirSync;
  mkdirSync: typeof mkdirSync;
  unlinkSync: typeof unlinkSync;
  rmdirSync: typeof rmdirSync;
  rmSync: typeof rmSync;
  renameSync: typeof renameSync;
  copyFileSync: typeof copyFileSync;
};
export default fs;
