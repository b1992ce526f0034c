import type { Piece, Word } from "../analysis.ts";
import { globIn } from "./printed-words.ts";
import { isOrdinary, isSetByShell } from "./variables.ts";

/**
 * The variables that the line itself sets to a known value. A value holds for the text after the assignment. If code that runs at
 * another time, such as the next round of a loop, may set a variable whose value was used, the line must be walked again without values.
 */
export class KnownVariables {
  /** Whether a value was used, and other code may set the same variable. */
  contradicted = false;
  /** Whether a further walk of the line could know that a variable is a number. */
  missedNumber = false;
  /** Variables of the current list, such as the body of a loop, that are a number or empty from here to its end. */
  counts: ReadonlySet<string> = new Set();
  #hidden: boolean;
  #ended = false;
  // Whether the code that is walked may run in another process.
  #away = false;
  // What an earlier walk of the same line found, from which it is known what is only ever a number.
  readonly #earlier: KnownVariables | undefined;
  // Whether a variable is set to numbers only, as the counter of a loop is, and those that surely are set already.
  readonly #numbers = new Map<string, boolean>();
  readonly #started = new Set<string>();
  readonly #values = new Map<string, readonly Piece[]>();
  // The substitution whose output a variable holds.
  readonly #printed = new Map<string, Substitution>();
  // Variables that hold a found name. `folderChanges`: how often the working directory had changed before the search.
  readonly #names = new Map<string, FolderChanges & { readonly word: Word }>();
  readonly #uses = new Map<string, number>();
  readonly #elsewhere = new Set<string>();
  // The variable that the clause of a loop sets to the next path of a list.
  #read: string | undefined;
  // Whether the next command of the list surely runs, or only if those before it succeed (`and`) or fail (`or`).
  #chain: "sure" | "and" | "or" = "sure";
  #chained: string[] = [];

  constructor({
    hidden,
    earlier,
  }: {
    readonly hidden: boolean;
    readonly earlier?: KnownVariables | undefined;
  }) {
    this.#hidden = hidden;
    this.#earlier = earlier;
  }

  /** Whether any value was used. */
  get used(): boolean {
    return this.#uses.size > 0;
  }

  /** The value, if it is known. */
  valueOf(name: string): readonly Piece[] | undefined {
    if (this.#hidden || this.#elsewhere.has(name)) return this.#numberIn(name);
    const value = this.counts.has(name) ? COUNT : this.#values.get(name);
    if (value !== undefined) this.#use(name);
    return value;
  }

  /** Whether the value is the one that the shell gives it: nothing in the line may set the variable. */
  isUntouched(name: string): boolean {
    if (this.#hidden || this.#elsewhere.has(name)) return false;
    this.#use(name);
    return true;
  }

  /** Whether the value is a number, or empty. */
  isCount(name: string): boolean {
    const [piece, ...more] = this.valueOf(name) ?? [];
    return typeof piece === "object" && piece.optional === true && more.length === 0;
  }

  /** The text of the substitution whose output a variable holds, if that text tells what it prints. */
  printedIn(name: string, { folderChanges }: FolderChanges): string | undefined {
    const printed = this.#printed.get(name);
    if (this.#hidden || this.#elsewhere.has(name) || printed === undefined) return undefined;
    // The names of another folder may be split into words that are files here.
    if (printed.folderChanges !== folderChanges && globIn(printed.text) !== undefined)
      return undefined;
    this.#use(name);
    return printed.text;
  }

  // A counter of a loop is a number, whichever of its values it has.
  #numberIn(name: string): readonly Piece[] | undefined {
    if (this.#away || !this.#started.has(name)) return undefined;
    this.missedNumber ||= this.#earlier === undefined && this.#numbers.get(name) === true;
    return this.#earlier?.isNumber(name) === true ? NUMBER : undefined;
  }

  /** Whether the line certainly sets a variable to numbers only. */
  isNumber(name: string): boolean {
    return !this.#ended && isFollowed(name) && this.#numbers.get(name) === true;
  }

  /** Records an assignment. `isNumber`: whether its text alone tells that the value is one. */
  noteValue(name: string, { isNumber }: { readonly isNumber: boolean }): void {
    this.#numbers.set(name, isNumber && this.#numbers.get(name) !== false);
  }

  #use(name: string): void {
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
  }

  /** The value, if a glob or the search of another program found it in what is still the working directory. */
  nameIn(variable: string, { folderChanges }: FolderChanges): Word | undefined {
    const name = this.#names.get(variable);
    if (this.#hidden || this.#elsewhere.has(variable) || name?.folderChanges !== folderChanges)
      return undefined;
    this.#use(variable);
    return name.word;
  }

  /** Sets a variable for the text that follows. `printed`: the substitution that prints the value. */
  assign(name: string, value: Word | undefined, printed?: Substitution): void {
    this.#names.delete(name);
    this.#printed.delete(name);
    if (this.#chain === "or" || !isFollowed(name)) return this.#setElsewhere(name);
    if (this.#chain === "sure") this.#started.add(name);
    if (printed !== undefined && !this.#hidden) this.#printed.set(name, printed);
    const pieces = this.#hidden || value === undefined ? undefined : knownPieces(value);
    if (pieces === undefined) this.#values.delete(name);
    else this.#values.set(name, pieces);
    if (this.#chain === "and") this.#chained.push(name);
  }

  /** Sets a variable for the rest of a list that may run at any time, and any number of times. */
  setInList(name: string, value: Word | undefined): void {
    const isCount = value?.pieces.every(isNumber) === true && isFollowed(name);
    if (isCount && !this.#hidden && !this.#isKnown(name) && !this.#elsewhere.has(name))
      this.counts = new Set(this.counts).add(name);
    else this.#setElsewhere(name);
  }

  /** Records that other code may set a variable, at any time. */
  setElsewhere(name: string): void {
    this.#numbers.set(name, false);
    this.#setElsewhere(name);
  }

  #setElsewhere(name: string): void {
    if (name === this.#read && isFollowed(name)) return;
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
    const [hidden, away] = [this.#hidden, this.#away];
    this.#hidden = this.#away = true;
    walk();
    this.#hidden = hidden || this.#ended;
    this.#away = away;
  }

  /** Walks the body of a loop, once with each value. */
  forEach(
    name: string,
    words: readonly Word[],
    { folderChanges }: FolderChanges,
    body: () => void,
  ): void {
    const isKnown = ({ found }: Word, at: number): boolean =>
      found !== undefined || values[at] !== undefined;
    const values = words.map(knownPieces);
    this.#numbers.set(name, false);
    const usable = words.length > 0 && words.every(isKnown) && isFollowed(name);
    if (!usable || this.#hidden || this.#isKnown(name) || this.#elsewhere.has(name)) {
      this.setElsewhere(name);
      return body();
    }
    const uses = this.#uses.get(name);
    for (const [at, word] of words.entries()) {
      const value = values[at];
      if (value !== undefined) this.#values.set(name, value);
      if (word.globbed === true || word.found !== undefined)
        this.#names.set(name, { word, folderChanges });
      body();
      this.#values.delete(name);
      this.#names.delete(name);
      // A body that does not use it is the same in every round.
      if (this.#uses.get(name) === uses) break;
    }
  }

  /** Walks the body of a loop once for all rounds. `printed`: a substitution that prints such a value as the variable has. */
  forPrinted(name: string, printed: Substitution, body: () => void): void {
    this.#numbers.set(name, false);
    if (!isFollowed(name) || this.#hidden || this.#isKnown(name) || this.#elsewhere.has(name)) {
      this.setElsewhere(name);
      return body();
    }
    this.#printed.set(name, printed);
    body();
    this.#printed.delete(name);
  }

  /** Walks the clause of a loop that sets the variable to the next path of a list. */
  readEach(name: string, clause: () => void): void {
    this.#read = name;
    clause();
    this.#read = undefined;
  }

  #isKnown(name: string): boolean {
    return this.#values.has(name) || this.#names.has(name) || this.#printed.has(name);
  }

  /** Takes note of the operator before the next command of a list. Undefined before the first one, and after the list. */
  follow(operator: string | undefined): void {
    this.#chain =
      operator === undefined ? "sure" : operator === "&&" && this.#chain !== "or" ? "and" : "or";
    if (this.#chain === "and") return;
    for (const name of this.#chained) {
      this.#values.delete(name);
      this.#printed.delete(name);
    }
    this.#chained = [];
  }
}

/** How often the working directory has changed so far. */
interface FolderChanges {
  readonly folderChanges: number;
}

/** A substitution, and how often the working directory had changed before it. */
export interface Substitution extends FolderChanges {
  readonly text: string;
}

const NUMBER: readonly Piece[] = [{ hole: "number" }];
const COUNT: readonly Piece[] = [{ hole: "number", optional: true }];

const isNumber = (piece: Piece): boolean =>
  typeof piece === "string" ? /^\d*$/.test(piece) : piece.hole === "number";

const isFollowed = (name: string): boolean => isOrdinary(name) && !isSetByShell(name);

// A `~` may mean the home directory or a plain name.
function knownPieces({ pieces, pipe }: Word): readonly Piece[] | undefined {
  const known = pieces.every((piece) =>
    typeof piece === "string" ? !piece.includes("~") : piece.hole !== "any",
  );
  return known && pipe !== true ? pieces : undefined;
}
