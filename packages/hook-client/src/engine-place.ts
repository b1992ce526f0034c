import { lstatSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** The absolute paths of an engine's folder, socket and files. */
export interface EnginePlace {
  readonly folder: string;
  readonly socket: string;
  readonly log: string;
  /** The file with the secret by which a client proves itself. */
  readonly clientKey: string;
  /** The file with the secret by which an engine proves itself. */
  readonly engineKey: string;
}

/** The installation that an engine belongs to. */
export interface EngineOwner {
  /** Absolute path of the program that the engine runs. */
  readonly bin: string;
  /**
   * The folder of the engine. Default: `.bylaw/run` in the user's home. The home comes from the system's user database, not from
   * the environment.
   */
  readonly folder?: string | undefined;
}

/**
 * The place of the engine for one installation, one Node and one home. Nothing that a child process can set leads a hook to the
 * engine of another user or of another version.
 */
export function enginePlace({
  bin,
  folder = join(userInfo().homedir, ".bylaw/run"),
}: EngineOwner): EnginePlace {
  const uid = process.getuid?.() ?? -1;
  const owner = [bin, process.execPath, homedir(), process.env["XDG_CONFIG_HOME"] ?? "", uid];
  const name = nameOf(JSON.stringify(owner));
  return {
    folder,
    socket:
      process.platform === "win32" ? `\\\\.\\pipe\\bylaw-${name}` : join(folder, `${name}.sock`),
    log: join(folder, `${name}.log`),
    clientKey: join(folder, "client.key"),
    engineKey: join(folder, "engine.key"),
  };
}

// FNV-1a, twice. The name only has to differ between owners, because the engine compares the owner itself. Loading cryptography
// would take as long as everything else here.
function nameOf(owner: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (const byte of Buffer.from(owner)) {
    first = Math.imul(first ^ byte, 0x01000193);
    second = Math.imul(second ^ byte, 0x85ebca6b);
  }
  return [first, second].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The reason why an engine's folder must not be used. Undefined if it may be. It must be a real folder that only this user can use. */
export function engineFolderFault(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return `Folder not found: ${folder}`;
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  // On Windows the folder is in the user's profile, which others cannot open.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return `${folder} belongs to another user`;
  return (stats.mode & 0o077) === 0 ? undefined : `${folder} is open to other users`;
}
