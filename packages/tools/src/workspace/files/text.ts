import type { FileHandle } from "node:fs/promises";
import { unfit } from "./refused.ts";
import type { Place } from "./workspace.ts";

export interface FileText {
  readonly text: string;
  readonly bytes: number;
  /** Whether the file was not UTF-8. Parts that could not be read are U+FFFD. */
  readonly lossy: boolean;
  /** The number of names of the file. More than one means hard links. */
  readonly links: number;
  /** The identity and state of the file. */
  readonly state: string;
  readonly mode: number;
}

// Text files have no zero byte near their beginning.
const LOOKED_AT = 8_192;
const CHUNK = 256 * 1024;

/** Reads a file as text. Throws the errors of `Folder.read`, and BYLAW_FILE_UNFIT if it is too large or binary. */
export async function readText(place: Place, limit: number): Promise<FileText> {
  const found = await readIfText(place, limit);
  if (found === undefined) throw unfit(place.path, "is a binary file");
  return found;
}

/** Reads a file as text. Undefined for a binary file. */
export async function readIfText(
  { folder, name, path }: Place,
  limit: number,
): Promise<FileText | undefined> {
  const { handle, stats } = await folder.read(name);
  try {
    if (stats.size > limit) throw tooLarge(path, stats.size, limit);
    const bytes = await bytesOf(handle, limit, path);
    if (bytes.subarray(0, LOOKED_AT).includes(0)) return undefined;
    const { text, lossy } = decoded(bytes);
    return {
      text,
      bytes: bytes.length,
      lossy,
      links: stats.nlink,
      state: stateOf(stats),
      mode: stats.mode & 0o777,
    };
  } finally {
    await handle.close();
  }
}

/** A text that differs between files, and changes with each change of a file. */
export const stateOf = ({
  dev,
  ino,
  size,
  mtimeMs,
  ctimeMs,
}: Record<"dev" | "ino" | "size" | "mtimeMs" | "ctimeMs", number>): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(":");

// The limit applies to the bytes that are read, not to the size that the file reports.
async function bytesOf(handle: FileHandle, limit: number, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size > limit) throw tooLarge(path, size, limit);
  }
}

function decoded(bytes: Uint8Array): { readonly text: string; readonly lossy: boolean } {
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      lossy: false,
    };
  } catch {
    return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), lossy: true };
  }
}

const tooLarge = (path: string, size: number, limit: number): Error =>
  unfit(
    path,
    `has ${size} bytes; at most ${limit} can be read`,
    "search it with `grep`, or read a part with `bash`",
  );
