import { PatternError, quote } from "../load/finding.ts";

/** A compiled `url_prefix`. */
export interface UrlPrefix {
  /** Scheme, host and port in a normal form that ends in `/`. */
  readonly origin: string;
  /** Matches only if every reader finds the same origin and path in the URL. */
  allows(text: string): boolean;
  /** Matches if any common reading of the URL is below the prefix, or equals the prefix without its last slash. */
  denies(text: string): boolean;
}

/** One possible reading of a text as a URL. */
export interface UrlReading {
  readonly scheme: string;
  /** The host in lower case, without dots at the end. An IPv4 address inside an IPv6 address is given as IPv4. */
  readonly host: string;
  readonly port: string;
  /** The path as a URL parser normalizes it, and as written. */
  readonly paths: readonly string[];
}

/** Compiles a URL prefix. Throws {@link PatternError}. */
export function compileUrlPrefix(source: string): UrlPrefix {
  const prefix = URL.canParse(source) ? new URL(source) : undefined;
  if (prefix === undefined || prefix.host === "") {
    throw new PatternError(`${quote(source)} is not a URL like \`https://host/path/\``);
  }
  if (
    prefix.username !== "" ||
    prefix.password !== "" ||
    prefix.search !== "" ||
    prefix.hash !== ""
  ) {
    throw new PatternError(
      `${quote(source)} has a user, query or fragment. Write scheme, host and path only`,
    );
  }
  const origin = `${prefix.protocol}//${prefix.host}/`;
  const path = prefix.pathname;
  const below = (pathname: string): boolean =>
    pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
  const host = looseHost(prefix.hostname);
  const decoded = decodeOnce(bytesOf(path));
  const folders = [false, true].map((merge) =>
    settle(decoded, { merge, params: false }).replace(/\/$/, ""),
  );
  return {
    origin,
    allows(text) {
      const url = plainUrl(text);
      return url !== undefined && `${url.protocol}//${url.host}/` === origin && below(url.pathname);
    },
    denies(text) {
      return readings(text, prefix.protocol).some(
        (url) =>
          url.scheme === prefix.protocol &&
          url.host === host &&
          url.port === prefix.port &&
          url.paths.some(
            (one) =>
              one.length > MAX_PATH ||
              servedPaths(one).some((served) => folders.some((folder) => isBelow(served, folder))),
          ),
      );
    },
  };
}

const PLAIN =
  /^[a-z][a-z0-9+.-]*:\/\/([a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::[0-9]*)?(\/[^?#]*)?(?:[?#]|$)/i;

/**
 * Parses a URL that has only one reading. It must begin literally with `scheme://host` and have no user, backslash,
 * space or control character. Its path must have no empty or dot segment, and no escape that hides a plain character,
 * a separator or broken text. Undefined for any other text.
 */
export function plainUrl(text: string): URL | undefined {
  if (/[\u0000-\u0020\u007f-\u00a0\\\u2028\u2029]/.test(text)) return undefined;
  const [, host, path = ""] = PLAIN.exec(text) ?? [];
  if (host === undefined || !URL.canParse(text) || !isPlainPath(path)) return undefined;
  // A reader that does not know queries and fragments takes everything before an `@` for the user.
  if (
    path === "" &&
    text
      .replace(/^[^/]*\/\//, "")
      .replace(/\/.*$/s, "")
      .includes("@")
  )
    return undefined;
  const url = new URL(text);
  return url.hostname === host.toLowerCase() && url.username === "" && url.password === ""
    ? url
    : undefined;
}

function isPlainPath(path: string): boolean {
  // Letters of any script are safe. Other characters beyond ASCII may look like dots and slashes.
  if (/[^!-~\p{L}\p{M}\p{N}]|%(?![0-9a-f]{2})/iu.test(path)) return false;
  if (/%(?:[01][0-9a-f]|25|2d|2e|2f|3[0-9]|4[1-9a-f]|5[0-9ac]|5f|6[1-9a-f]|7[0-9aef])/i.test(path))
    return false;
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return false;
  }
  const segments = decoded.split("/").map((segment) => segment.replace(/;.*$/s, ""));
  return (
    !segments.slice(1, -1).includes("") && !segments.includes("..") && !/(?:^|\/)\.;/.test(decoded)
  );
}

/** Every common reading of a text. A text without a scheme counts as a host with a path. */
export function readings(text: string, scheme = "https:"): readonly UrlReading[] {
  const bare = text.replace(/[\u0000-\u001f\u007f\u00ad\u200b-\u200d\u2060\ufeff]/g, "").trim();
  const slashes = bare.replaceAll("\\", "/");
  const all = new Set([text, slashes, bare.replaceAll("\\", "%5c")]);
  // Removes prefixes such as `view-source:`.
  all.add(slashes.replace(/^(?:[a-z][a-z0-9+.-]*:){1,8}(?=[a-z][a-z0-9+.-]*:\/\/)/i, ""));
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(slashes))
    all.add(`${scheme}//${slashes.replace(/^\/+/, "")}`);
  // Some readers end the host only at the first slash, and some end the user at the first `@`.
  for (const one of [...all]) {
    const [, name = "", authority = "", rest = ""] =
      /^([a-z][a-z0-9+.-]*:)\/*([^/]*)(.*)$/is.exec(one) ?? [];
    const parts = authority.split("@");
    if (parts.length > 1)
      for (const part of [parts[1] ?? "", parts.at(-1) ?? ""]) all.add(`${name}//${part}${rest}`);
  }
  return [...all].flatMap((one) => read(one) ?? []);
}

function read(text: string): UrlReading | undefined {
  const [, scheme = "", authority = "", path = ""] =
    /^([a-z][a-z0-9+.-]*:)\/*([^/?#]*)([^?#]*)/is.exec(text) ?? [];
  if (URL.canParse(text)) {
    const { protocol, hostname, port, pathname } = new URL(text);
    return { scheme: protocol, host: looseHost(hostname), port, paths: [pathname, path] };
  }
  // A strict reader rejects this URL, but a lax one still finds a host.
  const host = authority.replace(/^.*@/s, "").replace(/:[^:\]]*$/, "");
  const [shown = ""] = host.split(/%0|\s/, 1);
  return shown === ""
    ? undefined
    : { scheme: scheme.toLowerCase(), host: looseHost(shown), port: "", paths: [path] };
}

function looseHost(hostname: string): string {
  let end = hostname.length;
  while (hostname[end - 1] === ".") end--;
  const bare = hostname.slice(0, end);
  // Parse it as a web address, so that case, escapes and numbers are normalized for every scheme.
  const web = `http://${bare}/`;
  const host = (URL.canParse(web) ? new URL(web).hostname : bare).toLowerCase();
  const [, high, low] =
    /^\[(?:::|::ffff:|::ffff:0:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

const MAX_DECODINGS = 3;

// No server accepts a longer path, and one that does may find anything in it.
const MAX_PATH = 65_536;

// The paths that servers may understand: decoded up to three times, with slashes merged or not, with `;params` removed or not.
function servedPaths(path: string): readonly string[] {
  const all = new Set<string>();
  let text = bytesOf(path);
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    for (const merge of [false, true])
      for (const params of [false, true]) all.add(settle(text, { merge, params }));
    const next = decodeOnce(text);
    if (next === text) break;
    text = next;
  }
  return [...all];
}

function settle(
  path: string,
  { merge, params }: { readonly merge: boolean; readonly params: boolean },
): string {
  const settled: string[] = [];
  for (const written of path.replaceAll("\\", "/").split("/").slice(1)) {
    const segment = params ? written.replace(/;.*$/s, "") : written;
    if (segment === "." || (merge && segment === "")) continue;
    if (segment === "..") settled.pop();
    else settled.push(segment);
  }
  return `/${settled.join("/")}`;
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder) &&
  (path.length === folder.length || /[/;?#\u0000-\u0020]/.test(path[folder.length] ?? ""));

// Converts text to its UTF-8 bytes, one character each, so that escapes of any bytes can be compared.
const bytesOf = (text: string): string =>
  text.replace(/[^\u0000-\u007f]+/g, (run) => Buffer.from(run, "utf8").toString("latin1"));

// Decodes escapes one by one, so that a malformed one hides no other. Overlong forms of ASCII become ASCII.
function decodeOnce(bytes: string): string {
  return bytes
    .replace(
      /%u00([0-9a-f]{2})|%([0-9a-f]{2})/gi,
      (_, wide: string | undefined, byte: string | undefined) =>
        String.fromCharCode(Number.parseInt(wide ?? byte ?? "", 16)),
    )
    .replace(/[\u00c0\u00c1][\u0080-\u00bf]/g, (pair) =>
      String.fromCharCode(((pair.charCodeAt(0) & 1) << 6) | (pair.charCodeAt(1) & 63)),
    );
}
