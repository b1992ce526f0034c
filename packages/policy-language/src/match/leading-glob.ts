import type { Word } from "@bylaw/shell";

/** A glob that may find names that are read as options, and the same glob with a folder before it. */
export interface LeadingGlob {
  readonly written: string;
  readonly safe: string;
  /** The words of the command with the safe glob. */
  readonly words: readonly Word[];
}

/** The first glob among the words of a command that begins with a wildcard. */
export function leadingGlob(words: readonly Word[]): LeadingGlob | undefined {
  const at = words.findIndex(
    ({ globbed, pieces: [first] }) => globbed === true && typeof first !== "string",
  );
  const glob = words[at];
  if (glob === undefined) return undefined;
  const written = glob.pieces
    .map((piece) => (typeof piece === "string" ? piece : piece.deep === true ? "**" : "*"))
    .join("");
  return {
    written,
    safe: `./${written}`,
    words: words.with(at, { ...glob, pieces: ["./", ...glob.pieces] }),
  };
}
