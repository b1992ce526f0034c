import type { Json } from "@bylaw/kernel";
import { PatternError, quote } from "./finding.ts";
import { compileGlob, expand, type Glob } from "./glob.ts";
import { plainUrl, readings } from "./url.ts";

/** A compiled `network`: host globs for the URL of a network tool. */
export interface NetworkPattern {
  allows(url: Json | undefined): boolean;
  denies(url: Json | undefined): boolean;
}

/** Compiles host globs: `api.example.com`, `*.internal`. Throws {@link PatternError}. */
export function compileNetwork(sources: readonly string[]): NetworkPattern {
  const globs = sources.flatMap(compileHost);
  const matches = (host: string): boolean => globs.some((glob) => glob.matches(host));
  return {
    allows(url) {
      const parsed = typeof url === "string" ? plainUrl(url) : undefined;
      return parsed !== undefined && parsed.hostname !== "" && matches(parsed.hostname);
    },
    denies: (url) =>
      typeof url === "string" && readings(url).some(({ hostname }) => matches(hostname) || matches(hostname.replace(/\.$/, ""))),
  };
}

function compileHost(source: string): readonly Glob[] {
  if (/[/:@\s]/.test(source)) {
    throw new PatternError(
      `Unexpected ${quote(source)} in \`network\`, expected a host like \`api.example.com\` or \`*.example.com\``,
      "write only the host; for a path use `args = { url = { url_prefix = … } }`",
    );
  }
  if (source !== source.toLowerCase()) {
    throw new PatternError(
      `Unexpected capital letter in the host ${quote(source)}, expected lower case`,
      `write ${quote(source.toLowerCase())}`,
    );
  }
  return expand(source).map(compileGlob);
}
