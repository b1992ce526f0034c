import { BATCH } from "./batch.ts";
import { BUILTINS } from "./builtins.ts";
import { OPAQUE, RUNNERS } from "./runners.ts";
import { readFind } from "./find.ts";
import { readFd, readParallel, readXargs } from "./xargs.ts";
import { doubtStart, runArgv } from "./apply.ts";
import { file, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf, valueOf, type Use, type Used } from "./use.ts";
import { readEnv, runAfterAssignments } from "./env-program.ts";
import { joined, known, prefix } from "./words.ts";

function shellWithout(use: Use, out: Out): void {
  if (use.operands.length === 0) unknown(out, "dynamic_script", `shell that \`${out.argv[0]?.text ?? "?"}\` starts`);
}

function sudo(use: Use, out: Out): void {
  if (uses(use, "edit")) {
    for (const { word } of use.operands) {
      file(out, "read", word);
      file(out, "write", word);
    }
    return;
  }
  runAfterAssignments(use, out);
  if (uses(use, "login shell")) shellWithout(use, out);
}

function su(use: Use, out: Out): void {
  if (!uses(use, "command session-command")) unknown(out, "dynamic_script", "shell that `su` starts");
  out.carries = true;
}

const commandIn = (use: Use): Used | undefined => usedOf(use, "command")[0] ?? usedOf(use, "session-command")[0];

function runuser(use: Use, out: Out): void {
  if (uses(use, "command session-command")) return;
  const [first] = use.operands;
  if (uses(use, "user") && first !== undefined) runArgv(out, first.at);
  else {
    const later = first === undefined ? undefined : commandIn(readUse(use.spec, out.argv, first.at + 1, { posix: false }));
    if (later === undefined) unknown(out, "dynamic_script", "shell that `runuser` starts");
    else runScript(out, later.at, valueOf(later));
  }
}

function watch(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first === undefined) return;
  if (uses(use, "exec")) runArgv(out, first.at);
  else runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

function flock(use: Use, out: Out): void {
  const [lock, first, second] = use.operands;
  if (lock !== undefined && first !== undefined) file(out, "write", lock.word);
  if (first === undefined) return;
  if (first.word.text === "-c" || first.word.text === "--command") {
    if (second !== undefined) runScript(out, second.at, second.word);
  } else if (!prefix(first.word).startsWith("-")) runArgv(out, first.at);
  else OPAQUE.more?.({ ...use, operands: [first] }, out);
}

function numberThenCommand(use: Use, out: Out): void {
  const [first, second] = use.operands;
  if (first === undefined) return;
  if (first.word.text !== undefined && !/^[\d,xa-fA-F-]+$/.test(first.word.text)) runArgv(out, first.at);
  else if (second !== undefined) runArgv(out, second.at);
}

function tracer(use: Use, out: Out): void {
  for (const used of use.options) {
    if (used.option.name !== "output" || used.value === undefined) continue;
    const start = prefix(used.value);
    if (/^[|!]/.test(start)) runScript(out, used.at, used.value.text === undefined ? used.value : known(used.value.text.slice(1)));
  }
}

function script(use: Use, out: Out): void {
  if (!uses(use, "command")) shellWithout({ ...use, operands: [] }, out);
}

// The name of an architecture comes first, or not at all.
function setarch(out: Out, from: number): void {
  const word = out.argv[from];
  if (word === undefined) return;
  const use = readUse(ARCHITECTURE, out.argv, prefix(word).startsWith("-") ? from : from + 1, { posix: true });
  const [first] = use.operands;
  if (first === undefined || uses(use, "help version")) return;
  runArgv(out, first.at);
  doubtStart(use, out);
  if (word.text === undefined || ARCHITECTURES.test(first.word.text ?? "?")) out.carries = true;
}

const ARCHITECTURES = /^(x86_64|i[3-6]86|athlon|linux(32|64)|uname26|aarch64|arm.*|ppc.*|s390x?|mips.*|sparc.*|riscv.*|ia64|alpha.*)$/;
const ARCHITECTURE: Spec = {
  options: `-v,--verbose -R,--addr-no-randomize -F,--fdpic-funcptrs -Z,--mmap-page-zero -L,--addr-compat-layout -X,--read-implies-exec
    -B,--32bit -I,--short-inode -S,--whole-seconds -T,--sticky-timeouts -3,--3gb --4gb --uname-2.6 --show? --list -h,--help -V,--version -p,--pid=`,
};

function entr(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first === undefined) return;
  if (uses(use, "s")) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
  else runArgv(out, first.at);
}

const SUDO = `-A,--askpass -b,--background -B,--bell -C,--close-from= -D,--chdir=dir -E,--preserve-env? -e,--edit!w -g,--group=
  -H,--set-home -h,--host= -i,--login -K,--remove-timestamp -k,--reset-timestamp -l,--list -N,--no-update -n,--non-interactive
  -P,--preserve-groups -p,--prompt= -R,--chroot= -r,--role= -S,--stdin -s,--shell -T,--command-timeout= -t,--type= -U,--other-user=
  -u,--user= -V,--version -v,--validate --help`;
const SU = `-c,--command=script --session-command=script -f,--fast -g,--group= -G,--supp-group= -l,--login -m,-p,--preserve-environment
  -P,--pty -s,--shell=exec -u,--user= -w,--whitelist-environment= --help --version`;
const UNSHARED = `-m -u -i -n -p -U -C -T --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --time?`;
const NAMESPACES = `-m,--mount? -u,--uts? -i,--ipc? -n,--net? -p,--pid? -U,--user? -C,--cgroup? -T,--time?`;

/** Programs that run the command in their arguments. */
export const WRAPPERS: Readonly<Record<string, Spec>> = {
  ...BUILTINS,
  ...BATCH,
  ...RUNNERS,
  sudo: { options: SUDO, posix: true, privilege: true, inert: "list version validate remove-timestamp help", more: sudo },
  sudoedit: { options: SUDO, operands: "rw*", privilege: true },
  doas: { options: "-a= -C=load -L -n -s -u=", posix: true, privilege: true, more: sudo },
  pkexec: { options: "--user= --disable-internal-agent --keep-cwd --version --help", privilege: true, wrap: 0, more: shellWithout },
  su: { options: SU, privilege: true, more: su },
  runuser: { options: SU, posix: true, privilege: true, more: runuser },
  gosu: { wrap: 1, privilege: true },
  "su-exec": { wrap: 1, privilege: true },
  sg: { options: "-c=script", privilege: true, posix: true, more: (use, out) => readSg(use, out) },
  env: { read: readEnv },
  genv: { read: readEnv },
  "cross-env": { posix: true, more: runAfterAssignments },
  "cross-env-shell": {
    posix: true,
    more: (use, out) => {
      const [first] = use.operands;
      if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
    },
  },
  timeout: { options: "-k,--kill-after= -s,--signal= -v,--verbose -f,--foreground -p,--preserve-status --help --version", wrap: 1 },
  gtimeout: { options: "-k,--kill-after= -s,--signal= -v,--verbose -f,--foreground -p,--preserve-status", wrap: 1 },
  nice: { options: "-n,--adjustment= --help --version", wrap: 0 },
  ionice: { options: "-c,--class= -n,--classdata= -t,--ignore -p,--pid= -P,--pgid= -u,--uid= -h -V", wrap: 0, inert: "pid pgid uid" },
  chrt: {
    options: `-a,--all-tasks -b,--batch -d,--deadline -e,--ext -f,--fifo -i,--idle -m,--max -o,--other -r,--rr -R,--reset-on-fork
      -p,--pid -T,--sched-runtime= -P,--sched-period= -D,--sched-deadline= -v,--verbose -h -V`,
    posix: true,
    inert: "pid max",
    more: numberThenCommand,
  },
  taskset: { options: "-a,--all-tasks -c,--cpu-list -p,--pid -h -V", wrap: 1, inert: "pid" },
  stdbuf: { options: "-i,--input= -o,--output= -e,--error= --help --version", wrap: 0 },
  setsid: { options: "-c,--ctty -f,--fork -w,--wait -h -V", wrap: 0 },
  nohup: { options: "--help --version -p=", wrap: 0 },
  time: { options: "-a,--append -f,--format= -o,--output=write!w -p,--portability -q,--quiet -v,--verbose -V -h -l", wrap: 0 },
  gtime: { options: "-a,--append -f,--format= -o,--output=write!w -p -q -v -V", wrap: 0 },
  watch: {
    options: `-b,--beep -c,--color -C,--no-color -d,--differences? -e,--errexit -g,--chgexit -q,--equexit= -n,--interval= -p,--precise
      -r,--no-rerun -s,--shotsdir=write -t,--no-title -w,--no-wrap -x,--exec -h -v`,
    posix: true,
    more: watch,
  },
  flock: {
    options: `-s,--shared -x,-e,--exclusive -n,--nb,--nonblock -w,--wait,--timeout= -u,--unlock -E,--conflict-exit-code= -o,--close
      -F,--no-fork --fcntl --verbose -c,--command=script -h -V`,
    posix: true,
    more: flock,
  },
  unshare: {
    options: `${UNSHARED} -f,--fork -r,--map-root-user -c,--map-current-user --map-user= --map-group= --map-users= --map-groups=
      --map-auto --kill-child? --mount-proc? --mount-binfmt? --propagation= --setgroups= -R,--root= -w,--wd=dir -S,--setuid=
      -G,--setgid= -l,--load-interp=load --keep-caps --boottime= --monotonic= -h -V`,
    wrap: 0,
    more: shellWithout,
  },
  nsenter: {
    options: `-a,--all -t,--target= ${NAMESPACES} -S,--setuid= -G,--setgid= --preserve-credentials --keep-caps -r,--root? -w,--wd? -W,--wdns=
      -e,--env -F,--no-fork -Z,--follow-context -c,--join-cgroup -N,--net-socket= -h -V`,
    wrap: 0,
    privilege: true,
    more: shellWithout,
  },
  chroot: { options: "--groups= --userspec= --skip-chdir -u= -g= -G= --help --version", wrap: 1, privilege: true },
  setpriv: {
    options: `--reuid= --regid= --ruid= --euid= --rgid= --egid= --groups= --inh-caps= --ambient-caps= --bounding-set= --securebits=
      --pdeathsig= --ptracer= --selinux-label= --apparmor-profile= --landlock-access= --landlock-rule= --seccomp-filter= --clear-groups
      --keep-groups --init-groups --no-new-privs --nnp --reset-env -d,--dump -h -V`,
    wrap: 0,
  },
  prlimit: { options: "-p,--pid= -o,--output= --noheadings --raw --verbose", wrap: 0 },
  numactl: {
    options: `-i,--interleave= -w,--weighted-interleave= -p,--preferred= -P,--preferred-many= -m,--membind= -N,--cpunodebind=
      -C,--physcpubind= -l,--localalloc -b,--balancing -a,--all -s,--show -H,--hardware`,
    wrap: 0,
  },
  setarch: { read: setarch },
  linux32: { ...ARCHITECTURE, inert: "help version", wrap: 0 },
  linux64: { ...ARCHITECTURE, inert: "help version", wrap: 0 },
  strace: {
    options: `-a,--columns= -b= -c,--summary-only -C,--summary -d -D -e= -E,--env= -f,--follow-forks -F -h -i -I= -k -n -N -o,--output=write!w
      -O= -p,--attach= -P,--trace-path= -q -r -s,--string-limit= -S= -t -T -u,--user= -U= -v -V -w -x -X= -y -Y -z -Z --trace= --signal=`,
    wrap: 0,
    more: tracer,
  },
  ltrace: {
    options: "-a= -A= -b -c -C -D= -e= -f -F=load -h -i -l= -L -n= -o,--output=write!w -p= -r -s= -S -t -T -u= -V -w= -x=",
    wrap: 0,
    more: tracer,
  },
  valgrind: { options: "--log-file=write!w --xml-file=write!w --tool= --suppressions=read -v -q -h", wrap: 0 },
  script: {
    options: `-a,--append -c,--command=script -e,--return -f,--flush --force -B,--log-io=write -I,--log-in=write -O,--log-out=write
      -T,--log-timing=write -m,--logging-format= -E,--echo= -o,--output-limit= -q,--quiet -t,--timing? -h -V`,
    operands: "write*",
    carries: true,
    more: script,
  },
  unbuffer: { options: "-p", wrap: 0 },
  fakeroot: { options: "-l,--lib=load --faked=exec -s=write!w -i=read -u,--unknown-is-real -b= -h -v", wrap: 0, more: shellWithout },
  "dbus-run-session": { options: "--config-file=load --dbus-daemon=exec", wrap: 0 },
  "dbus-launch": { options: "--exit-with-session --exit-with-x11 --autolaunch= --config-file=load --sh-syntax --csh-syntax", wrap: 0 },
  "xvfb-run": {
    options:
      "-a,--auto-servernum -e,--error-file=write -f,--auth-file=write -l -n,--server-num= -p,--xauth-protocol= -s,--server-args= -w,--wait=",
    wrap: 0,
  },
  cpulimit: { options: "-l,--limit= -p,--pid= -e,--exe= -P,--path= -b -q -k -r -v -z -i -m -c=", wrap: 0 },
  caffeinate: { options: "-d -i -m -s -u -t= -w=", wrap: 0 },
  chronic: { options: "-v -e", wrap: 0 },
  ifne: { options: "-n", wrap: 0 },
  entr: { options: "-a -c -d -n -p -r -s -x -z", posix: true, more: entr },
  "systemd-run": {
    options: `--user --system --scope -r,--remain-after-exit -u,--unit= -p,--property= --description= --slice= --slice-inherit -P,--pipe
      -t,--pty -T,--pty-late -q,--quiet -d,--same-dir --wait -G,--collect -E,--setenv= --working-directory=dir --uid= --gid= --nice= --on-active=
      --on-boot= --on-startup= --on-unit-active= --on-unit-inactive= --on-calendar= --timer-property= --path-property= --socket-property=
      --send-sighup --service-type= --no-block --no-ask-password --expand-environment= -S,--shell -M,--machine= -H,--host=host`,
    wrap: 0,
    more: shellWithout,
  },
  busybox: { options: "--list --list-full --install!w --help", wrap: 0, inert: "list list-full help" },
  toybox: { options: "--long --help --version", wrap: 0, inert: "long help version" },
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

function readSg(use: Use, out: Out): void {
  const last = use.operands.at(-1);
  if (uses(use, "c")) return;
  if (use.operands.length > 1 && last !== undefined) runScript(out, last.at, last.word);
  else unknown(out, "dynamic_script", "shell that `sg` starts");
}
