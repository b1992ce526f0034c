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
    if (isBylawError(error) || error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

// The values of every key `id` of the outermost object, as they are written. The text is JSON.
function idsIn(text: string): readonly string[] {
  const ids: string[] = [];
  let depth = 0;
  let key: unknown;
  let before = "";
  if (!text.trimStart().startsWith("{")) return ids;
  for (const [token] of text.matchAll(TOKEN)) {
    if (depth === 1 && token.startsWith('"') && before !== ":") key = JSON.parse(token);
    if (depth === 1 && before === ":" && key === "id") ids.push(token);
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    before = token;
  }
  return ids;
}
