import type { LogEvent } from "@bylaw/kernel";
import { COORDINATOR_TYPES, RUN_TYPES } from "@bylaw/log";
import { didYouMean } from "@bylaw/wording";
import { plain } from "../io/text.ts";

/** Notices types that were asked for and that nobody knows. */
export interface TypeCheck {
  saw(events: readonly LogEvent[]): void;
  /** Says on the error stream which of them neither the catalogue nor the log has. */
  report(): void;
}

/** As many types of plugins as any log has; a log can hold more that are all different. */
const KNOWN = 1_000;

/** `wanted`: values of `--type`. Those that end in `*` stand for many. */
export function createTypeCheck(wanted: readonly string[]): TypeCheck {
  const known = new Set([...COORDINATOR_TYPES, ...RUN_TYPES].map(({ name }) => name));
  // A plugin's types are in no list: the log itself says whether there are such.
  const open = new Set(wanted.filter((pattern) => !has(known, pattern)));
  return {
    saw(events) {
      if (open.size === 0) return;
      for (const { event_type } of events) {
        for (const pattern of open) if (fits(pattern, event_type)) open.delete(pattern);
        if (known.size < KNOWN) known.add(event_type);
      }
    },
    report() {
      for (const pattern of open) {
        const near = pattern.endsWith("*") ? undefined : didYouMean(pattern, [...known]);
        process.stderr.write(
          `note: no event is of type ${plain(pattern)}${near === undefined ? "" : `. ${near}`}\n`,
        );
      }
    },
  };
}

const has = (names: Iterable<string>, pattern: string): boolean =>
  [...names].some((name) => fits(pattern, name));

const fits = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
