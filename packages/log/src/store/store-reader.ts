import type { Store } from "@bylaw/store";

/** A run of a store, as it is listed. */
export interface RunSummary {
  readonly run: string;
  /** The number of its last event, which is how many it has. */
  readonly head: number;
  /** The time of its first event, as it stands in the log. */
  readonly first: string;
  /** The time of its last event. */
  readonly last: string;
}

/** A store that is only read: whoever has one can change nothing, and opening it made nothing. */
export interface StoreReader extends Pick<Store, "get" | "events" | "watch" | "close"> {
  /** The runs that have an event, in the order of their names. */
  runs(): Promise<readonly RunSummary[]>;
}

/** How much of the end of a stored text is needed for `timeAtEnd`. */
export const TIME_AT_END = 200;

/** The time of an event from the end of its chained text: RFC 8785 puts `timestamp` last. */
export const timeAtEnd = (text: string): string =>
  /"timestamp":"([^"\\]*)"\}$/.exec(text)?.[1] ?? "";
