import { isBylawError, parseJson } from "@bylaw/config";

// Matches whole strings, single brackets and separators, or anything up to the next of these.
const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * The id in a JSON line that is not a call. Undefined if there are two ids, or if the id is a number that a double cannot hold
 * exactly, because it would be printed as another number.
 */
export function idIn(text: string): string | number | undefined {
  try {
    JSON.parse(text);
    const [written, second] = idsIn(text);
    if (written === undefined || second !== undefined) return undefined;
    const id = parseJson(written);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch (error) {
    if (isBylawError(error) || error instanceof SyntaxError || error instanceof RangeError)
      return undefined;
    throw error;
  }
}

/** The keys of the outermost object of a JSON text, in order, with duplicates. */
export const keysIn = (text: string): readonly string[] => entriesIn(text).map(([key]) => key);

const idsIn = (text: string): readonly string[] =>
  entriesIn(text).flatMap(([key, value]) => (key === "id" ? [value] : []));

// The keys of the outermost object, each with the first token of its value as written.
function entriesIn(text: string): readonly (readonly [key: string, value: string])[] {
  const entries: [string, string][] = [];
  let depth = 0;
  let key = "";
  let before = "";
  if (!text.trimStart().startsWith("{")) return entries;
  for (const [token] of text.matchAll(TOKEN)) {
    if (depth === 1 && token.startsWith('"') && before !== ":") key = String(JSON.parse(token));
    if (depth === 1 && before === ":") entries.push([key, token]);
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    before = token;
  }
  return entries;
}
