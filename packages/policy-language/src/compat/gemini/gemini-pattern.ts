import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { PatternError, quote } from "../../load/finding.ts";
import { loadRe2 } from "../../match/lazy-modules.ts";
import { compileRegex } from "../../match/regex.ts";

/** Searches a text for a regular expression, in linear time. */
export interface Finder {
  finds(text: string): boolean;
}

/** Compiles `argsPattern`. Throws {@link PatternError}. */
export function compileArgsPattern(source: string): Finder {
  return finder(source, source);
}

/**
 * Compiles `commandRegex`, which starts matching at the start of the command. For an allow, the match must also end
 * at the end of a word; otherwise `git` covers `gitleaks`. Throws {@link PatternError}.
 */
export function compileCommandRegex(
  source: string,
  { whole }: { readonly whole: boolean },
): Finder {
  if (source.startsWith("^") || /(^|[^\\])(\\\\)*\$$/.test(source)) {
    throw new PatternError(
      `The anchor in ${quote(source)} never matches: gemini-cli looks for the pattern inside JSON`,
      "Remove it: the pattern begins where the command begins",
    );
  }
  // An alternative outside of groups escapes the anchor that gemini-cli puts before the pattern, so it may match anywhere.
  const start = whole || !hasOpenAlternative(source) ? "^" : "";
  return finder(source, `${start}(?:${source})${whole ? "(?:\\s|$)" : ""}`);
}

/** Whether a regular expression has alternatives outside of groups. */
export const hasOpenAlternative = (source: string): boolean =>
  source
    .replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, "")
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "")
    .includes("|");

// Compile the bare pattern first: an error then shows what was written, and a stray parenthesis cannot close the group.
function finder(source: string, wrapped: string): Finder {
  compileRegex(source, { dotAll: false });
  const compiled = loadRe2().RE2JS.compile(wrapped);
  return { finds: (text) => compiled.test(text) };
}

/** Escapes text as inside a JSON string. */
export const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Formats arguments as gemini-cli's patterns see them: keys sorted, and a NUL around each top-level pair. */
export function argsText(args: JsonObject | readonly Json[]): string {
  if (!isJsonObject(args)) return stable(args);
  return `{${pairs(args)
    .map(([key, value]) => `\0${JSON.stringify(key)}:${stable(value)}\0`)
    .join(",")}}`;
}

/**
 * Formats each top-level argument on its own if it is text, a number, true, false or null. An allow sees only these.
 * If a pattern could span arguments or match nested text, the agent could choose what it matches.
 */
export function plainPairs(args: JsonObject | readonly Json[]): readonly string[] {
  if (!isJsonObject(args)) return [];
  return pairs(args).flatMap(([key, value]) =>
    typeof value === "object" && value !== null
      ? []
      : [`{\0${JSON.stringify(key)}:${JSON.stringify(value)}\0}`],
  );
}

const pairs = (value: JsonObject): readonly (readonly [string, Json])[] =>
  Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

function stable(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(stable).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${pairs(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${stable(item)}`)
    .join(",")}}`;
}
