import shell from "@bylaw/shell/package.json" with { type: "json" };
import language from "../../package.json" with { type: "json" };

/** What a policy means can change with either: patterns are compiled by the tables of programs. */
export const LANGUAGE_VERSION = `${language.version} ${shell.version}`;
