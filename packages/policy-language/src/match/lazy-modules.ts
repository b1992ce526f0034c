import { createRequire } from "node:module";
import type ignore from "ignore";
import type micromatch from "micromatch";
import type * as re2 from "re2js";

// Most policies need none of these libraries, and loading them takes a tenth of the time of a short command.
const load = createRequire(import.meta.url);

/** Loads micromatch, which only patterns with braces need. */
export const loadMicromatch = (): typeof micromatch => load("micromatch") as typeof micromatch;

/** Loads re2js, which only rules with regular expressions need. */
export const loadRe2 = (): typeof re2 => load("re2js") as typeof re2;

/** Loads the reader of `.gitignore` files, which only recursive deletes need. */
export const loadIgnore = (): typeof ignore => load("ignore") as typeof ignore;
