import { compileGlob, type Glob } from "./glob.ts";

/** Whether a word of a pattern covers a word of a command. */
export type Cover = (text: string) => boolean;

/** A URL in a word of a pattern. Its parts may contain wildcards. */
export interface UrlWord {
  /** The option whose value the URL is, as in `--url=https://…`. Empty if there is none. */
  readonly option: string;
  /** The scheme with `://`. Empty if the URL has none. */
  readonly scheme: string;
  /** The user, host and port. */
  readonly authority: string;
  /** Everything after the host. */
  readonly rest: string;
}

// A `..` segment, also in forms that a server may decode.
const CLIMBS = /(?<=^|[/\\=])(?:\.|%2e){2}(?=[/\\]|$)/gi;
const OPTION = /^(--?\w[\w-]{0,64}=)(.*)$/s;
const URL_PARTS = /^([a-z*?][\w+.*?-]{0,32}:\/\/)([^/?#\\]*)(.*)$/is;
const BARE_URL = /^(?:[\w*?][^/]*\.|localhost(?:[*?:/]|$))/;
// A user at a host, as `ssh`, `scp` and git write it. A version such as `react@18*` is not.
const AT_HOST = /^([\w.+*?-]*@(?:[a-z][\w.-]*|(?:\d{1,3}\.){3})\*)([:/].*)?$/is;

/**
 * Compiles one word of an allow so that wildcards cover only what they seem to. `build/*` never leaves `build`. In
 * the host of a URL, a wildcard matches only characters of a host, so `https://api.example.com*` never covers another
 * host. `url`: a word without a scheme is a URL too.
 */
export function compileCover(glob: Glob, { url }: { readonly url: boolean }): Cover {
  const { source } = glob;
  const plain: Cover = (text) => glob.matches(text);
  if (glob.literal !== undefined) return plain;
  const parts = readUrlWord(source, { url });
  const matches =
    parts === undefined ? (compileAtHostCover(source) ?? plain) : compileUrlCover(parts);
  const climbs = climbsIn(source);
  return (text) => matches(text) && climbsIn(text) === climbs;
}

// A wildcard matches no `..` segment, so a text must have exactly as many as the pattern.
const climbsIn = (text: string): number =>
  text.includes("..") || text.includes("%") ? (text.match(CLIMBS)?.length ?? 0) : 0;

/** Parses a URL in a word of a pattern. `url`: a word without a scheme, such as `api.example.com*`, is a URL too. */
export function readUrlWord(
  source: string,
  { url }: { readonly url: boolean },
): UrlWord | undefined {
  const [, option = "", value = source] = OPTION.exec(source) ?? [];
  const written = URL_PARTS.exec(value);
  const bare = written === null && url && (option !== "" || BARE_URL.test(value));
  const [, scheme, authority = "", rest = ""] =
    written ?? (bare ? (URL_PARTS.exec(`https://${value}`) ?? []) : []);
  if (scheme === undefined || (bare && !BARE_URL.test(value))) return undefined;
  return { option, scheme: bare ? "" : scheme, authority, rest };
}

function compileUrlCover({ option, scheme, authority, rest }: UrlWord): Cover {
  const schemes = compileGlob(scheme === "" ? "https://" : scheme);
  const hosts = compileHostCover(authority);
  const open = rest === "" && authority.endsWith("*");
  const paths = open ? undefined : rest === "" ? "" : compileGlob(rest);
  return (text) => {
    if (!text.startsWith(option)) return false;
    const value = text.slice(option.length);
    if (scheme === "" && (value.startsWith("-") || value.includes("://"))) return false;
    const [, given = "", host = "", path = ""] =
      URL_PARTS.exec(scheme === "" ? `https://${value}` : value) ?? [];
    if (!schemes.matches(given) || !hosts(host)) return false;
    // Some programs read the text after a backslash as a host.
    if ((host.includes("@") && !authority.includes("@")) || path.startsWith("\\")) return false;
    if (paths === undefined) return true;
    return paths === "" ? path === "" : paths.matches(path.startsWith("/") ? path : `/${path}`);
  };
}

function compileAtHostCover(source: string): Cover | undefined {
  const [, authority, rest] = AT_HOST.exec(source) ?? [];
  if (authority === undefined) return undefined;
  const hosts = compileHostCover(authority);
  const paths = rest === undefined ? undefined : compileGlob(rest);
  return (text) => {
    const [host = ""] = /^[^:/]*/.exec(text) ?? [];
    return hosts(host) && paths?.matches(text.slice(host.length)) !== false;
  };
}

// A wildcard at the end stands for a port, the last number of an address, or nothing, so it never extends the host.
function compileHostCover(authority: string): Cover {
  if (authority === "" || authority === "*") return (host) => host !== "";
  if (!authority.endsWith("*")) {
    const glob = compileGlob(authority);
    return (host) => glob.matches(host);
  }
  const lead = authority.slice(0, -1);
  const glob = compileGlob(lead === "" ? "?*" : lead);
  if (!/(?:(?:^|@)(?:\d{1,3}\.){3}|:)$/.test(lead)) return (host) => glob.matches(host);
  return (host) => {
    const digits = /\d*$/.exec(host)?.[0] ?? "";
    return digits !== "" && glob.matches(host.slice(0, host.length - digits.length));
  };
}
