/** What is to be looked at. */
export interface Wake {
  readonly runId: string;
}

/**
 * Looks at a run: `again` where it is to be called once more at once, `idle` where there is nothing
 * left to do for this wake.
 */
export type WakeHandler = (wake: Wake) => Promise<"again" | "idle">;

/**
 * Delivers wakes, each at least once, to one of all who serve. A wake is a hint: the log says what
 * there is to do.
 */
export interface Driver {
  /**
   * Resolves when the wake outlives this process. `at`: not before, in milliseconds since 1970.
   * `key`: one of several wakes with it is enough.
   */
  wake(wake: Wake, options?: { readonly at?: number; readonly key?: string }): Promise<void>;
  /**
   * Calls the handler until the driver is closed, and resolves then. A handler that throws is
   * called again later.
   */
  serve(handler: WakeHandler): Promise<void>;
  close(): Promise<void>;
}
