import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type JsonObject } from "@bylaw/kernel";

/** What cannot be read as a ruleset package, and why. */
export const unreadable = (
  message: string,
  { fix, file, cause }: { readonly fix?: string; readonly file?: string; readonly cause?: unknown },
): BylawError =>
  new BylawError({
    code: "BYLAW_RULESET_UNREADABLE",
    message,
    fix,
    cause,
    ...(file === undefined ? {} : { source: { file } }),
  });

/**
 * What `npm pack` says of a package, with these arguments. No script of the package runs. Throws BYLAW_RULESET_UNREADABLE with
 * what npm said.
 */
export async function npmPack(args: readonly string[], cwd: string): Promise<JsonObject> {
  let text: string;
  try {
    const argv = ["pack", "--json", "--ignore-scripts", ...args];
    ({ stdout: text } = await run("npm", argv, { cwd, maxBuffer: MAX_OUTPUT }));
  } catch (cause) {
    const { stderr = "" } = cause as { readonly stderr?: string };
    const said = /^npm (?:error|ERR!) (?!code )(.+)$/m.exec(stderr)?.[1] ?? messageOf(cause);
    throw unreadable(`npm cannot pack it: ${said}`, {
      fix: "Check that npm is installed, and the name and version",
      cause,
    });
  }
  const told = parseJson(text);
  // A list, or from npm 12 on a table by name.
  const [first] = Array.isArray(told) ? told : Object.values(told ?? {});
  if (isJsonObject(first)) return first;
  throw unreadable("npm does not say what it packs", { fix: "Update npm" });
}

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
