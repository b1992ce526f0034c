import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";

// These variables make Node, jiti, OpenSSL, the shell or the loader run other code first, replace the shell of a hook, move the user's policies,
// or send calls elsewhere.
const MISLEADS =
  /^(?:NODE_(?!(?:ENV|VERSION|AUTH_TOKEN)$)\w+|JITI_\w+|OPENSSL_\w+|BASH_ENV|BASH_FUNC_.*|ENV|LD_\w+|DYLD_\w+|HOME|XDG_CONFIG_HOME|CLAUDE_CONFIG_DIR|CLAUDE_CODE_SHELL_PREFIX|CLAUDE_CODE_GIT_BASH_PATH|BYLAW_MCP_\w+)$/;

/**
 * The variable under `env` of a settings file, or of a `.env` file, that can change what a hook runs or decides. Undefined if there is
 * none. `off`: names that make this host skip its hooks.
 */
export function misleadingVariable(
  { env }: JsonObject,
  off: readonly string[] = [],
): string | undefined {
  const names: readonly string[] = isJsonObject(env) ? Object.keys(env) : [];
  const name = names.find((one) => MISLEADS.test(one) || off.includes(one));
  return name && `\`env.${name}\`, which can change what a hook runs or decides`;
}

// A `.env` file replaces no variable that is set, and shells read `ENV` only for a person. Projects often use that name.
const HARMLESS: ReadonlySet<string> = new Set(["ENV", "HOME"]);

/** The variables in the text of a `.env` file. Their values are left out. Readers differ, so whatever may be a variable counts. */
export const variablesIn = (text: string): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/(?:^|[\r\n])\s*(?:export\s+)?([\w.()%-]+)\s*[=:]/g))
      .map(([, name = ""]) => [name, ""] as const)
      .filter(([name]) => !HARMLESS.has(name)),
  );
