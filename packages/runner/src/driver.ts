/** A request to look at a run. */
export interface WakeRequest {
  readonly runId: string;
}

/**
 * Handles a wake. Resolves to `again` if the handler must be called again at once, and to `idle` if
 * there is nothing left to do for this wake.
 */
export type WakeHandler = (wake: WakeRequest) => Promise<"again" | "idle">;

/**
 * Delivers wakes, each at least once, to one of the processes that serve. A wake is only a hint:
 * the log decides what there is to do.
 */
export interface Driver {
  /**
   * Resolves when the wake survives the end of this process. `at`: the earliest time, in
   * milliseconds since 1970. `key`: of several wakes with the same key, one is enough.
   */
  wake(wake: WakeRequest, options?: { readonly at?: number; readonly key?: string }): Promise<void>;
  /** Calls the handler until the driver is closed, and then resolves. A handler that throws is called again later. */
  serve(handler: WakeHandler): Promise<void>;
  close(): Promise<void>;
}
