import { numberOf, type Happening } from "./event-parts.ts";
import { impossible, type Step } from "./rules.ts";

/** What the rules remember of compactions: the number of the one under way. */
export interface CompactionState {
  readonly open: boolean;
  readonly number: number | null;
}

/** None is under way. */
export const NO_COMPACTION: CompactionState = { open: false, number: null };

/** What each event makes of the compactions. Pure. */
export const COMPACTION_STEPS: Readonly<Record<string, (state: CompactionState, event: Happening) => Step<CompactionState>>> = {
  compaction_start: (_, event) => ({ next: { open: true, number: numberOf(event, "compaction_number") ?? null } }),
  compaction_complete(state, event) {
    const number = numberOf(event, "compaction_number");
    if (!state.open)
      return impossible("COMPACTION_OUT_OF_ORDER", "Unexpected compaction_complete, expected its compaction_start before it");
    if ((number ?? null) !== state.number) {
      const message = `Unexpected compaction_complete of number ${number ?? "none"}, expected ${state.number ?? "none"}, which was started`;
      return impossible("COMPACTION_OUT_OF_ORDER", message);
    }
    const reload = event.details["full_reload"];
    if (number === undefined || typeof reload !== "boolean" || reload === (number % 2 === 0)) return { next: NO_COMPACTION };
    const message = `Unexpected \`full_reload\` ${reload} at compaction ${number}, expected a full reload at every second one`;
    return { next: NO_COMPACTION, ...impossible("COMPACTION_RELOAD_PARITY", message) };
  },
};
