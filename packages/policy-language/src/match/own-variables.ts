import { isOrdinary, isSetByShell, namedEffects, type ShellCommand } from "@bylaw/shell";

/**
 * Returns a test of whether a command of the line only sets harmless variables, or variables of the line itself. What gives a value
 * and what uses it are commands of their own.
 */
export function findOwnVariables(
  commands: readonly ShellCommand[],
): (command: ShellCommand) => boolean {
  let reads: boolean | undefined;
  // By convention, variables of the environment have capitals, and a program of the project may read any of these. None is steered by
  // the id of a process.
  const isOwn = (name: string): boolean =>
    isOrdinary(name) &&
    !isSetByShell(name) &&
    (!/[A-Z]/.test(name) || /(?:^|_)PID$/.test(name) || (reads ??= commands.every(onlyReads)));
  return ({ argv, assignments, redirections, effects, hazards, unknown }) =>
    assignments.length > 0 &&
    [argv, redirections, effects, hazards, unknown].every(({ length }) => length === 0) &&
    assignments.every(
      ({ name, value, harmless }) => value?.single === true && (harmless || isOwn(name)),
    );
}

function onlyReads(command: ShellCommand): boolean {
  if (command.argv.length === 0) return true;
  const { names, possible } = namedEffects(command);
  return [...names, ...possible].every((name) => name === "reads");
}
