import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type JsonObject } from "@bylaw/kernel";

/** The error for a package that cannot be read as a ruleset. */
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
 * Runs `npm pack` with these arguments and returns its report about the package. No script of the package runs. Throws
 * BYLAW_RULESET_UNREADABLE with npm's message.
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
  const packed = parseJson(text);
  // A list, or with npm 12 and later an object by name.
  const [first] = Array.isArray(packed) ? packed : Object.values(packed ?? {});
  if (isJsonObject(first)) return first;
  throw unreadable("npm does not say what it packs", { fix: "Update npm" });
}

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
