/** The items of a list as JSON, each on a line of its own. */
export interface ListText {
  add(item: string): void;
  readonly length: number;
  /** Parts of the text between `[` and `]` in UTF-8, in their order. They stay as they are, whatever is added later. */
  parts(): readonly Uint8Array[];
}

/** A list that is only added to, of which the last `keep` are listed, or all. */
export const createListText = ({
  keep,
  indent,
}: {
  readonly keep: number | undefined;
  readonly indent: string;
}): ListText => (keep === undefined ? listOfAll(indent) : listOfLast(keep, indent));

const encoder = new TextEncoder();

/** Bytes of the first piece of memory of a list, and of the largest that is taken at once for more than one item. */
const PIECE = { first: 4_096, largest: 262_144 } as const;

interface Piece {
  readonly bytes: Uint8Array;
  used: number;
}

// What does not change any more is encoded once, and never copied.
function listOfAll(indent: string): ListText {
  const pieces: Piece[] = [];
  let length = 0;
  let size: number = PIECE.first;
  return {
    add(item) {
      const text = encoder.encode(`${length === 0 ? "" : ","}\n${indent}${item}`);
      let piece = pieces.at(-1);
      if (piece === undefined || piece.bytes.length - piece.used < text.length) {
        pieces.push((piece = { bytes: new Uint8Array(Math.max(size, text.length)), used: 0 }));
        size = Math.min(2 * size, PIECE.largest);
      }
      piece.bytes.set(text, piece.used);
      piece.used += text.length;
      length += 1;
    },
    get length() {
      return length;
    },
    parts: () => pieces.map(({ bytes, used }) => bytes.subarray(0, used)),
  };
}

/** As many more than are listed are held before the oldest are let go. */
const SPARE = 100;

function listOfLast(keep: number, indent: string): ListText {
  let items: string[] = [];
  const listed = (): readonly string[] => items.slice(Math.max(0, items.length - keep));
  return {
    add(item) {
      items.push(item);
      if (items.length >= 2 * keep + SPARE) items = [...listed()];
    },
    get length() {
      return Math.min(keep, items.length);
    },
    parts: () =>
      items.length === 0 || keep === 0
        ? []
        : [
            encoder.encode(
              listed()
                .map((item, at) => `${at === 0 ? "" : ","}\n${indent}${item}`)
                .join(""),
            ),
          ],
  };
}
