/** A server that listens. */
export interface Listener {
  /** Where it is reached: scheme, host and port. */
  readonly url: string;
  /** Takes no connection any more, lets requests end within the grace, then says `over` and cuts off what is left after it. */
  close(grace_ms: number, over: () => void): Promise<void>;
}
