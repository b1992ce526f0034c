import { readdirSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { refuseIrregular } from "./read-text.ts";

/** The extensions of `bylaw.config.*`. */
export const CONFIG_EXTENSIONS = ["ts", "mts", "js", "mjs", "json", "yaml", "toml"] as const;

const NAMES: readonly string[] = CONFIG_EXTENSIONS.map((extension) => `bylaw.config.${extension}`);

/**
 * The absolute path of the nearest `bylaw.config.*` in `cwd` or above. Throws BYLAW_CONFIG_MISSING if there is none, and
 * BYLAW_CONFIG_INVALID if one folder has two or if it is not a regular file.
 */
export async function findConfig(cwd: string): Promise<string> {
  const start = resolve(cwd);
  const file = nearest(start);
  if (file === undefined) {
    throw new BylawError({
      code: "BYLAW_CONFIG_MISSING",
      message: `No bylaw.config.{${CONFIG_EXTENSIONS.join(",")}} in ${start} or above`,
      fix: "Run `bylaw init`, or name a file with `--config` or `--policy`",
    });
  }
  refuseTwo(dirname(file));
  refuseForeign(file, start);
  return file;
}

function nearest(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    for (const name of NAMES) {
      const file = join(folder, name);
      const stats = statsOf(file);
      if (stats === undefined) continue;
      refuseIrregular(file, stats);
      return file;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A folder that this user cannot enter has no configuration for it.
    return undefined;
  }
}

function refuseTwo(folder: string): void {
  const present = new Set(readdirSync(folder));
  const [first, second] = NAMES.filter((name) => present.has(name));
  if (first === undefined || second === undefined) return;
  throw new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: `The folder has two configurations, \`${first}\` and \`${second}\``,
    fix: "Remove one, or choose one with `--config`",
    source: { file: join(folder, second) },
  });
}

// The search goes upwards. From /tmp/job, it must not run a module that another user of the machine left in /tmp.
function refuseForeign(file: string, start: string): void {
  const self = process.getuid?.();
  if (self === undefined || dirname(file) === start) return;
  const owner = statSync(file).uid;
  if (owner === self || owner === 0 || owner === statSync(start).uid) return;
  throw new BylawError({
    code: "BYLAW_CONFIG_UNLOADABLE",
    message: "The nearest configuration is in a folder above and belongs to another user",
    fix: "Name it with `--config` if you trust it",
    source: { file },
  });
}
