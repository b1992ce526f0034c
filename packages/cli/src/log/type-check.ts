import type { LogEvent } from "@bylaw/kernel";
import { COORDINATOR_TYPES, RUN_TYPES } from "@bylaw/log";
import { didYouMean } from "@bylaw/wording";
import { plain } from "../io/text.ts";

/** Notices types that were asked for and that are unknown. */
export interface TypeCheck {
  saw(events: readonly LogEvent[]): void;
  /** Prints on standard error each type that neither the catalogue nor the log has. */
  report(): void;
}

/** More types than the plugins of any real log declare. A log may hold more, to fill the memory. */
const KNOWN = 1_000;

/** Creates the check. `wanted`: values of `--type`. Those that end in `*` stand for several types. */
export function createTypeCheck(wanted: readonly string[]): TypeCheck {
  const known = new Set([...COORDINATOR_TYPES, ...RUN_TYPES].map(({ name }) => name));
  // A plugin's types are in no list, so only the log can show that they exist.
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
