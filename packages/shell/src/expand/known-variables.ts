import type { Piece, Word } from "../analysis.ts";
import { isOrdinary, isSetByShell } from "./variables.ts";

/**
 * The variables that the line itself sets to a known value. A value holds for the text after the assignment. If code that runs at
 * another time, such as the next round of a loop, may set a variable whose value was used, the line must be walked again without values.
 */
export class KnownVariables {
  /** Whether a value was used, and other code may set the same variable. */
  contradicted = false;
  #hidden: boolean;
  #ended = false;
  readonly #values = new Map<string, readonly Piece[]>();
  // How often the working directory had changed when the shell looked for the names that the variable stands for.
  readonly #globbed = new Map<string, number>();
  readonly #uses = new Map<string, number>();
  readonly #elsewhere = new Set<string>();
  // Whether the next command of the list surely runs, or only if those before it succeed (`and`) or fail (`or`).
  #chain: "sure" | "and" | "or" = "sure";
  #chained: string[] = [];

  constructor({ hidden }: { readonly hidden: boolean }) {
    this.#hidden = hidden;
  }

  /** Whether any value was used. */
  get used(): boolean {
    return this.#uses.size > 0;
  }

  /** The value, if it is known. */
  valueOf(name: string): readonly Piece[] | undefined {
    if (this.#hidden || this.#elsewhere.has(name)) return undefined;
    const value = this.#values.get(name);
    if (value !== undefined) this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    return value;
  }

  /** Whether the value is a name that the shell found for a glob, in what is still the working directory. */
  isGlobbed(name: string, { folderChanges }: FolderChanges): boolean {
    return !this.#hidden && !this.#elsewhere.has(name) && this.#globbed.get(name) === folderChanges;
  }

  /** Sets a variable for the text that follows. */
  assign(name: string, value: Word | undefined): void {
    this.#globbed.delete(name);
    if (this.#chain === "or") return this.setElsewhere(name);
    const pieces = this.#hidden || value === undefined ? undefined : knownPieces(value);
    if (pieces === undefined || !isFollowed(name)) this.#values.delete(name);
    else this.#values.set(name, pieces);
    if (this.#chain === "and") this.#chained.push(name);
  }

  /** Records that other code may set a variable, at any time. */
  setElsewhere(name: string): void {
    this.#elsewhere.add(name);
    if (this.#uses.has(name)) this.contradicted = true;
  }

  /** Records that code runs which is not in the line, so it may set any variable. */
  setAllElsewhere(): void {
    this.#hidden = this.#ended = true;
    if (this.used) this.contradicted = true;
  }

  /** Walks code that runs at another time, in which no value is known. */
  hide(walk: () => void): void {
    const hidden = this.#hidden;
    this.#hidden = true;
    walk();
    this.#hidden = hidden || this.#ended;
  }

  /** Walks the body of a loop, once with each value. */
  forEach(
    name: string,
    words: readonly Word[],
    { folderChanges }: FolderChanges,
    body: () => void,
  ): void {
    const values = words.map(knownPieces).filter((pieces) => pieces !== undefined);
    const usable = values.length === words.length && values.length > 0 && isFollowed(name);
    if (!usable || this.#hidden || this.#values.has(name) || this.#elsewhere.has(name)) {
      this.setElsewhere(name);
      return body();
    }
    const uses = this.#uses.get(name);
    for (const [at, value] of values.entries()) {
      this.#values.set(name, value);
      if (words[at]?.globbed === true) this.#globbed.set(name, folderChanges);
      body();
      this.#globbed.delete(name);
      // A body that does not use it is the same in every round.
      if (this.#uses.get(name) === uses) break;
    }
    this.#values.delete(name);
  }

  /** Takes note of the operator before the next command of a list. Undefined before the first one, and after the list. */
  follow(operator: string | undefined): void {
    this.#chain =
      operator === undefined ? "sure" : operator === "&&" && this.#chain !== "or" ? "and" : "or";
    if (this.#chain === "and") return;
    for (const name of this.#chained) this.#values.delete(name);
    this.#chained = [];
  }
}

/** How often the working directory has changed so far. */
interface FolderChanges {
  readonly folderChanges: number;
}

const isFollowed = (name: string): boolean => isOrdinary(name) && !isSetByShell(name);

// A `~` may mean the home directory or a plain name.
function knownPieces({ pieces, pipe }: Word): readonly Piece[] | undefined {
  const known = pieces.every((piece) =>
    typeof piece === "string" ? !piece.includes("~") : piece.hole !== "any",
  );
  return known && pipe !== true ? pieces : undefined;
}
