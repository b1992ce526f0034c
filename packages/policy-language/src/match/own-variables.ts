import { isOrdinary, type ShellCommand } from "@bylaw/shell";

// By convention, variables of the environment have capitals. zsh ties some others to these, such as `path` to `PATH`.
const NOT_OWN =
  /[A-Z]|^(?:path|cdpath|fpath|mailpath|manpath|module_path|fignore|psvar|prompt|watch|argv|status)$/;

/** Whether a command only sets variables of the line itself to known text. A command that uses one is decided by itself. */
export function setsOwnVariables(command: ShellCommand): boolean {
  const { argv, assignments, redirections, effects, hazards, unknown } = command;
  return (
    assignments.length > 0 &&
    [argv, redirections, effects, hazards, unknown].every(({ length }) => length === 0) &&
    assignments.every(
      ({ name, value }) => value?.text !== undefined && isOrdinary(name) && !NOT_OWN.test(name),
    )
  );
}
