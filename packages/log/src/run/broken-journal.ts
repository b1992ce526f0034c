import type { BylawError } from "@bylaw/kernel";
import type { LogState } from "../state/log-state.ts";
import type { Journal } from "./journal-contract.ts";

/** Creates the journal of a log that was changed: it has the state of an empty log and refuses everything. */
export function createBrokenJournal(error: BylawError, state: LogState, session: string): Journal {
  const refuse = (): never => {
    throw error;
  };
  const refuseLater = (): Promise<never> => Promise.reject(error);
  return {
    session,
    state,
    time: refuse,
    draft: refuse,
    append: refuseLater,
    claim: refuseLater,
    catchUp: refuseLater,
    close: async () => {},
  };
}
