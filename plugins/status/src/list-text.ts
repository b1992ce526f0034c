/** The items of a list as JSON, each on a line of its own. */
export interface ListText {
  add(item: string): void;
  readonly length: number;
  /** Parts of the text between `[` and `]` in UTF-8, in their order. They stay as they are, whatever is added later. */
  parts(): readonly Uint8Array[];
}

/** A list that is only added to, of which the last `keep` are listed, or all. */
export const createListText = (keep: number | undefined, indent: string): ListText =>
  keep === undefined ? new WholeList(indent) : new ListEnd(keep, indent);

const encoder = new TextEncoder();

/** Bytes of the first piece of memory of a list, and of the largest that is taken at once for more than one item. */
const PIECE = { first: 4_096, largest: 262_144 } as const;

// What does not change any more is encoded once, and never copied.
class WholeList implements ListText {
  readonly #indent: string;
  readonly #pieces: { readonly bytes: Uint8Array; used: number }[] = [];
  #size: number = PIECE.first;
  length = 0;

  constructor(indent: string) {
    this.#indent = indent;
  }

  add(item: string): void {
    const text = encoder.encode(`${this.length === 0 ? "" : ","}\n${this.#indent}${item}`);
    let piece = this.#pieces.at(-1);
    if (piece === undefined || piece.bytes.length - piece.used < text.length) {
      piece = { bytes: new Uint8Array(Math.max(this.#size, text.length)), used: 0 };
      this.#pieces.push(piece);
      this.#size = Math.min(2 * this.#size, PIECE.largest);
    }
    piece.bytes.set(text, piece.used);
    piece.used += text.length;
    this.length += 1;
  }

  parts(): readonly Uint8Array[] {
    return this.#pieces.map(({ bytes, used }) => bytes.subarray(0, used));
  }
}

/** As many more than are listed are held before the oldest are let go. */
const SPARE = 100;

class ListEnd implements ListText {
  readonly #keep: number;
  readonly #indent: string;
  #items: string[] = [];

  constructor(keep: number, indent: string) {
    this.#keep = keep;
    this.#indent = indent;
  }

  get length(): number {
    return Math.min(this.#keep, this.#items.length);
  }

  add(item: string): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#keep + SPARE) this.#items = this.#listed();
  }

  parts(): readonly Uint8Array[] {
    if (this.length === 0) return [];
    return [
      encoder.encode(
        this.#listed()
          .map((item) => `\n${this.#indent}${item}`)
          .join(","),
      ),
    ];
  }

  #listed(): string[] {
    return this.#items.slice(Math.max(0, this.#items.length - this.#keep));
  }
}
