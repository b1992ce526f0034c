/** The items of a list as JSON, each on a line of its own. */
export interface ListText {
  add(item: string): void;
  /** How many items are listed. */
  readonly length: number;
  /** Parts of the text between `[` and `]`, in their order. */
  parts(): readonly Uint8Array[];
}

/** How many items are encoded once and for all. */
const BLOCK = 100;

/** A list that is only added to, of which the last `keep` are listed, or all. What does not change any more is encoded once. */
export function createListText({ keep, indent }: { readonly keep: number | undefined; readonly indent: string }): ListText {
  const encoder = new TextEncoder();
  const blocks: Uint8Array[] = [];
  let open: string[] = [];
  let sealed = 0;
  const textOf = (items: readonly string[], first: boolean): Uint8Array =>
    encoder.encode(items.map((item, index) => `${first && index === 0 ? "" : ","}\n${indent}${item}`).join(""));
  const listed = (): readonly string[] => (keep === undefined ? open : open.slice(Math.max(0, open.length - keep)));

  return {
    add(item) {
      open.push(item);
      if (keep !== undefined) {
        if (open.length >= 2 * keep + BLOCK) open = [...listed()];
      } else if (open.length === BLOCK) {
        blocks.push(textOf(open, sealed === 0));
        sealed += BLOCK;
        open = [];
      }
    },
    get length() {
      return sealed + listed().length;
    },
    parts: () => (open.length === 0 ? blocks : [...blocks, textOf(listed(), sealed === 0)]),
  };
}
