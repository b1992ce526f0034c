import type { WalkState } from "../walk/walk-state.ts";

/** Marks the commands that a redirection gives input, or may give it. Those that read from a pipe are marked already. */
export function markInput({ commands, functions }: WalkState): void {
  for (const draft of commands)
    if (draft.redirections.some(({ operator }) => operator.startsWith("<"))) draft.hasInput = true;
  const reading = commands.filter(({ hasInput }) => hasInput === true);
  if (reading.length === 0) return;
  // A function may be called at the end of a pipe, and `exec <file` is also the input of what comes after it.
  if (functions !== undefined || reading.some(({ argv: [first] }) => first?.text === "exec"))
    for (const draft of commands) draft.hasInput = true;
}
