import { doubtStart, runArgv } from "./apply.ts";
import { GCLOUD, cloud } from "./clouds.ts";
import { hazard, network, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { usedOf, valueOf, type Use } from "./use.ts";
import { joined, prefix } from "./words.ts";

function opaque(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first === undefined) return;
  hazard(out, first.at, "run");
  unknown(out, "dynamic_command", `command among the arguments of \`${out.argv[0]?.text ?? "?"}\``);
}

/** A program that runs its arguments, whose options are not known well enough to say where the command begins. */
export const OPAQUE: Spec = { posix: true, carries: true, more: opaque };

// Each operand is a command line of its own.
function scripts(use: Use, out: Out): void {
  for (const { at, word } of use.operands) runScript(out, at, word);
}

// After `--`, or after names of tools with their versions.
function afterTools(use: Use, out: Out): void {
  const first = use.operands.find(({ word }) => word.text !== "--" && !/^[\w:./-]+@/.test(prefix(word)));
  if (first === undefined) return;
  runArgv(out, first.at);
  doubtStart(use, out);
}

/** nodemon: `--exec` begins a command line, which the words after it complete. */
function nodemon(use: Use, out: Out): void {
  const [exec] = usedOf(use, "exec");
  if (exec === undefined) return;
  const value = valueOf(exec);
  const next = out.argv.indexOf(value, exec.at);
  runScript(out, exec.at, joined([value, ...out.argv.slice(next < 0 ? exec.at + 1 : next + 1)]));
}

/** start-server-and-test: commands or names of scripts, with an address between them. */
function serverAndTest(use: Use, out: Out): void {
  for (const { at, word } of use.operands) if (/\s/.test(prefix(word))) runScript(out, at, word);
}

// `heroku run ls`, `heroku run 'ls | wc'`: on another machine.
function remoteWords(use: Use, out: Out): void {
  network(out, undefined);
  const [first] = use.operands;
  if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)), { remote: true });
}

function remoteOption(use: Use, out: Out): void {
  network(out, undefined);
  for (const { option, at, value } of use.options) {
    if (option.name === "command" && value !== undefined) runScript(out, at, value, { remote: true });
  }
  const end = out.argv.findIndex(({ text }) => text === "--");
  const first = use.operands.find(({ at }) => end >= 0 && at > end);
  if (first !== undefined) runScript(out, first.at, joined(out.argv.slice(first.at)), { remote: true });
}

function gcloud(use: Use, out: Out): void {
  const [first, second] = use.operands;
  if (first?.word.text === "compute" && second?.word.text === "ssh") remoteOption(use, out);
  else cloud(use, out);
}

const EXEC: Spec = { posix: true, more: afterTools };
const VERSIONS: Spec = {
  carries: true,
  posix: true,
  subs: {
    exec: EXEC,
    x: EXEC,
    ...Object.fromEntries(
      "which where whence version versions list ls current help global local shims doctor root".split(" ").map((name) => [name, {}]),
    ),
    ...Object.fromEntries(
      "install uninstall update use plugin self-update".split(" ").map((name) => [name, { network: true, does: "configure" } as Spec]),
    ),
    "*": OPAQUE,
  },
};

const CONDA: Spec = {
  options: "-h,--help -V,--version -v",
  inert: "help version",
  subs: {
    run: { options: "-n,--name= -p,--prefix= -v --dev --debug-wrapper-scripts --cwd=dir --no-capture-output --live-stream", wrap: 0 },
    activate: { does: "configure" },
    deactivate: { does: "configure" },
    config: { does: "configure" },
    ...Object.fromEntries("list info search env env-list package compare clean doctor notices".split(" ").map((name) => [name, {}])),
    ...Object.fromEntries(
      "install create update upgrade remove uninstall rename".split(" ").map((name) => [name, { network: true } as Spec]),
    ),
    "*": OPAQUE,
  },
};

const PERF_RUN: Spec = {
  options: `-e,--event= -a,--all-cpus -p,--pid= -t,--tid= -o,--output=write!w -r,--repeat= -d,--detailed -v,--verbose -x,--field-separator= -C,--cpu=
    -I,--interval-print= -F,--freq= -c,--count= -g --call-graph= -q,--quiet -s,--stat -A,--no-aggr --per-core --per-socket --per-node -B,--big-num
    -i,--no-inherit -n,--null -S,--sync --append --log-fd= --pre=script!r --post=script!r -j,--json-output -M,--metrics= -T,--transaction -D,--delay=
    -m,--mmap-pages= -G,--cgroup= --summary -f,--force`,
  wrap: 0,
};
const READ_SET: Spec = { options: "-i,--input=read -o,--output=write!w --stdio -s= -g -n -v" };

const FLY_SSH: Spec = {
  options: "-C,--command= -a,--app= -c,--config=read -o,--org= -r,--region= -s,--select -u,--user= --pty -A,--address= -q -h,--help",
  more: remoteOption,
};
const FLY: Spec = {
  network: true,
  carries: true,
  options: "-t,--access-token= --debug --verbose -h,--help -a,--app=",
  subs: { ssh: { subs: { console: FLY_SSH, "*": FLY_SSH } }, console: FLY_SSH, "*": { carries: true } },
};

/** Programs that run command lines which are given to them: benchmarks, watchers, managers of versions and of machines. */
export const RUNNERS: Readonly<Record<string, Spec>> = {
  hyperfine: {
    options: `-w,--warmup= -m,--min-runs= -M,--max-runs= -r,--runs= -s,--setup=script!r -p,--prepare=script!r -C,--conclude=script!r -c,--cleanup=script!r
      --reference=script!r -P,--parameter-scan= -D,--parameter-step-size= -L,--parameter-list= -S,--shell=exec!r -N -i,--ignore-failure --style= --sort=
      -u,--time-unit= --export-asciidoc=write!w --export-csv=write!w --export-json=write!w --export-markdown=write!w --export-orgmode=write!w
      --show-output --output=write!w --input=read -n,--command-name= -h,--help -V,--version --reference-name=`,
    inert: "help version",
    more: scripts,
  },
  nodemon: {
    options:
      "-x,--exec= -e,--ext= -w,--watch= -i,--ignore= -d,--delay= -C,--on-change-only -V -q --config=load!l -r,--require=load!l --inspect?!r --signal= -L",
    posix: true,
    operands: "exec data*",
    more: nodemon,
  },
  "start-server-and-test": { options: "--expect=", more: serverAndTest },
  "server-test": { options: "--expect=", more: serverAndTest },
  chokidar: {
    options:
      "-c,--command=script!r -d,--debounce= -t,--throttle= -s,--follow-symlinks -i,--ignore= --initial -p,--polling --poll-interval= --poll-interval-binary= --verbose --silent -h,--help -v,--version",
    inert: "help version",
    operands: "data*",
  },
  pssh: {
    options:
      "-h,--hosts=read -H,--host= -l,--user= -p,--par= -o,--outdir=write!w -e,--errdir=write!w -t,--timeout= -O,--option=!c -v -A -x= -X= -i -P -I -g=",
    posix: true,
    more: remoteWords,
  },
  heroku: {
    network: true,
    carries: true,
    options: "-a,--app=",
    subs: {
      run: {
        options: "-a,--app= -r,--remote= -s,--size= -e,--env=!c -x,--exit-code --no-tty --no-notify --type=",
        posix: true,
        more: remoteWords,
      },
      "run:detached": { options: "-a,--app= -r,--remote= -s,--size=", posix: true, more: remoteWords },
      "*": { carries: true },
    },
  },
  gcloud: { options: `--command= --ssh-flag=!c --ssh-key-file=read ${GCLOUD}`, network: true, more: gcloud },
  fly: FLY,
  flyctl: FLY,
  conda: CONDA,
  mamba: CONDA,
  micromamba: CONDA,
  mise: VERSIONS,
  asdf: VERSIONS,
  rbenv: VERSIONS,
  pyenv: VERSIONS,
  nodenv: VERSIONS,
  perf: {
    options: "--help --version -v --buildid-dir= --debug=",
    inert: "help version",
    subs: {
      stat: PERF_RUN,
      record: PERF_RUN,
      trace: PERF_RUN,
      report: READ_SET,
      script: { carries: true, does: "run" },
      annotate: READ_SET,
      list: {},
      diff: READ_SET,
      "*": OPAQUE,
    },
  },
  ...Object.fromEntries(
    `bwrap firejail proot cgexec start-stop-daemon daemon dtach abduco catchsegv lockf chpst softlimit envdir setuidgid
    systemd-nspawn machinectl lxc-attach multipass wsl capsh rlwrap dotenv dotenvx doppler infisical chamber aws-vault op envchain
    nix-shell nix devbox devenv nvm fnm volta sdk apptainer singularity
    vagrant run-parts inotifywait-exec ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 torify torsocks proxychains proxychains4 tsocks
    cgroup-run uidmapshift newgrp nq tsp screenrun zombie daemonize runsv runit dumb-init tini gvisor-tap runsc runc crun heaptrack
    rr gdbserver pkexec-run time-limit eatmydata faketime aoss padsp optirun primusrun gamemoderun mpirun mpiexec srun sbatch salloc qsub bsub condor_run`
      .split(/\s+/)
      .map((name) => [name, OPAQUE]),
  ),
};
