import { isOrdinary, isSetByShell, type ShellCommand } from "@bylaw/shell";

/**
 * Whether a command only sets harmless variables, or variables of the line itself. What gives a value and what uses it are commands of
 * their own.
 */
export function setsOwnVariables(command: ShellCommand): boolean {
  const { argv, assignments, redirections, effects, hazards, unknown } = command;
  return (
    assignments.length > 0 &&
    [argv, redirections, effects, hazards, unknown].every(({ length }) => length === 0) &&
    assignments.every(
      ({ name, value, harmless }) =>
        value?.single === true &&
        (harmless ||
          (isOrdinary(name) &&
            !isSetByShell(name) &&
            // By convention, variables of the environment have capitals.
            !/[A-Z]/.test(name))),
    )
  );
}
