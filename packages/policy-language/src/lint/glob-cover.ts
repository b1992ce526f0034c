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
  return tokensCover(tokensOf(a), tokensOf(b), 0, 0);
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
  let lead = "";
  for (const token of tokensOf(glob)) {
    if (token.kind !== "literal") break;
    lead += token.text;
  }
  return lead;
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

// A star of `a` covers any tokens of `b`, including stars. A star of `b` needs one of `a`. Each pair of positions is tried once.
function tokensCover(
  a: readonly Token[],
  b: readonly Token[],
  i: number,
  j: number,
  seen = new Set<number>(),
): boolean {
  const place = i * (b.length + 1) + j;
  if (seen.has(place)) return false;
  seen.add(place);
  const outer = a[i];
  const inner = b[j];
  if (outer === undefined) return inner === undefined;
  if (outer.kind === "star")
    return (
      tokensCover(a, b, i + 1, j, seen) ||
      (inner !== undefined && tokensCover(a, b, i, j + 1, seen))
    );
  if (inner === undefined || inner.kind === "star") return false;
  const fits =
    outer.kind === "one" ||
    (inner.kind !== "one" && inner.kind === outer.kind && inner.text === outer.text);
  return fits && tokensCover(a, b, i + 1, j + 1, seen);
}

/** Splits a path glob into segments below the root. The path of the workspace or home may be any number of segments. */
export const pathSegments: (glob: string) => readonly string[] = memoize((glob) => {
  if (glob.startsWith("/")) return glob.slice(1).split("/").filter(Boolean);
  if (glob.startsWith("**")) return glob.split("/");
  const below = glob.replace(/^(?:\.\/)+/, "");
  return [
    below.startsWith("~") ? "~" : ".",
    ...below.split("/").filter((part) => part !== "" && part !== "." && part !== "~"),
  ];
});

/** Whether glob `a` matches every path that glob `b` matches. Returns false in doubt. */
export function pathCovers(a: string, b: string): boolean {
  return a === b || segmentsCover(pathSegments(a), pathSegments(b), 0, 0, new Set());
}

function segmentsCover(
  a: readonly string[],
  b: readonly string[],
  i: number,
  j: number,
  seen: Set<number>,
): boolean {
  const place = i * (b.length + 1) + j;
  if (seen.has(place)) return false;
  seen.add(place);
  const outer = a[i];
  const inner = b[j];
  if (outer === undefined) return inner === undefined;
  if (outer === "**")
    return (
      segmentsCover(a, b, i + 1, j, seen) ||
      (inner !== undefined && segmentsCover(a, b, i, j + 1, seen))
    );
  if (inner === undefined || inner === "**") return false;
  // `.` and `~` stand for several segments, so only the same sign certainly means the same folder.
  const folder = j === 0 && (inner === "." || inner === "~");
  if (folder || (i === 0 && (outer === "." || outer === "~"))) {
    return folder && outer === inner && segmentsCover(a, b, i + 1, j + 1, seen);
  }
  return globCovers(outer, inner) && segmentsCover(a, b, i + 1, j + 1, seen);
}
