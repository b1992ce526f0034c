import { lstatSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** Where an engine listens and keeps its files. All absolute. */
export interface EnginePlace {
  readonly folder: string;
  readonly socket: string;
  readonly log: string;
  /** The file with the secret that a client shows. */
  readonly clientKey: string;
  /** The file with the secret that an engine shows. */
  readonly engineKey: string;
}

/** The owner of an engine. Each owner has an engine of its own. */
export interface EngineOwner {
  /** The program that the engine runs. Absolute. */
  readonly bin: string;
  /** Default: `.bylaw/run` in the home of the user, as the system knows it and not as the environment says. */
  readonly folder?: string | undefined;
}

/**
 * The place of the engine of one installation, one Node, and one home. Nothing that a child process may set leads a hook to another
 * user's engine or to another version's.
 */
export function placeOf({
  bin,
  folder = join(userInfo().homedir, ".bylaw/run"),
}: EngineOwner): EnginePlace {
  const { uid } = userInfo();
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

// FNV-1a twice. It only has to tell owners apart, for the engine compares the owner itself, and to load cryptography takes as long as all
// the rest.
function nameOf(owner: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (const byte of Buffer.from(owner)) {
    first = Math.imul(first ^ byte, 0x01000193);
    second = Math.imul(second ^ byte, 0x85ebca6b);
  }
  return [first, second].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Why the folder of an engine must not be used; `undefined` if it may be. It must be a real folder that only this user can use. */
export function folderFault(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return `Folder not found: ${folder}`;
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  // On Windows the folder is in the user's profile, which others cannot open.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return `${folder} belongs to another user`;
  return (stats.mode & 0o077) === 0 ? undefined : `${folder} is open to other users`;
}
