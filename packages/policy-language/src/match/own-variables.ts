import type { ShellCommand } from "@bylaw/shell";

// By convention, variables of the environment have other names, except these. zsh ties some to others, such as `path` to `PATH`.
const NAME =
  /^(?!(?:path|cdpath|fpath|mailpath|manpath|module_path|fignore|nullcmd|readnullcmd|histchars|psvar|prompt|watch|argv|status)$|npm_|.*_proxy$)[a-z_][a-z\d_]*$/;

/** Whether a command only sets variables of the line itself to known text. What uses them later is decided there. */
export const setsOwnVariables = ({
  argv,
  assignments,
  redirections,
  effects,
  hazards,
  unknown,
}: ShellCommand): boolean =>
  assignments.length > 0 &&
  [argv, redirections, effects, hazards, unknown].every(({ length }) => length === 0) &&
  assignments.every(({ name, value }) => value?.text !== undefined && NAME.test(name));
