import { compileGlob, type Glob } from "./glob.ts";

/** Whether a word of a pattern covers a word of a command. */
export type Cover = (text: string) => boolean;

// A folder above, also as a server may decode it.
const CLIMBS = /(?:^|[/\\])(?:\.|%2e){2}(?:[/\\]|$)/i;
const URL_PARTS = /^([a-z*?][\w+.*?-]{0,32}:\/\/)([^/?#\\]*)(.*)$/is;

/**
 * Compiles one word of an allow. Wildcards mean what they look like: `build/*` never leaves `build`, and in the host of a URL they stand for
 * what a host is made of, so that `https://api.example.com*` is all of that host and no other. `url`: a word without a scheme is one, too.
 */
export function compileCover(glob: Glob, { url }: { readonly url: boolean }): Cover {
  const plain: Cover = (text) => glob.matches(text);
  if (glob.literal !== undefined) return plain;
  const matches =
    compileUrlCover(glob.source) ?? (url ? compileHostCover(glob.source) : undefined) ?? plain;
  if (CLIMBS.test(glob.source)) return matches;
  return (text) => matches(text) && !CLIMBS.test(text);
}

// A URL without a scheme, such as `api.example.com*`.
function compileHostCover(source: string): Cover | undefined {
  if (!/^[\w*?][^/]*\./.test(source)) return undefined;
  const covers = compileUrlCover(`https://${source}`);
  return covers === undefined
    ? undefined
    : (text) => !text.startsWith("-") && !text.includes("://") && covers(`https://${text}`);
}

function compileUrlCover(source: string): Cover | undefined {
  const [, scheme, authority = "", rest = ""] = URL_PARTS.exec(source) ?? [];
  if (scheme === undefined) return undefined;
  const open = rest === "" && authority.endsWith("*");
  const schemes = compileGlob(scheme);
  const hosts = compileGlob(
    (open && authority !== "*" ? authority.slice(0, -1) : authority) || "?*",
  );
  const paths = open ? undefined : rest === "" ? "" : compileGlob(rest);
  return (text) => {
    const [, given = "", host = "", path = ""] = URL_PARTS.exec(text) ?? [];
    if (!schemes.matches(given) || !hosts.matches(host)) return false;
    // What follows a backslash is a host for some programs.
    if ((host.includes("@") && !authority.includes("@")) || path.startsWith("\\")) return false;
    return paths === undefined || (paths === "" ? path === "" : paths.matches(path));
  };
}
