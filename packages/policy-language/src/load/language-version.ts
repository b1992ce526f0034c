import shell from "@bylaw/shell/package.json" with { type: "json" };
import language from "../../package.json" with { type: "json" };

/**
 * Changes whenever the meaning of a policy may change. Includes the version of the program tables, because patterns
 * are compiled with them.
 */
export const LANGUAGE_VERSION = `${language.version} ${shell.version}`;
