import type { BylawError } from "@bylaw/kernel";

// The kernel of a configuration may be another copy than the loader's.
const NOTE_FAULT = Symbol.for("@bylaw/kernel/note-option-fault");
const shared = globalThis as { [NOTE_FAULT]?: ((fault: BylawError) => void) | undefined };

/**
 * While `work` runs, a plugin with wrong options is noted instead of thrown, so that all faults of a configuration are found. Such a
 * plugin throws when it is applied.
 */
export async function notingOptionFaults<T>(
  note: (fault: BylawError) => void,
  work: () => Promise<T>,
): Promise<T> {
  shared[NOTE_FAULT] = note;
  try {
    return await work();
  } finally {
    delete shared[NOTE_FAULT];
  }
}
