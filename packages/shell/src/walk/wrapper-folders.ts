import type { Word } from "../analysis.ts";

// Wrappers that run their command in their own working directory.
const STAYS =
  /^(env|sudo|doas|command|builtin|exec|nohup|timeout|nice|ionice|chrt|stdbuf|setsid|time|xargs|find|watch|flock|script|strace|ltrace|bash|sh|dash|zsh|ksh|ash|eval|busybox|setpriv|taskset|unbuffer|npx|bunx|pnpm|yarn|uv|uvx|poetry|pipenv|bundle|gtimeout|gxargs|caffeinate|python3?|nyc|c8|valgrind)$/;

/** Whether a wrapper runs its command in its own working directory. */
export const keepsFolder = (name: string): boolean => STAYS.test(name);

// Options of wrappers that change the working directory, or may.
const MOVES: ReadonlyMap<string, RegExp> = new Map([
  ["env", /^-[^-]*C|^--c/],
  ["sudo", /^-[^-]*[DRi]|^--(ch|l)/],
  ["doas", /^-[^-]*[sL]/],
  ["find", /^-(exec|ok)dir$/],
  ["pnpm", /^-[^-]*[CFrw]|^--(dir|prefix|recursive|filter|workspace|parallel|stream)/],
  ["yarn", /^--cwd|^workspaces?$/],
  ["uv", /^--(dir|project)/],
  ["nyc", /^--cwd/],
  ["poetry", /^-[CP]|^--(dir|project)/],
]);

// Cached, because one wrapper may run many commands.
const firstMoves = new WeakMap<readonly Word[], number>();

/** The position before which no option of a wrapper changes the working directory. 0 if the wrapper itself may do so. */
export function staysUntil(argv: readonly Word[], name: string): number {
  if (!keepsFolder(name)) return 0;
  const options = MOVES.get(name);
  if (options === undefined) return argv.length;
  let found = firstMoves.get(argv);
  if (found === undefined) {
    const first = argv.findIndex(
      ({ pieces: [start] }, at) => at > 0 && (typeof start !== "string" || options.test(start)),
    );
    firstMoves.set(argv, (found = first < 0 ? argv.length : first));
  }
  return found;
}
