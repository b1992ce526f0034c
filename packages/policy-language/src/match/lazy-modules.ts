import { createRequire } from "node:module";
import type micromatch from "micromatch";
import type * as re2 from "re2js";

// Most policies have neither braces nor regular expressions, and loading both libraries takes a tenth of a short command.
const load = createRequire(import.meta.url);

/** micromatch, loaded when a pattern has braces. */
export const loadMicromatch = (): typeof micromatch => load("micromatch") as typeof micromatch;

/** re2js, loaded when a rule has a regular expression. */
export const loadRe2 = (): typeof re2 => load("re2js") as typeof re2;
