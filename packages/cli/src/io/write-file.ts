import { writeFileSync } from "node:fs";
import { BylawError, messageOf } from "@bylaw/kernel";
import { place } from "./text.ts";

export interface WriteFileOptions {
  /** Whether to overwrite an existing file. */
  readonly force: boolean;
  /** The codes for a file that exists, and for one that cannot be written. */
  readonly codes: { readonly exists: `BYLAW_${string}`; readonly failed: `BYLAW_${string}` };
}

/** Writes the file that `--out` names. Throws an error with one of these codes. */
export function writeFile(target: string, text: string, { force, codes }: WriteFileOptions): void {
  try {
    writeFileSync(target, text, { flag: force ? "w" : "wx" });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === "EEXIST";
    const file = place({ file: target });
    throw new BylawError({
      code: exists ? codes.exists : codes.failed,
      message: exists
        ? `${file} already exists; nothing was written`
        : `Cannot write ${file}: ${messageOf(cause)}`,
      fix: exists
        ? "Name another file, or add `--force`"
        : "Name a file in a folder that you may write to",
      source: { file: target },
      cause,
    });
  }
}
