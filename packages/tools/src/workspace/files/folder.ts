import { constants, existsSync, type Dirent, type Stats } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  rename,
  unlink,
  type FileHandle,
} from "node:fs/promises";
import { join } from "node:path";
import { isRoot, ownerOf, type User } from "@bylaw/process";
import { notFound, refused, unfit } from "./refused.ts";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NO_FOLLOW;
// O_NONBLOCK, so that opening a pipe without a writer does not block. A pipe is refused after opening.
const FILE =
  constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

/**
 * An open folder. Renaming it, or replacing it by a link, does not change which folder is used: each step goes through the handle, and none
 * follows a link. On systems without `/proc`, each step checks the path first instead.
 */
export class Folder {
  /** The path relative to the workspace. Empty for the workspace itself. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #real: string;
  /** The owner of new files. Undefined means the user of this process. */
  readonly #owner: User | undefined;

  private constructor(handle: FileHandle, path: string, real: string, owner: User | undefined) {
    this.#handle = handle;
    this.path = path;
    this.#real = real;
    this.#owner = owner;
  }

  /** Opens a workspace by its real path. */
  static async open(real: string): Promise<Folder> {
    // Programs run as this user, who must be able to use the files that are written here.
    return new Folder(await open(real, FOLDER), "", real, isRoot() ? ownerOf(real) : undefined);
  }

  /** The kind of a member. Undefined if there is none. */
  async kindOf(name: string): Promise<Stats | undefined> {
    try {
      return await lstat(await this.#at(name));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Opens a folder in it. Throws BYLAW_PLACE_REFUSED for a link, and BYLAW_FILE_UNFIT if it is not a folder. */
  async enter(name: string, { make = false } = {}): Promise<Folder> {
    const path = this.pathOf(name);
    try {
      return new Folder(
        await open(await this.#at(name), FOLDER),
        path,
        join(this.#real, name),
        this.#owner,
      );
    } catch (error) {
      const kind = await this.kindOf(name);
      if (kind === undefined && make) {
        await mkdir(await this.#at(name)).catch((cause: unknown) => {
          if (codeOf(cause) !== "EEXIST") throw cause;
        });
        const made = await this.enter(name);
        return made.#give();
      }
      if (kind === undefined) throw notFound(path);
      if (kind.isSymbolicLink()) throw await this.#link(name);
      if (!kind.isDirectory()) throw unfit(path, "is a file, not a folder");
      throw error;
    }
  }

  /**
   * Opens a file in it for reading. Throws BYLAW_PLACE_REFUSED for a link, BYLAW_PLACE_REFUSED for anything that is neither file nor
   * folder, and BYLAW_FILE_UNFIT.
   */
  async read(name: string): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
    await this.#mustBeFile(name, (await this.kindOf(name)) ?? missing(this.pathOf(name)));
    const handle = await open(await this.#at(name), FILE);
    try {
      const stats = await handle.stat();
      await this.#mustBeFile(name, stats);
      return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The file that a write will replace. Undefined if there is none. Throws the errors of `read`. */
  async replaceable(name: string): Promise<Stats | undefined> {
    const kind = await this.kindOf(name);
    if (kind !== undefined) await this.#mustBeFile(name, kind);
    return kind;
  }

  /** Creates a new file with a mode. */
  async create(name: string, mode: number): Promise<FileHandle> {
    const handle = await open(await this.#at(name), NEW, mode);
    if (this.#owner !== undefined) await handle.chown(this.#owner.uid, this.#owner.gid);
    return handle;
  }

  /** Moves a member of another folder into this one, in one step, and replaces a member with the name. */
  async take(from: Folder, member: string, name: string): Promise<void> {
    await rename(await from.#at(member), await this.#at(name));
  }

  async remove(name: string): Promise<void> {
    await unlink(await this.#at(name));
  }

  /** Its members, up to a limit. */
  async list(limit: number): Promise<readonly Dirent[]> {
    const members: Dirent[] = [];
    for await (const member of await opendir(await this.#at("."))) {
      members.push(member);
      if (members.length >= limit) break;
    }
    return members;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #give(): Promise<this> {
    if (this.#owner !== undefined) await this.#handle.chown(this.#owner.uid, this.#owner.gid);
    return this;
  }

  pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}/${name}`;
  }

  async #mustBeFile(name: string, kind: Stats): Promise<void> {
    const path = this.pathOf(name);
    if (kind.isSymbolicLink()) throw await this.#link(name);
    if (kind.isDirectory()) throw unfit(path, "is a folder, not a file");
    if (!kind.isFile()) throw refused(path, "is a pipe, a socket or a device");
  }

  async #link(name: string): Promise<Error> {
    const target = await readlink(await this.#at(name)).catch(() => undefined);
    const fix = "Use the path that the link leads to";
    return refused(
      this.pathOf(name),
      target === undefined ? "is a link" : `is a link to \`${target.slice(0, 200)}\``,
      fix,
    );
  }

  async #at(name: string): Promise<string> {
    if (hasHandles()) return `/proc/self/fd/${this.#handle.fd}/${name}`;
    if ((await realpath(this.#real)) !== this.#real)
      throw refused(this.path, "was replaced by a link");
    return join(this.#real, name);
  }
}

let handles: boolean | undefined;
const hasHandles = (): boolean =>
  (handles ??= process.platform === "linux" && existsSync("/proc/self/fd"));

function missing(path: string): never {
  throw notFound(path);
}

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
