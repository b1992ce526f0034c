/** Ends what takes too long, of things that are done one after the other. */
export interface Limit {
  /** Calls `fail` unless `end` is called with it in time. */
  begin(fail: Fail): void;
  end(fail: Fail): void;
}

type Fail = (error: Error) => void;

/**
 * One timer for all of them. With the driver's own, one for each statement, all that hangs on a statement lived until the whole heap was
 * collected: 7.7 KB for each batch of one event, which took the collector longer than all else here together.
 */
export function createLimit(ms: number): Limit {
  let failing: Fail | undefined;
  let until = 0;
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    timer = undefined;
    if (failing === undefined) return;
    const left = until - performance.now();
    if (left > 0) {
      timer = setTimeout(check, left).unref();
      return;
    }
    const fail = failing;
    failing = undefined;
    fail(new Error(`timeout: no answer within ${ms} ms`));
  }

  return {
    begin(fail) {
      failing = fail;
      until = performance.now() + ms;
      // What is waited for keeps the process up by itself.
      timer ??= setTimeout(check, ms).unref();
    },
    end(fail) {
      if (failing === fail) failing = undefined;
    },
  };
}
