import { PatternError, quote } from "./finding.ts";

/** A compiled `url_prefix`. */
export interface UrlPrefix {
  /** Scheme, host and port in one form, ending in `/`. */
  readonly origin: string;
  /** Covers a URL only when every reader would read the same origin and path in it. */
  allows(text: string): boolean;
  /** Matches when any usual reading of the URL lies below the prefix. */
  denies(text: string): boolean;
}

/** Compiles a URL prefix. Throws {@link PatternError}. */
export function compileUrlPrefix(source: string): UrlPrefix {
  const prefix = URL.canParse(source) ? new URL(source) : undefined;
  if (prefix === undefined || prefix.host === "") {
    throw new PatternError(`Unexpected URL ${quote(source)}, expected one like \`https://host/path/\``);
  }
  if (prefix.username !== "" || prefix.password !== "" || prefix.search !== "" || prefix.hash !== "") {
    throw new PatternError(`Unexpected user, query or fragment in ${quote(source)}, expected scheme, host and path`);
  }
  const origin = originOf(prefix);
  const path = prefix.pathname;
  const below = (pathname: string): boolean => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
  return {
    origin,
    allows(text) {
      const url = plainUrl(text);
      return url !== undefined && originOf(url) === origin && below(url.pathname);
    },
    denies(text) {
      return readings(text).some((url) => looseOrigin(url) === origin && below(url.pathname));
    },
  };
}

/** A URL that has one reading only: no user, no blank or control character, no backslash, no encoded dot, slash or percent. */
export function plainUrl(text: string): URL | undefined {
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return undefined;
  const path = text.replace(/[?#].*$/s, "");
  if (/%(2e|2f|5c|25|0[0-9a-f]|1[0-9a-f])/i.test(path) || path.includes("@")) return undefined;
  return url;
}

/** The URL as written, and as a server that decodes its path would see it. */
export function readings(text: string): readonly URL[] {
  const slashes = text.replaceAll("\\", "/");
  const all: URL[] = [];
  for (const candidate of new Set([text, slashes])) {
    if (!URL.canParse(candidate)) continue;
    const url = new URL(candidate);
    all.push(url);
    const decoded = decode(url.pathname);
    if (decoded !== url.pathname && URL.canParse(decoded, url.href)) all.push(new URL(decoded.replace(/^\/+/, "/"), url.href));
  }
  return all;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll("\\", "/");
  } catch {
    return path;
  }
}

const originOf = (url: URL): string => `${url.protocol}//${url.host}/`;
const looseOrigin = (url: URL): string => `${url.protocol}//${url.host.replace(/\.(?=:|$)/, "")}/`;
