import type { Piece, Word } from "../analysis.ts";
import { isOrdinary, isSetByShell } from "./variables.ts";

/**
 * The variables whose value the line itself tells. A value counts from a place in the text on, so the whole is wrong if a command
 * that runs at another time sets a variable that was used before. Then the line is walked again without it.
 */
export class KnownVariables {
  /** Whether a value was used of a variable that something else may set. */
  contradicted = false;
  /** The nesting depth of the commands that run once and in order. */
  readonly depth: number;
  #hidden: boolean;
  #ended = false;
  readonly #values = new Map<string, readonly Piece[]>();
  readonly #uses = new Map<string, number>();
  readonly #elsewhere = new Set<string>();
  // Whether the next assignment counts for sure, or only after the commands before it.
  #chain: "sure" | "and" | "or" = "sure";
  #chained: string[] = [];

  constructor(depth: number, { hidden }: { readonly hidden: boolean }) {
    this.depth = depth;
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

  /** Sets a variable to a value, from here on. */
  assign(name: string, value: Word | undefined): void {
    if (this.#chain === "or") return this.setElsewhere(name);
    const pieces = this.#hidden || value === undefined ? undefined : knownPieces(value);
    if (pieces === undefined || !isFollowed(name)) this.#values.delete(name);
    else this.#values.set(name, pieces);
    if (this.#chain === "and") this.#chained.push(name);
  }

  /** Records that a variable is set in a way that is not followed. */
  setElsewhere(name: string): void {
    this.#elsewhere.add(name);
    if (this.#uses.has(name)) this.contradicted = true;
  }

  /** Records that code from outside the line runs, which may set any variable. */
  setAllElsewhere(): void {
    this.#hidden = this.#ended = true;
    if (this.used) this.contradicted = true;
  }

  /** Walks something that runs at another time, where no value is known. */
  hide(walk: () => void): void {
    const hidden = this.#hidden;
    this.#hidden = true;
    walk();
    this.#hidden = hidden || this.#ended;
  }

  /** Walks the body of a loop, once with each value. */
  forEach(name: string, words: readonly Word[], body: () => void): void {
    const values = words.map(knownPieces).filter((pieces) => pieces !== undefined);
    const usable = values.length === words.length && values.length > 0 && isFollowed(name);
    if (!usable || this.#hidden || this.#values.has(name) || this.#elsewhere.has(name)) {
      this.setElsewhere(name);
      return body();
    }
    const uses = this.#uses.get(name);
    for (const value of values) {
      this.#values.set(name, value);
      body();
      // A body that does not use it is the same in every round.
      if (this.#uses.get(name) === uses) break;
    }
    this.#values.delete(name);
  }

  /** Goes on behind an operator of a list, or behind the list. */
  follow(operator: string | undefined): void {
    this.#chain =
      operator === undefined ? "sure" : operator === "&&" && this.#chain !== "or" ? "and" : "or";
    if (this.#chain === "and") return;
    for (const name of this.#chained) this.#values.delete(name);
    this.#chained = [];
  }
}

const isFollowed = (name: string): boolean => isOrdinary(name) && !isSetByShell(name);

// A `~` may mean the home directory or a plain name.
function knownPieces({ pieces, pipe }: Word): readonly Piece[] | undefined {
  const known = pieces.every((piece) =>
    typeof piece === "string" ? !piece.includes("~") : piece.hole !== "any",
  );
  return known && pipe !== true ? pieces : undefined;
}
