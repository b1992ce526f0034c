import { BylawError } from "@bylaw/kernel";

const MAX_SHOWN = 300;
const shown = (path: string): string => path.slice(0, MAX_SHOWN).replace(/\s+/g, " ");

/** The error for a path that no tool may touch, whatever the run decides. `why` completes "`path` …". */
export const refused = (path: string, why: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_PLACE_REFUSED", message: `\`${shown(path)}\` ${why}`, fix });

/** The error for a file that the tool cannot use. `why` completes "`path` …". */
export const unfit = (path: string, why: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_FILE_UNFIT", message: `\`${shown(path)}\` ${why}`, fix });

export const notFound = (path: string): BylawError =>
  new BylawError({ code: "BYLAW_FILE_UNFIT", message: `File not found: ${shown(path)}` });
