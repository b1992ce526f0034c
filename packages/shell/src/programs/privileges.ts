import type { Spec } from "./program-spec.ts";
import { runArgv } from "./apply-spec.ts";
import { file, runScript, unknown, type Findings } from "./findings.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { ParsedArgs, UsedOption } from "./program-spec.ts";
import { runAfterAssignments } from "./env-program.ts";
import { kind, many, options, wraps } from "./option-groups.ts";

/** Records the shell that a program starts if it is given no command. */
export function noteMissingCommand(use: ParsedArgs, out: Findings): void {
  if (use.operands.length === 0)
    unknown(out, "dynamic_script", `a shell that \`${out.argv[0]?.text ?? "?"}\` starts`);
}

function sudo(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "edit")) {
    for (const { word } of use.operands) {
      file(out, "read", word);
      file(out, "write", word);
    }
    return;
  }
  runAfterAssignments(use, out);
  if (hasOption(use, "login shell")) noteMissingCommand(use, out);
}

function su(use: ParsedArgs, out: Findings): void {
  if (!hasOption(use, "command session-command"))
    unknown(out, "dynamic_script", "a shell that `su` starts");
  out.carries = true;
}

const commandIn = (use: ParsedArgs): UsedOption | undefined =>
  optionsNamed(use, "command")[0] ?? optionsNamed(use, "session-command")[0];

function runuser(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "command session-command")) return;
  const [first] = use.operands;
  if (hasOption(use, "user") && first !== undefined) runArgv(out, first.at);
  else {
    const later =
      first === undefined
        ? undefined
        : commandIn(parseArgs(use.spec, out.argv, first.at + 1, { posix: false }));
    if (later === undefined) unknown(out, "dynamic_script", "a shell that `runuser` starts");
    else runScript(out, later.at, valueOf(later));
  }
}

const SUDO = options`-A,--askpass -b,--background -B,--bell -H,--set-home -i,--login -K,--remove-timestamp -k,--reset-timestamp -l,--list
  -N,--no-update -n,--non-interactive -S,--stdin -s,--shell -V,--version -v,--validate ${kind.value} -C,--close-from -g,--group -h,--host
  -r,--role -T,--command-timeout -t,--type -U,--other-user -u,--user ${kind.takes("dir")} -D,--chdir ${kind.optional} -E,--preserve-env
  ${kind.flagThat("write")} -e,--edit ${kind.flag} -P,--preserve-groups --help ${kind.value} -p,--prompt -R,--chroot`;

const SU = options`-f,--fast -l,--login -m,-p,--preserve-environment -P,--pty --help --version ${kind.takes("script")} -c,--command
  --session-command ${kind.value} -g,--group -G,--supp-group -u,--user -w,--whitelist-environment ${kind.takes("exec")} -s,--shell`;

const UNSHARED = options`-m -u -i -n -p -U -C -T ${kind.optional} --mount --uts --ipc --net --pid --user --cgroup --time`;

const NAMESPACES = options`${kind.optional} -m,--mount -u,--uts -i,--ipc -n,--net -p,--pid -U,--user -C,--cgroup -T,--time`;

function sg(use: ParsedArgs, out: Findings): void {
  const last = use.operands.at(-1);
  if (hasOption(use, "c")) return;
  if (use.operands.length > 1 && last !== undefined) runScript(out, last.at, last.word);
  else unknown(out, "dynamic_script", "a shell that `sg` starts");
}

/** Programs that run a command with other rights. */
export const PRIVILEGES: Readonly<Record<string, Spec>> = {
  sudo: {
    options: SUDO,
    posix: true,
    privilege: true,
    inert: "list version validate remove-timestamp help",
    more: sudo,
  },
  sudoedit: { options: SUDO, operands: [many("rw")], privilege: true },
  doas: {
    options: options`-L -n -s ${kind.value} -a -u ${kind.takes("load")} -C`,
    posix: true,
    privilege: true,
    more: sudo,
  },
  pkexec: {
    options: options`--disable-internal-agent --keep-cwd --version --help ${kind.value} --user`,
    privilege: true,
    wrap: 0,
    more: noteMissingCommand,
  },
  su: { options: SU, privilege: true, more: su },
  runuser: { options: SU, posix: true, privilege: true, more: runuser },
  gosu: { wrap: 1, privilege: true },
  "su-exec": { wrap: 1, privilege: true },
  sg: { options: options`${kind.takes("script")} -c`, privilege: true, posix: true, more: sg },
  unshare: {
    options: options`${UNSHARED} -f,--fork -r,--map-root-user -c,--map-current-user --map-auto -h -V ${kind.value} --map-user --map-group
      --map-users --map-groups --propagation --setgroups -R,--root -S,--setuid -G,--setgid --boottime ${kind.optional} --kill-child
      --mount-proc --mount-binfmt ${kind.takes("dir")} -w,--wd ${kind.takes("load")} -l,--load-interp ${kind.flag} --keep-caps
      ${kind.value} --monotonic`,
    wrap: 0,
    more: noteMissingCommand,
  },
  nsenter: {
    options: options`-a,--all ${kind.value} -t,--target ${NAMESPACES} --preserve-credentials --keep-caps -e,--env -F,--no-fork
      -Z,--follow-context -c,--join-cgroup -h -V ${kind.value} -S,--setuid -G,--setgid -N,--net-socket ${kind.optional} -r,--root -w,--wd
      ${kind.value} -W,--wdns`,
    wrap: 0,
    privilege: true,
    more: noteMissingCommand,
  },
  chroot: {
    options: options`--skip-chdir --help --version ${kind.value} --groups --userspec -u -g -G`,
    wrap: 1,
    privilege: true,
    inert: "help version",
    more: (use, out) => noteMissingCommand({ ...use, operands: use.operands.slice(1) }, out),
  },
  setpriv: wraps`--clear-groups --keep-groups --no-new-privs --nnp -d,--dump -h -V ${kind.value} --reuid --regid --ruid --euid --rgid
      --egid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --ptracer --selinux-label --apparmor-profile
      --landlock-access --landlock-rule --seccomp-filter ${kind.flag} --init-groups --reset-env`,
};
