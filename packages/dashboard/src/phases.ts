import type { LogEvent } from "@bylaw/kernel";

/** How many tasks are kept, those with the latest change. */
const TASKS = 100_000;

/** The phases that each task has entered, so that the phase at any event is known. */
export class PhaseIndex {
  readonly #entries = new Map<string, { readonly sequence: number; readonly phase: string }[]>();

  add({ event_type, task_id, sequence, details }: LogEvent): void {
    const { to } = details;
    if (event_type !== "phase_entered" || task_id === null || typeof to !== "string") return;
    const entries = this.#entries.get(task_id) ?? [];
    entries.push({ sequence, phase: to.slice(0, 200) });
    this.#entries.delete(task_id);
    this.#entries.set(task_id, entries);
    if (this.#entries.size > TASKS) this.#entries.delete(this.#entries.keys().next().value ?? "");
  }

  /** The phase of a task at an event, which counts from the event that entered it. */
  at(task: string | null, sequence: number): string | null {
    const entries = task === null ? undefined : this.#entries.get(task);
    return entries?.findLast((entry) => entry.sequence <= sequence)?.phase ?? null;
  }
}
