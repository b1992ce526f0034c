import { BylawError } from "@bylaw/kernel";

const MAX_SHOWN = 300;
const shown = (path: string): string => path.slice(0, MAX_SHOWN).replace(/\s+/g, " ");

/** A place that no tool touches, whatever was decided. */
export const refused = (path: string, why: string, fix?: string): BylawError =>
  new BylawError({
    code: "BYLAW_PLACE_REFUSED",
    message: `Unexpected path \`${shown(path)}\` that ${why}, expected a place in the workspace`,
    fix,
  });

/** A file that is not what the tool needs. */
export const unfit = (path: string, what: string, wanted: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_FILE_UNFIT", message: `Unexpected ${what} \`${shown(path)}\`, expected ${wanted}`, fix });
