import type { Store } from "@bylaw/store";

/** A run in a list of runs. */
export interface RunSummary {
  readonly run: string;
  /** The sequence of its last event, which is also the number of its events. */
  readonly head: number;
  /** The time of its first event, as it is in the log. */
  readonly first: string;
  /** The time of its last event. */
  readonly last: string;
}

/** A read-only view of a store. Opening one creates nothing. */
export interface StoreReader extends Pick<Store, "get" | "events" | "watch" | "close"> {
  /** Resolves to the runs that have an event, in the order of their names. */
  runs(): Promise<readonly RunSummary[]>;
}

/** How many characters from the end of a stored text `timeAtEnd` needs. */
export const TIME_AT_END = 200;

/** The time of an event from the end of its chained text, where RFC 8785 puts `timestamp`. */
export const timeAtEnd = (text: string): string =>
  /"timestamp":"([^"\\]*)"\}$/.exec(text)?.[1] ?? "";
