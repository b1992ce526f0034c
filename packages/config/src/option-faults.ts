import type { BylawError } from "@bylaw/kernel";

// A global symbol, because the configuration may use another copy of the kernel than the loader.
const NOTE_FAULT = Symbol.for("@bylaw/kernel/note-option-fault");
const shared = globalThis as { [NOTE_FAULT]?: ((fault: BylawError) => void) | undefined };

/** Collects the faults of plugin options while `work` runs. A plugin with wrong options does not throw then; it throws when it is applied. */
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
