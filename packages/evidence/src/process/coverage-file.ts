import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PLACES = ["coverage/lcov.info", "lcov.info"];
const MAX_BYTES = 64 * 1024 * 1024;
const SLACK_MS = 50;

/**
 * Returns the line coverage in percent from the runner's lcov file, if the file was changed since `began`; otherwise null. Uses
 * the change time (ctime), which no program can set.
 */
export function freshCoverage(workspace: string, began: number): number | null {
  for (const place of PLACES) {
    let handle: number | undefined;
    try {
      handle = openSync(
        join(workspace, place),
        constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      );
      const { ctimeMs, size, isFile } = withKind(handle);
      if (isFile && size <= MAX_BYTES && ctimeMs >= began - SLACK_MS)
        return linesOf(readFileSync(handle, "utf8"));
    } catch {
      // Leave the coverage empty.
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }
  return null;
}

function withKind(handle: number): {
  readonly ctimeMs: number;
  readonly size: number;
  readonly isFile: boolean;
} {
  const found = fstatSync(handle);
  return { ctimeMs: found.ctimeMs, size: found.size, isFile: found.isFile() };
}

function linesOf(text: string): number | null {
  let found = 0;
  let hit = 0;
  for (const [, kind, number] of text.matchAll(/^L([FH]):(\d{1,9})\r?$/gm)) {
    if (kind === "F") found += Number(number);
    else hit += Number(number);
  }
  return found === 0 || hit > found ? null : Math.round((hit / found) * 10_000) / 100;
}
