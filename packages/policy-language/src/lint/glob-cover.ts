import { memoize } from "./memoize.ts";

type Token =
  | { readonly kind: "star" | "one" }
  | { readonly kind: "class" | "literal"; readonly text: string };

const tokensOf = memoize((glob): readonly Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? "";
    if (char === "*") tokens.push({ kind: "star" });
    else if (char === "?") tokens.push({ kind: "one" });
    else if (char === "[") {
      const end = glob.indexOf("]", at + (glob[at + 1] === "!" ? 3 : 2));
      tokens.push({ kind: "class", text: glob.slice(at, end + 1) });
      at = end;
    } else tokens.push({ kind: "literal", text: char === "\\" ? (glob[++at] ?? "") : char });
  }
  return tokens;
});

/** Whether glob `a` matches every text that glob `b` matches. Returns false in doubt. */
export function globCovers(a: string, b: string): boolean {
  if (a === b || a === "*") return true;
  if (!b.startsWith(literalPrefix(a)) && !b.includes("\\")) return false;
  return itemsCover(tokensOf(a), tokensOf(b), isStar, isCovered);
}

/** Whether some glob of `a` covers each glob of `b`. Without `a` there is no condition; without `b` any text is possible. */
export function listCovers(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): boolean {
  if (a === undefined) return true;
  return b?.every((inner) => a.some((outer) => globCovers(outer, inner))) === true;
}

/** The text that every match of a glob starts with. */
export const literalPrefix: (glob: string) => string = memoize((glob) => {
  let prefix = "";
  for (const token of tokensOf(glob)) {
    if (token.kind !== "literal") break;
    prefix += token.text;
  }
  return prefix;
});

/** Whether a glob matches only one text. */
export const isLiteral: (glob: string) => boolean = memoize((glob) =>
  tokensOf(glob).every(({ kind }) => kind === "literal"),
);

/** A text that a glob matches. */
export function sampleOf(glob: string): string {
  return tokensOf(glob)
    .map((token) =>
      token.kind === "literal" ? token.text : token.kind === "class" ? memberOf(token.text) : "x",
    )
    .join("");
}

function memberOf(text: string): string {
  if (!text.startsWith("[!")) return text[1] ?? "x";
  return ["x", "y", "0", "-"].find((char) => !text.includes(char)) ?? "~";
}

const isStar = ({ kind }: Token): boolean => kind === "star";

const isCovered = (outer: Token, inner: Token): boolean =>
  outer.kind === "one" ||
  ("text" in outer && "text" in inner && inner.kind === outer.kind && inner.text === outer.text);

// An `isMany` item of `a` covers any items of `b`. One of `b` needs one of `a`. Each pair of positions is tried once.
function itemsCover<T>(
  a: readonly T[],
  b: readonly T[],
  isMany: (item: T) => boolean,
  fits: (outer: T, inner: T, i: number, j: number) => boolean,
): boolean {
  const seen = new Set<number>();
  const coversFrom = (i: number, j: number): boolean => {
    const pair = i * (b.length + 1) + j;
    if (seen.has(pair)) return false;
    seen.add(pair);
    const outer = a[i];
    const inner = b[j];
    if (outer === undefined) return inner === undefined;
    if (isMany(outer)) return coversFrom(i + 1, j) || (inner !== undefined && coversFrom(i, j + 1));
    if (inner === undefined || isMany(inner)) return false;
    return fits(outer, inner, i, j) && coversFrom(i + 1, j + 1);
  };
  return coversFrom(0, 0);
}

/** Splits a path glob into segments below the root. The path of the workspace or home may be any number of segments. */
export const pathSegments: (glob: string) => readonly string[] = memoize((glob) => {
  if (glob.startsWith("/")) return glob.slice(1).split("/").filter(Boolean);
  if (glob.startsWith("**")) return glob.split("/");
  const relative = glob.replace(/^(?:\.\/)+/, "");
  return [
    relative.startsWith("~") ? "~" : ".",
    ...relative.split("/").filter((part) => part !== "" && part !== "." && part !== "~"),
  ];
});

/** Whether glob `a` matches every path that glob `b` matches. Returns false in doubt. */
export const pathCovers = (a: string, b: string): boolean =>
  a === b || itemsCover(pathSegments(a), pathSegments(b), isTree, isSegmentCovered);

const isTree = (segment: string): boolean => segment === "**";
const isFolder = (segment: string): boolean => segment === "." || segment === "~";

// `.` and `~` stand for several segments, so only the same sign certainly means the same folder.
function isSegmentCovered(outer: string, inner: string, i: number, j: number): boolean {
  const folder = j === 0 && isFolder(inner);
  if (folder || (i === 0 && isFolder(outer))) return folder && outer === inner;
  return globCovers(outer, inner);
}
