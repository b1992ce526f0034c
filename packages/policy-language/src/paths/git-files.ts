import type { Ignore } from "ignore";
import { dirname } from "node:path";
import { loadIgnore } from "../match/lazy-modules.ts";
import { readIndex, readText, repositoryAt, type Repository } from "./git-index.ts";
import type { GlobLookup } from "./real-globs.ts";

/** The limit of a `.gitignore`, which an agent can write. Every line is an expression to compile. */
const MAX_TEXT = 65_536;

// Other names may be written differently in the index.
const PLAIN = /^[ -~]+$/;

/** Tells what git does with the files that one call uses. Every file of git is read once. */
export class GitFiles {
  readonly #lookup: GlobLookup;
  readonly #repositories = new Map<string, Repository | undefined>();
  readonly #tracked = new Map<string, ReadonlySet<string> | undefined>();
  readonly #rules = new Map<string, Ignore | "nothing" | undefined>();

  constructor(lookup: GlobLookup) {
    this.#lookup = lookup;
  }

  /** The repository that git uses in a folder whose path has no links. Undefined if there is none, or in doubt. */
  repositoryAt(folder: string): Repository | undefined {
    if (this.#repositories.has(folder)) return this.#repositories.get(folder);
    const parent = dirname(folder);
    const isInside =
      this.#repositories.has(parent) &&
      [".git", "HEAD"].every((name) => this.#lookup.kindOf(`${folder}/${name}`) === "nothing");
    const found = isInside ? this.#repositories.get(parent) : repositoryAt(folder);
    const repository = found === "none" ? undefined : found;
    this.#repositories.set(folder, repository);
    return repository;
  }

  /**
   * Whether a `.gitignore` lists a path without links, or takes it back. Undefined if none names it, and in doubt. Git may track what is
   * listed all the same.
   */
  listing(path: string, kind: "file" | "folder"): "ignored" | "unignored" | undefined {
    const repository = this.#repositoryOf(path);
    if (repository === undefined) return undefined;
    const inside = path.slice(repository.top.length + 1);
    return this.#listingIn(repository.top, kind === "folder" ? `${inside}/` : inside);
  }

  /** Whether git tracks what is at a path without links, or anything in that folder. Undefined in doubt. */
  tracks(path: string): boolean | undefined {
    const repository = this.#repositoryOf(path);
    const inside = path.slice((repository?.top.length ?? 0) + 1);
    return repository && this.#trackedIn(repository)?.has(inside.toLowerCase());
  }

  #repositoryOf(path: string): Repository | undefined {
    return PLAIN.test(path) ? this.repositoryAt(dirname(path)) : undefined;
  }

  // Every tracked file, and the folders that hold it, in lower case: some file systems ignore it.
  #trackedIn(repository: Repository): ReadonlySet<string> | undefined {
    const { top } = repository;
    if (!this.#tracked.has(top)) {
      const names = readIndex(repository)?.entries.map(({ name }) => name.toLowerCase());
      this.#tracked.set(top, names && withFolders(names));
    }
    return this.#tracked.get(top);
  }

  // The rules of git's own folder and of the user are left out. They come after these, so they cannot take anything back.
  #listingIn(top: string, inside: string): "ignored" | "unignored" | undefined {
    const names = inside.split("/");
    const depth = names.length - (inside.endsWith("/") ? 1 : 0);
    let listed = false;
    for (let at = 0; at < depth; at++) {
      const rules = this.#rulesIn([top, ...names.slice(0, at)].join("/"));
      if (rules === "nothing") continue;
      if (rules === undefined) return undefined;
      const { ignored, unignored } = rules.test(names.slice(at).join("/"));
      if (unignored) return "unignored";
      listed ||= ignored;
    }
    return listed ? "ignored" : undefined;
  }

  #rulesIn(folder: string): Ignore | "nothing" | undefined {
    if (!this.#rules.has(folder)) this.#rules.set(folder, this.#readRules(`${folder}/.gitignore`));
    return this.#rules.get(folder);
  }

  #readRules(file: string): Ignore | "nothing" | undefined {
    const kind = this.#lookup.kindOf(file);
    if (kind === "nothing") return kind;
    const text = kind === "file" ? readText(file) : undefined;
    if (text === undefined || text.length > MAX_TEXT) return undefined;
    return loadIgnore()({ ignorecase: false }).add(text);
  }
}

function withFolders(names: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>();
  for (const name of names)
    for (let path = name; !all.has(path); path = path.slice(0, path.lastIndexOf("/"))) {
      all.add(path);
      if (!path.includes("/")) break;
    }
  return all;
}
