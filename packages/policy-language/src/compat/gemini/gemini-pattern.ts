import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { PatternError, quote } from "../../load/finding.ts";
import { loadRe2 } from "../../match/lazy-modules.ts";
import { compileRegex } from "../../match/regex.ts";

/** Finds a regular expression anywhere in a text, in linear time. */
export interface Finder {
  finds(text: string): boolean;
}

/** Compiles `argsPattern`. Throws {@link PatternError}. */
export function compileArgsPattern(source: string): Finder {
  return finder(source, source);
}

/**
 * Compiles `commandRegex`, which begins where the command begins. An allow also wants it to end where a word ends, because `git`
 * would cover `gitleaks`. Throws {@link PatternError}.
 */
export function compileCommandRegex(
  source: string,
  { whole }: { readonly whole: boolean },
): Finder {
  if (source.startsWith("^") || /(^|[^\\])(\\\\)*\$$/.test(source)) {
    throw new PatternError(
      `The anchor in ${quote(source)} never matches: gemini-cli looks for the pattern inside JSON`,
      "Drop it: the pattern begins where the command begins",
    );
  }
  // An open alternative leaves the place that gemini-cli puts before the pattern, so it holds anywhere.
  const start = whole || !hasOpenAlternative(source) ? "^" : "";
  return finder(source, `${start}(?:${source})${whole ? "(?:\\s|$)" : ""}`);
}

/** Whether a regular expression has alternatives outside of groups. */
export const hasOpenAlternative = (source: string): boolean =>
  source
    .replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, "")
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "")
    .includes("|");

// The pattern alone is compiled first, so that a message shows what was written and a loose parenthesis cannot leave the group.
function finder(source: string, wrapped: string): Finder {
  compileRegex(source, { dotAll: false });
  const compiled = loadRe2().RE2JS.compile(wrapped);
  return { finds: (text) => compiled.test(text) };
}

/** Text as it stands inside a JSON string. */
export const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The arguments as gemini-cli's patterns see them: keys in order, and a NUL around each pair at the top. */
export function argsText(args: JsonObject | readonly Json[]): string {
  if (!isJsonObject(args)) return stable(args);
  return `{${pairs(args)
    .map(([key, value]) => `\0${JSON.stringify(key)}:${stable(value)}\0`)
    .join(",")}}`;
}

/**
 * Each argument at the top alone, where it is text, a number, true, false or null. An allow sees no more: a pattern that may run from one
 * argument into the next, or find its text in a nested one, would let the agent choose what it matches.
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
