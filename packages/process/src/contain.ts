import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, dirname, isAbsolute } from "node:path";
import { SCRIPT } from "./contain-script.ts";
import { realOf, stepsTo } from "./contain-steps.ts";
import { isRoot, NOBODY, userOf, type User } from "./contain-user.ts";

/** The places that a contained program cannot see or change. */
export interface Containment {
  /**
   * Absolute paths of files and folders that are empty for the program. Of a folder that contains
   * the workspace, only the path to it is left. Missing paths are skipped.
   */
  readonly hide?: readonly string[];
  /**
   * Absolute paths in the workspace that the program may read, but not write, rename or remove. It
   * can create missing ones. Everything outside the workspace is read-only.
   */
  readonly protect?: readonly string[];
  /** The workspace, the only folder that it can write. Default: the folder that it runs in. */
  readonly within?: string;
  /**
   * Whether to refuse the start, with an `error`, if the program cannot be contained. Default: run
   * it as its user, unless that is root.
   */
  readonly required?: boolean;
  /**
   * Whether it may run as root if this process is root and no other user is available. It is still
   * contained if possible. Default: false.
   */
  readonly allowRoot?: boolean;
}

const TOOLS = ["unshare", "mount", "setpriv"] as const;
const toolOf = (name: string): string | undefined =>
  [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
// If the first process or its parent ends, all others end too.
const OUTER = [
  "--user",
  "--map-root-user",
  "--mount",
  "--pid",
  "--ipc",
  "--fork",
  "--kill-child",
  "--mount-proc",
  "--propagation",
  "private",
];

/** The reason why programs of a workspace cannot run contained, and what to do about it. */
export interface ContainmentObstacle {
  readonly reason: string;
  readonly fix: string;
}

const able = new Map<number, boolean>();

/**
 * The reason why programs of a workspace cannot run contained: they need Linux namespaces, and a
 * user other than root unless `allowRoot` is set. Undefined if they can; this is tried once for
 * each user.
 */
export function containmentObstacle(
  workspace?: string,
  options: { readonly allowRoot?: boolean } = {},
): ContainmentObstacle | undefined {
  const user = userOf(workspace, options);
  if (user === undefined)
    return {
      reason: `\`${workspace}\` belongs to root, and programs of agents do not run as root`,
      fix: `Give it to another user: \`chown -R ${NOBODY.uid}:${NOBODY.gid} ${workspace}\``,
    };
  if (process.platform !== "linux")
    return {
      reason: "programs can only be contained on Linux",
      fix: "Run them in a container with `wrap`",
    };
  const missing = TOOLS.find((name) => toolOf(name) === undefined);
  if (missing !== undefined)
    return {
      reason: `\`${missing}\`, which is needed to contain programs, is missing`,
      fix: "Install util-linux",
    };
  const known = able.get(user.uid) ?? tried(user);
  able.set(user.uid, known);
  if (known) return undefined;
  return {
    reason: `this system does not let user ${user.uid} contain programs in namespaces`,
    fix: "Allow user namespaces (`sysctl user.max_user_namespaces`; on Ubuntu also `kernel.apparmor_restrict_unprivileged_userns=0`), or run programs in a container with `wrap`",
  };
}

/** Whether programs of a workspace can run contained. `obstacleTo` says why not. */
export const canContain = (
  workspace?: string,
  options: { readonly allowRoot?: boolean } = {},
): boolean => containmentObstacle(workspace, options) === undefined;

function tried(user: User): boolean {
  const [file = "", ...args] = containing(
    { argv: ["/bin/sh", "-c", "exit 42"], cwd: "/", env: {} },
    {},
    user,
  );
  const options = {
    stdio: "ignore",
    env: {},
    timeout: 10_000,
    killSignal: "SIGKILL",
    cwd: "/",
  } as const;
  return spawnSync(file, args, options).status === 42;
}

// If a signal has two names, the first one is the usual one.
const SIGNALS = new Map(
  Object.entries(system.signals)
    .reverse()
    .map(([name, number]) => [128 + number, name]),
);

/**
 * The signal for an exit code of a contained program, whose shell reports signals as codes. A
 * program that exits with such a code itself looks the same.
 */
export const signalOf = (code: number | null): string | null =>
  code === null ? null : (SIGNALS.get(code) ?? null);

interface Contained {
  readonly argv: readonly string[];
  /** The program to start, if another one starts it. Default: the first argument. */
  readonly program?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The arguments that start a program contained, from its workspace. */
export function containing(
  { argv, program = argv[0] ?? "", cwd, env }: Contained,
  containment: Containment,
  user: User,
): readonly string[] {
  const [unshare = "", mount = "", setpriv = ""] = TOOLS.map(toolOf);
  const [here, work] = [realpathSync(cwd), realpathSync(containment.within ?? cwd)];
  const steps = stepsTo({
    work,
    user,
    hidden: realOf(containment.hide ?? []).filter((path) => path !== work && path !== "/"),
    protect: realOf(containment.protect ?? []),
    programs: [...(env["PATH"] ?? "").split(delimiter), dirname(program)].filter((path) =>
      isAbsolute(path),
    ),
  });
  const drop =
    isRoot() && user.uid !== 0
      ? [setpriv, `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--"]
      : [];
  const parameters = [
    mount,
    unshare,
    setpriv,
    `${user.uid}`,
    `${user.gid}`,
    work,
    here,
    `${steps.length}`,
  ];
  return [
    ...drop,
    unshare,
    ...OUTER,
    "--",
    "/bin/sh",
    "-c",
    SCRIPT,
    "sh",
    ...parameters,
    ...steps.flat(),
    ...argv,
  ];
}
