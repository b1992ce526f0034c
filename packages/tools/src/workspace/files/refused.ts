import { BylawError } from "@bylaw/kernel";

const MAX_SHOWN = 300;
const shown = (path: string): string => path.slice(0, MAX_SHOWN).replace(/\s+/g, " ");

/** A path that no tool touches, whatever was decided. `why` completes "`path` …". */
export const refused = (path: string, why: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_PLACE_REFUSED", message: `\`${shown(path)}\` ${why}`, fix });

/** A file that is not what the tool needs. `why` completes "`path` …". */
export const unfit = (path: string, why: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_FILE_UNFIT", message: `\`${shown(path)}\` ${why}`, fix });

export const notFound = (path: string): BylawError =>
  new BylawError({ code: "BYLAW_FILE_UNFIT", message: `File not found: ${shown(path)}` });
