import { numberOf, type EventContent } from "./event-content.ts";
import { impossible, type Step } from "./rules.ts";

export interface CompactionState {
  readonly open: boolean;
  readonly number: number | null;
}

export const NO_COMPACTION: CompactionState = { open: false, number: null };

/** The state of compaction after each event. Pure. */
export const COMPACTION_STEPS: Readonly<
  Record<string, (state: CompactionState, event: EventContent) => Step<CompactionState>>
> = {
  compaction_start: (_, event) => ({
    next: { open: true, number: numberOf(event, "compaction_number") ?? null },
  }),
  compaction_complete(state, event) {
    const number = numberOf(event, "compaction_number");
    if (!state.open)
      return impossible(
        "COMPACTION_OUT_OF_ORDER",
        "`compaction_complete` has no `compaction_start` before it.",
      );
    if ((number ?? null) !== state.number) {
      const message = `Compaction ${state.number ?? "without a number"} is under way, but ${number ?? "one without a number"} was completed.`;
      return impossible("COMPACTION_OUT_OF_ORDER", message);
    }
    const reload = event.details["full_reload"];
    if (number === undefined || typeof reload !== "boolean" || reload === (number % 2 === 0))
      return { next: NO_COMPACTION };
    const message = `Compaction ${number} has \`full_reload\` ${reload}, but every second compaction, and no other, reloads in full.`;
    return { next: NO_COMPACTION, ...impossible("COMPACTION_RELOAD_PARITY", message) };
  },
};
