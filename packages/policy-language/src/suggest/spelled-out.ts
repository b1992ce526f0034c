import type { Place } from "../paths/place.ts";
import type { PathFacts } from "../paths/path-facts.ts";

/** The narrowest glob for a text. A character that a glob cannot contain becomes `?`. */
export const globOf = (text: string): string =>
  text.replace(/[*?[\\]/g, "\\$&").replace(/[{}|]/g, "?");

/** The same for one word of a command pattern, of which each character is spelled out: a line break may end a comment that a blank does not. */
export const wordGlobOf = (text: string): string =>
  text.replace(/[\s\p{Cc}*?[\\{}"'`$;&|<>()#]/gu, "\\$&");

/**
 * The narrowest glob for a path, relative to the workspace or home folder if it is inside. `below`: includes
 * everything below the path.
 */
export function pathGlobOf(
  place: Place,
  { workspace, home }: Pick<PathFacts, "workspace" | "home">,
  { below }: { readonly below: boolean },
): string {
  const bases = [
    { folder: workspace, name: "." },
    { folder: home, name: "~" },
  ];
  const base = bases.find(({ folder }) => folder !== undefined && place.isBelow(folder));
  const rest = place.segments
    .slice(base?.folder?.segments.length ?? 0)
    .map((segment) => segment.replace(/[*?[\]{}()|\\]/g, "?"));
  const path = [base?.name ?? "", ...rest, ...(below ? ["**"] : [])].join("/");
  return path === "" ? "/" : path;
}
