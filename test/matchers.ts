import { expect } from "vitest";

declare module "vitest" {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The error has this code: what a function throws, or what a promise rejects with behind `rejects`. */
    toFailWith(code: string): R;
  }
}

/** What a function throws. `undefined` if it throws nothing. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

expect.extend({
  toFailWith(received: unknown, code: string) {
    const error = typeof received === "function" ? thrownBy(received as () => unknown) : received;
    const actual = (error as { readonly code?: unknown } | null | undefined)?.code;
    return {
      pass: this.equals(actual, code),
      message: () => `the code is ${String(actual)} of ${String(error)}`,
      actual,
      expected: code,
    };
  },
});
