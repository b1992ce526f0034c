import { BATCH } from "./batch.ts";
import { BUILTINS } from "./builtins.ts";
import { COVERAGE } from "./coverage.ts";
import { OPAQUE, RUNNERS } from "./runners.ts";
import { readFind } from "./find.ts";
import { readFd, readParallel, readXargs } from "./xargs.ts";
import { noteUnclearStart, runArgv } from "./apply-spec.ts";
import { file, hazard, runScript, type Findings } from "./findings.ts";
import { parseArgs, hasOption, optionsNamed } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { readEnv, runAfterAssignments } from "./env-program.ts";
import { joined, known, prefix } from "./word-text.ts";
import { kind, many, options, wraps } from "./option-groups.ts";
import { noteMissingCommand, PRIVILEGES } from "./privileges.ts";

function watch(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first === undefined) return;
  if (hasOption(use, "exec")) runArgv(out, first.at);
  else runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

function flock(use: ParsedArgs, out: Findings): void {
  const [lock, first, second] = use.operands;
  if (lock !== undefined && first !== undefined) file(out, "write", lock.word);
  if (first === undefined) return;
  if (first.word.text === "-c" || first.word.text === "--command") {
    if (second !== undefined) runScript(out, second.at, second.word);
  } else if (!prefix(first.word).startsWith("-")) runArgv(out, first.at);
  else OPAQUE.more?.({ ...use, operands: [first] }, out);
}

function numberThenCommand(use: ParsedArgs, out: Findings): void {
  const [first, second] = use.operands;
  if (first === undefined) return;
  if (first.word.text !== undefined && !/^[\d,xa-fA-F-]+$/.test(first.word.text))
    runArgv(out, first.at);
  else if (second !== undefined) runArgv(out, second.at);
}

function tracer(use: ParsedArgs, out: Findings): void {
  for (const used of use.options) {
    if (used.option.name !== "output" || used.value === undefined) continue;
    const start = prefix(used.value);
    if (/^[|!]/.test(start))
      runScript(
        out,
        used.at,
        used.value.text === undefined ? used.value : known(used.value.text.slice(1)),
      );
  }
}

function script(use: ParsedArgs, out: Findings): void {
  if (!hasOption(use, "command")) noteMissingCommand({ ...use, operands: [] }, out);
}

// An optional architecture comes first.
function setarch(out: Findings, from: number): void {
  const word = out.argv[from];
  const named = word !== undefined && !prefix(word).startsWith("-");
  const use = parseArgs(ARCHITECTURE, out.argv, named ? from + 1 : from, { posix: true });
  const [first] = use.operands;
  if (hasOption(use, "help version list")) return;
  noteUnclearStart(use, out);
  if (first === undefined) return noteMissingCommand(use, out);
  runArgv(out, first.at);
  if (word?.text === undefined || ARCHITECTURES.test(first.word.text ?? "?")) out.carries = true;
}

const ARCHITECTURES =
  /^(x86_64|i[3-6]86|athlon|linux(32|64)|uname26|aarch64|arm.*|ppc.*|s390x?|mips.*|sparc.*|riscv.*|ia64|alpha.*)$/;
const ARCHITECTURE: Spec = {
  options: options`-v,--verbose -R,--addr-no-randomize -F,--fdpic-funcptrs -Z,--mmap-page-zero -L,--addr-compat-layout
    -X,--read-implies-exec -B,--32bit -I,--short-inode -S,--whole-seconds -T,--sticky-timeouts -3,--3gb --4gb --uname-2.6 --list -h,--help
    -V,--version ${kind.optional} --show ${kind.value} -p,--pid`,
};

function entr(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (hasOption(use, "s")) return runJoined(use, out);
  if (first !== undefined) runArgv(out, first.at);
}

// A shell runs the words.
function runJoined(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

/** Programs that run a command given in their arguments. */
export const WRAPPERS: Readonly<Record<string, Spec>> = {
  ...BUILTINS,
  ...BATCH,
  ...RUNNERS,
  ...PRIVILEGES,
  nyc: COVERAGE,
  c8: COVERAGE,
  env: { read: readEnv },
  genv: { read: readEnv },
  "cross-env": { posix: true, more: runAfterAssignments },
  "cross-env-shell": { posix: true, more: runJoined },
  timeout: {
    options: options`-v,--verbose -f,--foreground -p,--preserve-status --help --version ${kind.value} -k,--kill-after -s,--signal`,
    wrap: 1,
    transparent: true,
  },
  gtimeout: {
    options: options`-v,--verbose -f,--foreground -p,--preserve-status ${kind.value} -k,--kill-after -s,--signal`,
    wrap: 1,
    transparent: true,
  },
  nice: {
    options: options`--help --version ${kind.value} -n,--adjustment`,
    wrap: 0,
    transparent: true,
  },
  ionice: {
    options: options`-t,--ignore -h -V ${kind.value} -c,--class -n,--classdata -p,--pid -P,--pgid -u,--uid`,
    wrap: 0,
    inert: "pid pgid uid",
  },
  chrt: {
    options: options`-a,--all-tasks -b,--batch -d,--deadline -e,--ext -f,--fifo -i,--idle -m,--max -o,--other -r,--rr -R,--reset-on-fork
      -p,--pid -v,--verbose -h -V ${kind.value} -T,--sched-runtime -P,--sched-period -D,--sched-deadline`,
    posix: true,
    inert: "pid max",
    more: numberThenCommand,
  },
  taskset: { options: options`-a,--all-tasks -c,--cpu-list -p,--pid -h -V`, wrap: 1, inert: "pid" },
  stdbuf: wraps`--help --version ${kind.value} -i,--input -o,--output -e,--error`,
  setsid: wraps`-c,--ctty -f,--fork -w,--wait -h -V`,
  nohup: wraps`--help --version ${kind.value} -p`,
  time: wraps`-a,--append -p,--portability -q,--quiet -v,--verbose -V -h -l ${kind.value} -f,--format ${kind.write} -o,--output`,
  gtime: wraps`-a,--append -p -q -v -V ${kind.value} -f,--format ${kind.write} -o,--output`,
  watch: {
    options: options`-b,--beep -c,--color -C,--no-color -e,--errexit -g,--chgexit -p,--precise -r,--no-rerun -t,--no-title -w,--no-wrap
      -x,--exec -h -v ${kind.optional} -d,--differences ${kind.value} -q,--equexit -n,--interval ${kind.write} -s,--shotsdir`,
    posix: true,
    more: watch,
  },
  flock: {
    options: options`-s,--shared -x,-e,--exclusive -n,--nb,--nonblock -u,--unlock -F,--no-fork --fcntl --verbose -h -V ${kind.value}
      -w,--wait,--timeout -E,--conflict-exit-code ${kind.flag} -o,--close ${kind.takes("script")} -c,--command`,
    posix: true,
    more: flock,
  },
  prlimit: wraps`--noheadings --raw --verbose ${kind.value} -p,--pid -o,--output`,
  numactl: wraps`-l,--localalloc -b,--balancing -a,--all -s,--show -H,--hardware ${kind.value} -i,--interleave
      -w,--weighted-interleave -p,--preferred -P,--preferred-many -m,--membind -N,--cpunodebind -C,--physcpubind`,
  setarch: { read: setarch },
  linux32: { ...ARCHITECTURE, inert: "help version", wrap: 0, more: noteMissingCommand },
  linux64: { ...ARCHITECTURE, inert: "help version", wrap: 0, more: noteMissingCommand },
  strace: {
    options: options`-c,--summary-only -C,--summary -d -D -f,--follow-forks -F -h -i -k -n -N -q -r -t -T -v -V -w -x -y -Y -z -Z
      ${kind.value} -a,--columns -b -e -E,--env -I -O -p,--attach -P,--trace-path -s,--string-limit -S -u,--user -U -X --trace --signal
      ${kind.write} -o,--output`,
    wrap: 0,
    more: tracer,
  },
  ltrace: {
    options: options`-b -c -C -f -h -i -L -r -S -t -T -V ${kind.value} -a -A -D -e -l -n -p -s -u -w -x ${kind.takes("load")} -F
      ${kind.write} -o,--output`,
    wrap: 0,
    more: tracer,
  },
  valgrind: {
    ...wraps`-v -q -h ${kind.write} --log-file --xml-file ${kind.value} --tool ${kind.read} --suppressions ${kind.optional}
      --leak-check --show-leak-kinds --track-origins --error-exitcode --num-callers`,
    transparent: true,
    // It runs a program of that name from a folder of its own.
    more: (use, out) => {
      for (const { at, value } of optionsNamed(use, "tool"))
        if (!/^\w+$/.test(value?.text ?? "")) hazard(out, at, "run");
    },
  },
  script: {
    options: options`-a,--append -e,--return -f,--flush --force -q,--quiet -h -V ${kind.takes("script")} -c,--command
      ${kind.takes("write")} -B,--log-io -I,--log-in -O,--log-out -T,--log-timing ${kind.value} -m,--logging-format -E,--echo
      -o,--output-limit ${kind.optional} -t,--timing`,
    operands: [many("write")],
    carries: true,
    more: script,
  },
  unbuffer: wraps`-p`,
  fakeroot: {
    options: options`-u,--unknown-is-real -h -v ${kind.takes("load")} -l,--lib ${kind.takes("exec", "run")} --faked ${kind.write} -s ${kind.read}
      -i ${kind.value} -b`,
    wrap: 0,
    more: noteMissingCommand,
  },
  "dbus-run-session": wraps`${kind.takes("load")} --config-file ${kind.takes("exec", "run")} --dbus-daemon`,
  "dbus-launch": wraps`--exit-with-session --exit-with-x11 --sh-syntax ${kind.value} --autolaunch ${kind.takes("load")} --config-file
      ${kind.flag} --csh-syntax`,
  "xvfb-run": wraps`-a,--auto-servernum -l ${kind.write} -e,--error-file -f,--auth-file ${kind.value} -n,--server-num
      -p,--xauth-protocol -s,--server-args -w,--wait`,
  cpulimit: wraps`-b -q -k -r -v -z -i -m ${kind.value} -l,--limit -p,--pid -e,--exe -P,--path -c`,
  caffeinate: wraps`-d -i -m -s -u ${kind.value} -t -w`,
  chronic: wraps`-v -e`,
  ifne: wraps`-n`,
  entr: { options: options`-a -c -d -n -p -r -s -x -z`, posix: true, more: entr },
  watchexec: {
    options: options`-c,--clear -r,--restart -p,--postpone -q,--quiet -N,--notify -v,--verbose --no-vcs-ignore --no-project-ignore
      --no-default-ignore --no-global-ignore --no-discover-ignore --print-events ${kind.value} -w,--watch -W,--watch-non-recursive -e,--exts
      -f,--filter -i,--ignore -s,--signal -d,--debounce -o,--on-busy-update --stop-signal --stop-timeout --delay-run ${kind.flag} -n`,
    posix: true,
    more: runJoined,
  },
  "systemd-run": {
    options: options`--user --system --scope -r,--remain-after-exit -q,--quiet -d,--same-dir --wait -G,--collect -S,--shell ${kind.value}
      -u,--unit -p,--property --description --slice -E,--setenv --uid --gid --nice --on-active --on-boot --on-startup --on-unit-active
      --on-unit-inactive --on-calendar --timer-property --path-property --socket-property --service-type --expand-environment -M,--machine
      ${kind.flag} --slice-inherit -P,--pipe -t,--pty -T,--pty-late --send-sighup --no-block --no-ask-password ${kind.takes("dir")}
      --working-directory ${kind.takes("host")} -H,--host`,
    wrap: 0,
    more: noteMissingCommand,
  },
  busybox: {
    options: options`--list --list-full --help ${kind.flagThat("write")} --install`,
    wrap: 0,
    inert: "list list-full help",
  },
  toybox: { options: options`--long --help --version`, wrap: 0, inert: "long help version" },
  find: { read: readFind },
  gfind: { read: readFind },
  fd: { read: readFd },
  fdfind: { read: readFd },
  xargs: { read: readXargs },
  gxargs: { read: readXargs },
  parallel: { read: readParallel },
  sem: { read: readParallel },
  direnv: { subs: { exec: { wrap: 1 }, status: {}, allow: { does: "configure" }, version: {} } },
};
