import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf } from "@bylaw/kernel";

/** The digest of each tool of a server, by name. */
export type ToolDigests = ReadonlyMap<string, string>;

/** Keeps the digests of a server's tools in a file, from when they were first seen or last accepted. */
export class ToolPins {
  readonly #file: string;
  #known: ToolDigests = new Map();

  /** `file`: an absolute path that agents cannot write. */
  constructor(file: string) {
    this.#file = file;
  }

  /** The pinned digests. Those that this process has read stay pinned even if the file is removed. Throws BYLAW_MCP_PINS_INVALID. */
  read(): ToolDigests {
    this.#known = new Map([...this.#known, ...readDigests(this.#file)]);
    return this.#known;
  }

  /** Adds the digests of these tools. Throws BYLAW_MCP_PINS_INVALID. */
  pin(digests: ToolDigests): void {
    if (digests.size === 0) return;
    this.#known = new Map([...this.read(), ...digests]);
    const temporary = `${this.#file}.${process.pid}`;
    const text = JSON.stringify(
      Object.fromEntries([...this.#known].sort(([a], [b]) => (a < b ? -1 : 1))),
      null,
      2,
    );
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      // Removed first, so that a link in its place is not followed.
      rmSync(temporary, { force: true });
      writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.#file);
    } catch (cause) {
      throw unusable(this.#file, messageOf(cause), cause);
    }
  }
}

function readDigests(file: string): ToolDigests {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw unusable(file, messageOf(cause), cause);
  }
  try {
    const value = parseJson(text);
    const entries = isJsonObject(value) ? Object.entries(value) : undefined;
    if (entries?.every((entry): entry is [string, string] => typeof entry[1] === "string") === true)
      return new Map(entries);
  } catch (cause) {
    throw unusable(file, messageOf(cause), cause);
  }
  throw unusable(file, "It must be an object of texts");
}

const unusable = (file: string, why: string, cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_MCP_PINS_INVALID",
    message: `Cannot use the record of accepted tools: ${why}`,
    fix: "Correct or remove the file, then accept the tools again",
    source: { file },
    cause,
  });
