import type { Run } from "@bylaw/log";

/**
 * The task as the store knows it, whose tasks are those of all runs. Each stands in a queue of its own: which one comes first the
 * log says, and the store only that nobody has it twice.
 */
export const storedName = ({ run }: Pick<Run, "run">, task: string): string =>
  JSON.stringify([run, task]);

/** Who holds a task in the store between an agent that was lost and the next one. */
export const RECOVERY = "@bylaw/plugin-tasks";
