import { noteAnyFiles } from "./any-files.ts";
import { noteMissingCommand } from "./privileges.ts";
import { noteUnclearStart, runArgv } from "./apply-spec.ts";
import { GCLOUD } from "./cloud-options.ts";
import { cloud } from "./clouds.ts";
import { hazard, network, runScript, unknown, type Findings } from "./findings.ts";
import { optionsNamed, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { joined, prefix } from "./word-text.ts";
import { kind, many, options, wraps } from "./option-groups.ts";

function opaque(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  // Without a command, many of these start a shell that reads its input.
  if (first === undefined)
    return out.input.kind === "inherited" ? undefined : noteMissingCommand(use, out);
  hazard(out, first.at, "run");
  unknown(out, "dynamic_command", `command among the arguments of \`${out.argv[0]?.text ?? "?"}\``);
}

/** A program that runs its arguments, but whose options are too uncertain to tell where the command starts. */
export const OPAQUE: Spec = { posix: true, carries: true, more: opaque };

/** Like {@link OPAQUE}, for a program that runs a command only after one of these words. */
function opaqueAfter(...verbs: readonly string[]): Spec {
  return {
    ...OPAQUE,
    more(use, out) {
      const words = use.operands.map(({ word }) => word.text);
      if (words.length === 0 || words.some((text) => text === undefined || verbs.includes(text)))
        opaque(use, out);
      else noteAnyFiles(out, 1);
    },
  };
}

// Each operand is a command line.
function scripts(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) runScript(out, at, word);
}

// The command follows `--`, or the names of tools with versions.
function afterTools(use: ParsedArgs, out: Findings): void {
  const first = use.operands.find(
    ({ word }) => word.text !== "--" && !/^[\w:./-]+@/.test(prefix(word)),
  );
  if (first === undefined) return;
  runArgv(out, first.at);
  noteUnclearStart(use, out);
}

/** nodemon: the later words are added to the command line in `--exec`. */
function nodemon(use: ParsedArgs, out: Findings): void {
  const [exec] = optionsNamed(use, "exec");
  if (exec === undefined) return;
  const value = valueOf(exec);
  const next = out.argv.indexOf(value, exec.at);
  runScript(out, exec.at, joined([value, ...out.argv.slice(next < 0 ? exec.at + 1 : next + 1)]));
}

/** start-server-and-test: commands or script names with an address between them. */
function serverAndTest(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) if (/\s/.test(prefix(word))) runScript(out, at, word);
}

// `heroku run ls` and `heroku run 'ls | wc'` run on another machine.
function remoteWords(use: ParsedArgs, out: Findings): void {
  network(out, undefined);
  const [first] = use.operands;
  if (first !== undefined)
    runScript(out, first.at, joined(use.operands.map(({ word }) => word)), { remote: true });
}

function remoteOption(use: ParsedArgs, out: Findings): void {
  network(out, undefined);
  for (const { option, at, value } of use.options) {
    if (option.name === "command" && value !== undefined)
      runScript(out, at, value, { remote: true });
  }
  const end = out.argv.findIndex(({ text }) => text === "--");
  const first = use.operands.find(({ at }) => end >= 0 && at > end);
  if (first !== undefined)
    runScript(out, first.at, joined(out.argv.slice(first.at)), { remote: true });
}

function gcloud(use: ParsedArgs, out: Findings): void {
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
      "which where whence version versions list ls current help global local shims doctor root"
        .split(" ")
        .map((name) => [name, {}]),
    ),
    ...Object.fromEntries(
      "install uninstall update use plugin self-update"
        .split(" ")
        .map((name) => [name, { network: true, does: "configure" } as Spec]),
    ),
    "*": OPAQUE,
  },
};

const CONDA: Spec = {
  options: options`-h,--help -V,--version -v`,
  inert: "help version",
  subs: {
    run: wraps`-v --dev --debug-wrapper-scripts --live-stream ${kind.value} -n,--name -p,--prefix ${kind.takes("dir")} --cwd
        ${kind.flag} --no-capture-output`,
    activate: { does: "configure" },
    deactivate: { does: "configure" },
    config: { does: "configure" },
    ...Object.fromEntries(
      "list info search env env-list package compare clean doctor notices"
        .split(" ")
        .map((name) => [name, {}]),
    ),
    ...Object.fromEntries(
      "install create update upgrade remove uninstall rename"
        .split(" ")
        .map((name) => [name, { network: true } as Spec]),
    ),
    "*": OPAQUE,
  },
};

const PERF_RUN: Spec = wraps`-a,--all-cpus -d,--detailed -v,--verbose -g -q,--quiet -s,--stat -A,--no-aggr -B,--big-num -i,--no-inherit -n,--null
    -S,--sync --append -j,--json-output --summary ${kind.value} -e,--event -p,--pid -t,--tid -r,--repeat -x,--field-separator -C,--cpu
    -I,--interval-print -F,--freq -c,--count --call-graph --log-fd -M,--metrics -D,--delay -m,--mmap-pages -G,--cgroup ${kind.write}
    -o,--output ${kind.flag} --per-core --per-socket --per-node -T,--transaction -f,--force ${kind.script} --pre --post`;
const READ_SET: Spec = {
  options: options`--stdio -g -n -v ${kind.read} -i,--input ${kind.write} -o,--output ${kind.value} -s`,
};

const FLY_SSH: Spec = {
  options: options`-s,--select --pty -q -h,--help ${kind.value} -C,--command -a,--app -o,--org -r,--region -u,--user -A,--address
    ${kind.read} -c,--config`,
  more: remoteOption,
};
const FLY: Spec = {
  network: true,
  carries: true,
  options: options`--debug --verbose -h,--help ${kind.value} -t,--access-token -a,--app`,
  subs: {
    ssh: { subs: { console: FLY_SSH, "*": FLY_SSH } },
    console: FLY_SSH,
    "*": { carries: true },
  },
};

/** Programs that run command lines: benchmarks, watchers, version managers and machine managers. */
export const RUNNERS: Readonly<Record<string, Spec>> = {
  hyperfine: {
    options: options`-N -i,--ignore-failure --show-output -h,--help -V,--version ${kind.value} -w,--warmup -m,--min-runs -M,--max-runs
      -r,--runs -P,--parameter-scan -D,--parameter-step-size -L,--parameter-list --style --sort -u,--time-unit -n,--command-name
      --reference-name ${kind.script} -s,--setup -p,--prepare -C,--conclude -c,--cleanup --reference ${kind.takes("exec", "run")}
      -S,--shell ${kind.write} --export-asciidoc --export-csv --export-json --export-markdown --export-orgmode --output ${kind.read}
      --input`,
    inert: "help version",
    more: scripts,
  },
  nodemon: {
    options: options`-C,--on-change-only -V -q -L ${kind.value} -x,--exec -e,--ext -w,--watch -i,--ignore -d,--delay --signal ${kind.load}
      --config -r,--require ${kind.of("glued", { does: "run" })} --inspect`,
    posix: true,
    operands: ["exec", many("data")],
    more: nodemon,
  },
  "start-server-and-test": { options: options`${kind.value} --expect`, more: serverAndTest },
  "server-test": { options: options`${kind.value} --expect`, more: serverAndTest },
  chokidar: {
    options: options`-s,--follow-symlinks -p,--polling --verbose --silent -h,--help -v,--version ${kind.script} -c,--command ${kind.value}
      -d,--debounce -t,--throttle -i,--ignore --poll-interval --poll-interval-binary ${kind.flag} --initial`,
    inert: "help version",
    operands: [many("data")],
  },
  pssh: {
    options: options`-v -A -i -P -I ${kind.read} -h,--hosts ${kind.value} -H,--host -l,--user -p,--par -t,--timeout -x -X -g ${kind.write}
      -o,--outdir -e,--errdir ${kind.valueThat("configure")} -O,--option`,
    posix: true,
    more: remoteWords,
  },
  heroku: {
    network: true,
    carries: true,
    options: options`${kind.value} -a,--app`,
    subs: {
      run: {
        options: options`-x,--exit-code --no-tty --no-notify ${kind.value} -a,--app -r,--remote -s,--size --type
          ${kind.valueThat("configure")} -e,--env`,
        posix: true,
        more: remoteWords,
      },
      "run:detached": {
        options: options`${kind.value} -a,--app -r,--remote -s,--size`,
        posix: true,
        more: remoteWords,
      },
      "*": { carries: true },
    },
  },
  gcloud: {
    options: options`${kind.value} --command ${kind.valueThat("configure")} --ssh-flag ${kind.read} --ssh-key-file ${GCLOUD}`,
    network: true,
    more: gcloud,
  },
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
    options: options`--help --version -v ${kind.value} --buildid-dir --debug`,
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
  doppler: opaqueAfter("run"),
  op: opaqueAfter("run", "plugin"),
  ...Object.fromEntries(
    `bwrap firejail proot cgexec start-stop-daemon daemon dtach abduco catchsegv lockf chpst softlimit envdir setuidgid
    systemd-nspawn machinectl lxc-attach multipass wsl capsh rlwrap dotenv dotenvx infisical chamber aws-vault envchain
    nix-shell nix devbox devenv nvm fnm volta sdk apptainer singularity
    vagrant run-parts inotifywait-exec ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 torify torsocks proxychains proxychains4 tsocks
    cgroup-run uidmapshift newgrp nq tsp screenrun zombie daemonize runsv runit dumb-init tini gvisor-tap runsc runc crun heaptrack
    rr gdbserver pkexec-run time-limit eatmydata faketime aoss padsp optirun primusrun gamemoderun mpirun mpiexec srun sbatch salloc qsub bsub condor_run`
      .split(/\s+/)
      .map((name) => [name, OPAQUE]),
  ),
};
