import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { CONTROL_FILE_LIMIT, parseControlFile, type BehaviorAction } from "@bylaw/behavior";
import { BylawError, messageOf } from "@bylaw/kernel";

/** The content of a control file. */
export type FoundControl =
  | { readonly state: "none" }
  | { readonly state: "read"; readonly action: BehaviorAction; readonly digest: string }
  | { readonly state: "broken"; readonly message: string; readonly digest: string | null };

// A character takes at most four bytes.
const LIMIT_BYTES = 4 * CONTROL_FILE_LIMIT;

/**
 * Reads a control file once, without following a link or waiting for a pipe. A file that cannot be
 * read is reported as broken, never as absent.
 */
export function readControl(file: string): FoundControl {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return { state: "none" };
  let handle: number | undefined;
  let digest: string | null = null;
  try {
    if (!there.isFile() || there.nlink !== 1)
      throw new Error("The control file is a link or a folder");
    handle = openSync(
      file,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const { size, dev, ino } = fstatSync(handle);
    if (dev !== there.dev || ino !== there.ino)
      throw new Error("The control file changed while it was read");
    if (size > LIMIT_BYTES)
      throw new Error(`The control file has ${size} bytes; at most ${LIMIT_BYTES} are read`);
    const bytes = readFileSync(handle);
    digest = digestOf(bytes);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { state: "read", action: parseControlFile(text, { file }), digest };
  } catch (error) {
    return { state: "broken", message: messageOf(error).slice(0, 1_000), digest };
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Removes a recorded request, identified by its digest. A request that was written since then stays. */
export function removeControl(file: string, digest: string): void {
  const found = readControl(file);
  if (found.state !== "none" && found.digest === digest) rmSync(file, { force: true });
}

/** Moves a file aside in its folder, where a person can look at it. */
export function setControlAside(file: string): void {
  rmSync(`${file}.aside`, { recursive: true, force: true });
  renameSync(file, `${file}.aside`);
}

/** Creates the folder of the control file. Throws BYLAW_CONTROL_FILE_UNUSABLE if it cannot. */
export function makeControlFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_CONTROL_FILE_UNUSABLE",
      message: `Cannot make the folder of the control file: ${messageOf(cause)}`,
      fix: "Choose another path with --control-file",
      source: { file },
      cause,
    });
  }
}
