import { domainToASCII } from "node:url";
import type { Json } from "@bylaw/kernel";
import { PatternError, quote } from "../load/finding.ts";
import { compileGlob, expand, type Glob } from "./glob.ts";
import { plainUrl, readings } from "./url.ts";

/** A compiled `network`: host globs for the URL of a network tool and for the hosts that a command reaches. */
export interface NetworkPattern {
  allows(url: Json | undefined): boolean;
  /** Matches a list if any item matches. An object cannot be read, so it matches. */
  denies(url: Json | undefined): boolean;
  /** Like `allows`, for a host instead of a URL. */
  allowsHost(host: string): boolean;
  deniesHost(host: string): boolean;
}

/** Compiles host globs: `api.example.com`, `*.internal`. Throws {@link PatternError}. */
export function compileNetwork(sources: readonly string[]): NetworkPattern {
  const globs = sources.flatMap(compileHost);
  const matches = (host: string): boolean =>
    host !== "" && globs.some((glob) => glob.matches(host));
  const denies = (url: Json | undefined): boolean => {
    if (url === undefined) return false;
    if (Array.isArray(url)) return url.some((item: Json) => denies(item));
    if (typeof url === "object" && url !== null) return true;
    return readings(String(url)).some(({ host }) => matches(host) || matches(`${host}.`));
  };
  return {
    allows(url) {
      const parsed = typeof url === "string" ? plainUrl(url) : undefined;
      return parsed !== undefined && matches(parsed.hostname);
    },
    denies,
    allowsHost(host) {
      const text = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
      const web = `http://${text}/`;
      return URL.canParse(web) && new URL(web).hostname === text && matches(text);
    },
    deniesHost: (host) =>
      matches(host) || denies(host) || denies(`http://${host}/`) || denies(`http://[${host}]/`),
  };
}

function compileHost(source: string): readonly Glob[] {
  if (/[/:@\s]/.test(source)) {
    throw new PatternError(
      `${quote(source)} in \`network\` is not a host like \`api.example.com\` or \`*.example.com\``,
      "Write only the host; for a path use `args = { url = { url_prefix = … } }`",
    );
  }
  if (source !== source.toLowerCase()) {
    throw new PatternError(
      `The host ${quote(source)} has capital letters`,
      `Write ${quote(source.toLowerCase())}`,
    );
  }
  return expand(source).map((host) => compileGlob(host.split(".").map(asciiLabel).join(".")));
}

// Hosts are compared in their ASCII form: `bücher.example` is `xn--bcher-kva.example`.
function asciiLabel(label: string): string {
  if (!/[^\u0000-\u007f]/.test(label)) return label;
  const ascii = /[*?[\]!]/.test(label) ? "" : domainToASCII(label);
  if (ascii !== "") return ascii;
  throw new PatternError(
    `${quote(label)} in \`network\` is not part of a host name`,
    "Write a wildcard as a separate label, between two dots",
  );
}
