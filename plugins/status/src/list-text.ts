/** The items of a list as JSON, one per line. */
export interface ListText {
  add(item: string): void;
  readonly length: number;
  /** The parts of the text between `[` and `]` in UTF-8, in order. Parts are never mutated. */
  parts(): readonly Uint8Array[];
}

/** An append-only list, of which the last `keep` items are listed, or all. */
export const createListText = (keep: number | undefined, indent: string): ListText =>
  keep === undefined ? new WholeList(indent) : new ListEnd(keep, indent);

const encoder = new TextEncoder();

/** The size in bytes of a list's first memory block, and of the largest block that is allocated for more than one item. */
const PIECE = { first: 4_096, largest: 262_144 } as const;

// Encodes each item once and never copies it.
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

/** How many unlisted items are kept before the oldest are released. */
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
