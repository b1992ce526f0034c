import type { Ignore } from "ignore";
import { dirname } from "node:path";
import { loadIgnore } from "../match/lazy-modules.ts";
import { readIndex, readText, repositoryAt, type Repository } from "./git-index.ts";
import { reincludes } from "./own-ignores.ts";
import type { GlobLookup } from "./real-globs.ts";

/** The limit of a `.gitignore`, which an agent can write. Every line is an expression to compile. */
const MAX_TEXT = 65_536;
/** The limit of lines to compare with paths for one call. An agent can also write many of these files. */
const MAX_COMPARED = 4_000_000;
/** Reading a line takes as long as so many comparisons. */
const LINE_COST = 8;
/** The limit of folders in a path. All of them may have a `.gitignore`. */
const MAX_DEPTH = 32;

// Other names may be written differently in the index.
const PLAIN = /^[ -~]+$/;

// Programs read a line that re-includes something differently if it has such characters, or a byte order mark before it.
const AMBIGUOUS = /^\xef|^!.*[^ -[\]-z\r\n]/m;

/** What a `.gitignore` says about paths. */
interface Rules {
  readonly lines: number;
  readonly test: Ignore["test"];
}

/** Whether a `.gitignore` lists a path, re-includes it, or does not name it. */
type Listing = "ignored" | "unignored" | "none";

/** Tells what git does with the files that one call uses. Every file of git is read once. */
export class GitFiles {
  readonly #lookup: GlobLookup;
  readonly #home: string | undefined;
  readonly #repositories = new Map<string, Repository | "none" | undefined>();
  readonly #tracked = new Map<string, ReadonlySet<string> | undefined>();
  readonly #rules = new Map<string, Rules | "nothing" | undefined>();
  readonly #takenBack = new Map<string, boolean>();
  #left = MAX_COMPARED;

  constructor(lookup: GlobLookup, home?: string) {
    this.#lookup = lookup;
    this.#home = home;
  }

  /** Whether other rules than those of a `.gitignore` take something back in a folder whose path has no links. */
  reincludes(folder: string): boolean {
    let found = this.#takenBack.get(folder);
    if (found === undefined) {
      const repository = this.repositoryAt(folder);
      found =
        repository !== "none" && (repository === undefined || reincludes(repository, this.#home));
      this.#takenBack.set(folder, found);
    }
    return found;
  }

  /** The repository that git uses in a folder whose path has no links, or `none`. Undefined in doubt. */
  repositoryAt(folder: string): Repository | "none" | undefined {
    if (this.#repositories.has(folder)) return this.#repositories.get(folder);
    const parent = dirname(folder);
    const isInside =
      this.#repositories.has(parent) &&
      [".git", "HEAD"].every((name) => this.#lookup.kindOf(`${folder}/${name}`) === "nothing");
    const found = isInside ? this.#repositories.get(parent) : repositoryAt(folder);
    this.#repositories.set(folder, found);
    return found;
  }

  /** What the `.gitignore` files say about a path without links. Undefined if that is not certain. Git may still track an ignored path. */
  listing(path: string, kind: "file" | "folder"): Listing | undefined {
    const repository = this.repositoryAt(dirname(path));
    if (repository === "none") return "none";
    const inside = insideOf(path, repository);
    if (repository === undefined || inside === undefined) return undefined;
    return this.#listingIn(repository.top, kind === "folder" ? `${inside}/` : inside);
  }

  /** Whether git tracks what is at a path without links, or anything in that folder. Undefined in doubt. */
  tracks(path: string): boolean | undefined {
    const repository = this.repositoryAt(dirname(path));
    const inside = insideOf(path, repository);
    if (repository === undefined || repository === "none" || inside === undefined) return undefined;
    return this.#trackedIn(repository)?.has(inside.toLowerCase());
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

  // The rules of git's own folder and of the user are left out. They come after these, so they cannot re-include anything.
  #listingIn(top: string, inside: string): Listing | undefined {
    const names = inside.split("/");
    const depth = names.length - (inside.endsWith("/") ? 1 : 0);
    if (depth > MAX_DEPTH) return undefined;
    let listed: Listing = "none";
    for (let at = 0; at < depth; at++) {
      const rules = this.#rulesIn([top, ...names.slice(0, at)].join("/"));
      if (rules === "nothing") continue;
      if (rules === undefined || !this.#spend(rules.lines)) return undefined;
      const { ignored, unignored } = rules.test(names.slice(at).join("/"));
      if (unignored) return "unignored";
      if (ignored) listed = "ignored";
    }
    return listed;
  }

  #spend(comparisons: number): boolean {
    this.#left -= comparisons;
    return this.#left >= 0;
  }

  #rulesIn(folder: string): Rules | "nothing" | undefined {
    if (!this.#rules.has(folder)) this.#rules.set(folder, this.#readRules(`${folder}/.gitignore`));
    return this.#rules.get(folder);
  }

  #readRules(file: string): Rules | "nothing" | undefined {
    const kind = this.#lookup.kindOf(file);
    if (kind === "nothing") return kind;
    const text = kind === "file" ? readText(file) : undefined;
    if (text === undefined || text.length > MAX_TEXT || AMBIGUOUS.test(text)) return undefined;
    const lines = text.split("\n").length;
    if (!this.#spend(lines * LINE_COST)) return undefined;
    const rules = loadIgnore()({ ignorecase: false }).add(text);
    return { lines, test: (path) => rules.test(path) };
  }
}

// The path from the top of a repository on. Undefined if it may be written differently in the files of git.
function insideOf(path: string, repository: Repository | "none" | undefined): string | undefined {
  if (repository === undefined || repository === "none") return undefined;
  const inside = path.slice(repository.top === "/" ? 1 : repository.top.length + 1);
  return PLAIN.test(inside) ? inside : undefined;
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
