import { apply } from "./apply-spec.ts";
import {
  file,
  hazard,
  inlineCode,
  network,
  runScript,
  unknown,
  type Findings,
} from "./findings.ts";
import { hostOf } from "./hosts.ts";
import {
  recordArgumentsOfScript,
  recordArgumentsOfTask,
  runFile,
  runInput,
} from "./script-file.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { command, known, prefix, seen } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

// The files of package managers.
const MANAGERS = /(?:^|\/)(npm|npx|yarn|pnpm|pnpx|corepack)(?:-cli)?(?:-\d[\w.-]*)?\.[cm]?js$/;

function node(use: ParsedArgs, out: Findings): void {
  if (optionsNamed(use, "env-file").some(({ value }) => value === undefined))
    file(out, "read", known(".env"));
  for (const { at, value } of optionsNamed(use, "test-reporter"))
    if (!/^(?:spec|tap|dot|junit|lcov)$/.test(value?.text ?? "")) hazard(out, at, "load");
  if (hasOption(use, "eval print run")) return;
  const [script, ...rest] = use.operands;
  const name = out.argv[0]?.text ?? "?";
  const unsure = use.unknownOptions.find(({ word }) => word.text === undefined);
  if (unsure !== undefined)
    inlineCode(out, unsure.at, `option of \`${name}\` known only at run time`);
  if (hasOption(use, "test check")) {
    for (const { word } of use.operands) file(out, "execute", word);
    return;
  }
  if (script === undefined) {
    runInput(out);
    return;
  }
  if (script.word.text === "inspect" && rest.length > 0) inlineCode(out, script.at, "a debugger");
  const manager = MANAGERS.exec(script.word.text ?? "")?.[1];
  if (manager !== undefined)
    runScript(out, script.at, command([known(manager), ...out.argv.slice(script.at + 1)]));
  runFile(out, script.at, script.word);
}

const OPTIONS = options`-c,--check -i,--interactive -h,--help -v,--version --v8-options --test --watch --cpu-prof --heap-prof ${kind.code}
  -e,--eval -p,--print -pe,--eval -ep,--eval ${kind.load} -r,--require --import --loader,--experimental-loader --env-file
  --env-file-if-exists --experimental-config-file --openssl-config --snapshot-blob --experimental-sea-config ${kind.value} -C,--conditions
  --inspect-port,--debug-port --inspect-publish-uid --test-name-pattern --test-skip-pattern --test-concurrency
  --test-timeout --test-shard --test-coverage-include --test-coverage-exclude --test-isolation --title --input-type
  --experimental-default-type --test-reporter --stack-trace-limit --max-old-space-size --max-http-header-size --unhandled-rejections --dns-result-order
  --trace-event-categories --trace-event-file-pattern --heapsnapshot-signal --tls-cipher-list --secure-heap --disable-warning
  --use-largepages --allow-fs-read --allow-fs-write ${kind.flagThat("load")} --experimental-default-config-file
  ${kind.of("glued", { does: "run" })} --inspect --inspect-brk --inspect-wait ${kind.flag} --test-only ${kind.write}
  --test-reporter-destination --redirect-warnings --diagnostic-dir --report-dir,--report-directory --report-filename --cpu-prof-dir
  --cpu-prof-name --heap-prof-dir --heap-prof-name --tls-keylog --localstorage-file ${kind.load} --test-global-setup ${kind.valueThat("run")} --run
  ${kind.flagThat("write")} --test-update-snapshots --build-snapshot ${kind.read} --watch-path ${kind.flag} --watch-preserve-output
  ${kind.takes("load")} --icu-data-dir ${kind.load} --build-snapshot-config`;

const NODE_SPEC: Spec = {
  options: OPTIONS,
  posix: true,
  inert: "help version v8-options",
  more: node,
};

// Runs `tsx x.ts` and `tsx watch x.ts`.
const TSX: Spec = {
  options: options`${OPTIONS} --no-cache -T,--transpile-only --esm --swc --files --cwd-mode --script-mode ${kind.load} --tsconfig
    -P,--project`,
  posix: true,
  inert: "help version",
  more: (use, out) => {
    const [first] = use.operands;
    if (first?.word.text === "watch") apply(NODE_SPEC, out, first.at + 1);
    else node(use, out);
  },
};

const FILE: Spec = { operands: ["exec", many("data")], posix: true };

const DENO_RUN: Spec = {
  options: options`-A,--allow-all --unstable -q,--quiet ${kind.optional} --allow-read --allow-write --allow-net --allow-env --allow-run
    --allow-ffi --allow-sys --allow-import -r,--reload --node-modules-dir --no-check --check --watch ${kind.of("glued", { role: "write", does: "write" })}
    --lock ${kind.load} -c,--config --import-map --preload --require ${kind.of("glued", { role: "load", does: "load" })} --env-file
    ${kind.takes("load")} --cert ${kind.value} --location --seed`,
  posix: true,
  more: node,
};

// A module may be at an address instead of in a file.
function addresses(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) {
    if (!/^(?!file:)[a-z][a-z0-9+.-]+:/i.test(prefix(word))) continue;
    hazard(out, at, "load");
    network(out, hostOf(word));
  }
}

const DENO: Spec = {
  options: options`-q,--quiet -h,--help -V,--version ${kind.value} -L,--log-level`,
  inert: "help version",
  subs: {
    run: DENO_RUN,
    serve: DENO_RUN,
    eval: {
      more: (use, out) =>
        inlineCode(out, use.operands[0]?.at ?? 1, "code in the arguments of `deno eval`"),
    },
    repl: {
      more: (_, out) => unknown(out, "inline_code", "input of `deno repl`, which runs as code"),
    },
    test: {
      options: DENO_RUN.options ?? [],
      operands: [many("read")],
      carries: false,
      more: addresses,
    },
    fmt: {
      options: options`--check ${kind.value} --ext ${kind.load} -c,--config`,
      operands: [many("rw")],
      below: "always",
    },
    lint: {
      options: options`--json ${kind.flagThat("write")} --fix ${kind.load} -c,--config`,
      operands: [many("read")],
      below: "always",
      more: addresses,
    },
    check: { operands: [many("read")], more: addresses },
    task: {
      options: options`${kind.load} -c,--config ${kind.takes("dir", "load")} --cwd`,
      posix: true,
      more: (use, out) => recordArgumentsOfTask(out, (use.operands[0]?.at ?? out.argv.length) + 1),
    },
    info: { operands: ["read"] },
    install: { network: true },
    add: { network: true },
    "*": {},
  },
  // `deno x.ts` means `deno run x.ts`.
  more: ({ operands: [first], spec }, out) => {
    if (first === undefined) runInput(out);
    else if (first.word.text === undefined || !Object.hasOwn(spec.subs ?? {}, first.word.text))
      runFile(out, first.at, first.word);
  },
};

function bun(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first === undefined) {
    if (!hasOption(use, "eval print help version revision"))
      unknown(out, "inline_code", "input of `bun`");
    return;
  }
  const rest = out.argv.slice(first.at + 1);
  switch (first.word.text) {
    case "x":
      runScript(out, first.at, command([known("npx"), ...rest]));
      return;
    case "test":
    case "build":
      recordArgumentsOfScript(out, first.at + 1);
      for (const word of rest) if (/^[^-].*[/.]/s.test(seen(word))) file(out, "execute", word);
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
      recordArgumentsOfScript(out, first.at + 1);
      out.effects.push({ kind: "network", host: undefined });
      if (first.word.text.startsWith("c")) hazard(out, first.at, "run");
      return;
    case "run":
      // If no script has this name, it is a program on the PATH.
      out.runs.push({ kind: "sight", words: rest });
      out.carriesFrom = first.at + 1;
      for (const [index, word] of rest.entries()) {
        if (prefix(word).startsWith("-") && prefix(word) !== "-") continue;
        if (
          /^-$|[/.]|^(?:https?|data|blob|npm|jsr|node):/i.test(prefix(word)) ||
          word.text === undefined
        )
          runFile(out, first.at + 1 + index, word);
        else recordArgumentsOfTask(out, first.at + 2 + index);
        break;
      }
      return;
    case "pm":
    case "remove":
    case "rm":
    case "link":
    case "unlink":
      recordArgumentsOfScript(out, first.at + 1);
      return;
    default:
      node(use, out);
  }
}

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
    options: options`--watch --hot --smol -b,--bun -h,--help -v,--version --revision --silent ${kind.code} -e,--eval -p,--print
      ${kind.load} -r,--preload --require --import -c,--config --env-file --tsconfig-override ${kind.takes("dir", "load")} --cwd ${kind.optional}
      --inspect ${kind.value} --port --filter -F -d,--define -l,--loader`,
    posix: true,
    inert: "help version revision",
    more: bun,
  },
};
