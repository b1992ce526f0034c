import type { Ruleset } from "@bylaw/kernel";

export declare const IDENTIFIER: Ruleset;
