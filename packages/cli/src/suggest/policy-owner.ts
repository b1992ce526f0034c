import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findConfig, isBylawError } from "@bylaw/config";

/**
 * The configuration of the project that a policy belongs to, beside which its operators are listed. Only the file that is written counts,
 * because `--config` may name operators of anybody's own.
 */
export async function ownerOf(policy: string): Promise<string> {
  const folder = dirname(realPathOf(resolve(policy)));
  return (await configAbove(folder)) ?? join(folder.replace(/\/\.bylaw$/, ""), "bylaw.config.ts");
}

// The file, or folders above it, may still be missing.
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}

/** The nearest configuration of a folder, if there is one. */
export async function configAbove(folder: string): Promise<string | undefined> {
  try {
    return await findConfig(folder);
  } catch (error) {
    if (isBylawError(error) && error.code === "BYLAW_CONFIG_MISSING") return undefined;
    throw error;
  }
}
