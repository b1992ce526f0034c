import { apply } from "./apply.ts";
import { file, hazard, inlineCode, runScript, unknown, type Out } from "./out.ts";
import { carryFrom, runFile, runInput } from "./script-file.ts";
import type { Spec } from "./spec.ts";
import { usedOf, uses, type Use } from "./use.ts";
import { command, known, prefix } from "./words.ts";

function node(use: Use, out: Out): void {
  if (usedOf(use, "env-file").some(({ value }) => value === undefined)) file(out, "read", known(".env"));
  if (uses(use, "eval print run")) return;
  const [script, ...rest] = use.operands;
  const name = out.argv[0]?.text ?? "?";
  const unsure = use.strange.find(({ word }) => word.text === undefined);
  if (unsure !== undefined) inlineCode(out, unsure.at, `option of \`${name}\` that is only known when it runs`);
  if (uses(use, "test check")) {
    for (const { word } of use.operands) file(out, "execute", word);
    return;
  }
  if (script === undefined) {
    runInput(out);
    return;
  }
  if (script.word.text === "inspect" && rest.length > 0) inlineCode(out, script.at, "debugger");
  runFile(out, script.at, script.word);
}

const OPTIONS = `-e,--eval=code!r -p,--print=code!r -pe,--eval=code!r -ep,--eval=code!r -r,--require=load!l --import=load!l --loader,--experimental-loader=load!l -c,--check
  -i,--interactive -C,--conditions= --env-file=load!l --env-file-if-exists=load!l --experimental-config-file=load!l --experimental-default-config-file!l
  --inspect?!r --inspect-brk?!r --inspect-wait?!r --inspect-port,--debug-port= --inspect-publish-uid= -h,--help -v,--version --v8-options
  --test --test-reporter= --test-name-pattern= --test-skip-pattern= --test-concurrency= --test-timeout= --test-shard= --test-only
  --test-reporter-destination=write!w --test-coverage-include= --test-coverage-exclude= --test-global-setup=load!l --test-isolation= --test-update-snapshots!w
  --watch --watch-path=read --watch-preserve-output --run= --title= --icu-data-dir=load --openssl-config=load!l --input-type= --experimental-default-type=
  --stack-trace-limit= --max-old-space-size= --max-http-header-size= --unhandled-rejections= --dns-result-order= --redirect-warnings=write!w
  --diagnostic-dir=write!w --report-dir,--report-directory=write!w --report-filename=write!w --trace-event-categories= --trace-event-file-pattern=
  --cpu-prof --cpu-prof-dir=write!w --cpu-prof-name=write!w --heap-prof --heap-prof-dir=write!w --heap-prof-name=write!w --heapsnapshot-signal=
  --build-snapshot!w --build-snapshot-config=load!l --snapshot-blob=load!l --experimental-sea-config=load!l --tls-keylog=write!w --tls-cipher-list= --secure-heap=
  --disable-warning= --localstorage-file=write!w --use-largepages= --allow-fs-read= --allow-fs-write=`;

const NODE_SPEC: Spec = { options: OPTIONS, posix: true, inert: "help version v8-options", more: node };

// `tsx x.ts`, `tsx watch x.ts`.
const TSX: Spec = {
  options: `${OPTIONS} --tsconfig=load!l --no-cache -P,--project=load!l -T,--transpile-only --esm --swc --files --cwd-mode --script-mode`,
  posix: true,
  inert: "help version",
  more: (use, out) => {
    const [first] = use.operands;
    if (first?.word.text === "watch") apply(NODE_SPEC, out, first.at + 1);
    else node(use, out);
  },
};

const FILE: Spec = { operands: "exec data*", posix: true };

const DENO_RUN: Spec = {
  options: `-A,--allow-all --allow-read? --allow-write? --allow-net? --allow-env? --allow-run? --allow-ffi? --allow-sys? --allow-import? -r,--reload? -c,--config=load!l
    --import-map=load!l --preload=load!l --require=load!l --env-file?load!l --cert=load --lock? --node-modules-dir? --unstable --no-check? --check? --watch? --inspect? -q,--quiet
    --location= --seed= --v8-flags=`,
  posix: true,
  more: node,
};

const DENO: Spec = {
  options: "-q,--quiet -L,--log-level= -h,--help -V,--version",
  inert: "help version",
  subs: {
    run: DENO_RUN,
    serve: DENO_RUN,
    eval: { more: (use, out) => inlineCode(out, use.operands[0]?.at ?? 1, "code in the arguments of `deno eval`") },
    repl: { more: (_, out) => unknown(out, "inline_code", "input of `deno repl`, which runs as code") },
    test: { options: DENO_RUN.options ?? "", operands: "read*", carries: false },
    fmt: { options: "--check --ext= -c,--config=load!l", operands: "rw*", below: "always" },
    lint: { options: "--fix!w --json -c,--config=load!l", operands: "read*", below: "always" },
    check: { operands: "read*" },
    task: {
      options: "-c,--config=load!l --cwd=dir",
      posix: true,
      more: (use, out) => carryFrom(out, (use.operands[0]?.at ?? out.argv.length) + 1),
    },
    info: { operands: "read" },
    install: { network: true },
    add: { network: true },
    "*": {},
  },
  // `deno x.ts` is `deno run x.ts`.
  more: ({ operands: [first], spec }, out) => {
    if (first === undefined) runInput(out);
    else if (first.word.text === undefined || !Object.hasOwn(spec.subs ?? {}, first.word.text)) runFile(out, first.at, first.word);
  },
};

function bun(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first === undefined) {
    if (!uses(use, "eval print help version revision")) unknown(out, "inline_code", "input of `bun`");
    return;
  }
  const rest = out.argv.slice(first.at + 1);
  switch (first.word.text) {
    case "x":
      runScript(out, first.at, command([known("npx"), ...rest]));
      return;
    case "test":
    case "build":
      return;
    case "exec":
      for (const word of rest.slice(0, 1)) runScript(out, first.at, word);
      return;
    case "install":
    case "i":
    case "add":
    case "update":
    case "upgrade":
    case "outdated":
    case "publish":
    case "create":
    case "c":
      out.effects.push({ kind: "network", host: undefined });
      if (first.word.text.startsWith("c")) hazard(out, first.at, "run");
      return;
    case "run":
      // Where no script has that name it is a program of the PATH.
      out.runs.push({ kind: "sight", words: rest });
      carryFrom(out, first.at + 1);
      for (const [index, word] of rest.entries()) {
        if (prefix(word).startsWith("-") && prefix(word) !== "-") continue;
        if (/^-$|[/.]|^(?:https?|data|blob|npm|jsr|node):/i.test(prefix(word)) || word.text === undefined)
          runFile(out, first.at + 1 + index, word);
        break;
      }
      return;
    case "pm":
    case "remove":
    case "rm":
    case "link":
    case "unlink":
      return;
    default:
      node(use, out);
  }
}

/** JavaScript runtimes. */
export const NODE: Readonly<Record<string, Spec>> = {
  node: NODE_SPEC,
  nodejs: NODE_SPEC,
  iojs: NODE_SPEC,
  tsx: TSX,
  "ts-node": TSX,
  "ts-node-esm": TSX,
  "babel-node": TSX,
  esno: TSX,
  jiti: FILE,
  deno: DENO,
  bun: {
    options: `-e,--eval=code!r -p,--print=code!r -r,--preload=load!l --require=load!l --import=load!l -c,--config=load!l --cwd=dir --env-file=load!l --tsconfig-override=load!l
      --inspect? --watch --hot --smol -b,--bun -h,--help -v,--version --revision --silent --port= --filter= -F= -d,--define= -l,--loader=`,
    posix: true,
    inert: "help version revision",
    more: bun,
  },
};
