import type { Host, SettingsFile } from "@bylaw/host";
import type { OptionSpec, OptionsOf } from "../command-line/command.ts";
import { usageError } from "../io/report-error.ts";
import { HOST_NAMES } from "./known-hosts.ts";
import { placeHere } from "./place.ts";

/** The options that choose the settings file. */
export const SCOPE_OPTIONS = [
  ["--user", "for all projects of this user (default)"],
  ["--project", "for the project in the current folder, on this machine"],
  ["--managed", "for all users of this machine; needs an administrator"],
  ["--json", "print JSON"],
] as const satisfies readonly OptionSpec[];

/** The argument that names a coding agent. */
export const HOST_ARGUMENT = { host: [`the coding agent: ${HOST_NAMES.join(", ")}`] } as const;

/** The scope that the options choose. Throws BYLAW_USAGE_INVALID if there are two. */
export function scopeOf(options: OptionsOf<typeof SCOPE_OPTIONS>): SettingsFile["scope"] {
  const scopes = ["user", "project", "managed"] as const;
  const [scope = "user", second] = scopes.filter((one) => options[one] === true);
  if (second === undefined) return scope;
  throw usageError(`\`--${scope}\` and \`--${second}\` cannot be given together`, "Remove one");
}

/** The settings file for the hook. Throws BYLAW_USAGE_INVALID if the host has no file of this scope. */
export function targetOf(host: Host, scope: SettingsFile["scope"]): string {
  const files = host.files(placeHere(), process.cwd());
  const target = files.find((one) => one.scope === scope && one.target);
  if (target !== undefined) return target.file;
  throw usageError(`${host.title} has no settings for \`--${scope}\``, "Use another scope");
}
