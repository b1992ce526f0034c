import type { Effect, PathText } from "./analysis.ts";

/** What is meant is what a link leads to, and not the link. */
export const OPENED = /\/\.?$/;

/** The path of an effect, where it is known and no glob. */
export const plainText = ({ path }: Extract<Effect, { readonly path: PathText }>): string | undefined =>
  path.text === undefined || path.pattern !== undefined ? undefined : path.text;

/**
 * The path, said so that whoever follows links cannot say where it leads if there is one in it: each name, up, and the name again. What a
 * link says is read from where it stands, and nobody knows here what it says.
 */
export const linkless = (path: string): string =>
  (path.startsWith("/") ? "/" : "") +
  path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .map((name) => (name === ".." || name === "~" ? name : `${name}/../${name}`))
    .join("/");

/**
 * An effect in a line that makes something lead elsewhere. A link that was there before may lead to that, and so may the folder that it is put
 * into: nobody can say here where they lead, so there is to be none on the way. `entry`: the last name may be one, because it is the link itself that is
 * moved, copied or put there; so it is where a link is deleted.
 */
export function withoutLinks(effect: Effect, { entry }: { readonly entry: boolean }): readonly Effect[] {
  if (!("path" in effect)) return [effect];
  const text = plainText(effect);
  if (text === undefined) return [effect];
  const last = (entry || effect.kind === "delete") && !OPENED.test(text) ? text.lastIndexOf("/") + 1 : text.length;
  const folders = linkless(text.slice(0, last));
  if (folders === "" || folders === "/") return [effect];
  return [effect, { ...effect, path: { text: last === text.length ? folders : `${folders}/${text.slice(last)}` } }];
}
