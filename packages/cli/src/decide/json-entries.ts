import { isBylawError, parseJson } from "@bylaw/config";

// Strings whole, brackets and separators alone, everything else up to them.
const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * The id of a line that is JSON, but not a call. Of two ids none is the id; nor is a number that a double cannot hold, which
 * would come back as another.
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

/** The keys of the outermost object, each as often as it is written. The text is JSON. */
export const keysIn = (text: string): readonly string[] => entriesIn(text).map(([key]) => key);

const idsIn = (text: string): readonly string[] =>
  entriesIn(text).flatMap(([key, value]) => (key === "id" ? [value] : []));

// The keys of the outermost object with the first token of each value, as it is written.
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
