import { file, hazard, mayRun, runScript, unknown, type Findings } from "./findings.ts";
import { apply, runArgv } from "./apply-spec.ts";
import { wholeNpmName } from "./npm-names.ts";
import { names, runTool } from "./package-tools.ts";
import { noteUpwardPaths, recordArgumentsOfTask } from "./script-file.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, command, joined, known, prefix } from "./word-text.ts";
import { kind, options, wraps } from "./option-groups.ts";

const NPM = options`--ignore-scripts --dry-run --json --long -l -p,--parseable -s,--silent -q,--quiet -d --verbose -D,--save-dev -S,--save
  -O,--save-optional -E,--save-exact -B --save-peer --no-save --legacy-peer-deps --force -f --if-present --foreground-scripts --no-audit
  --no-fund --production --strict-peer-deps --package-lock-only --prefer-offline --offline -h,--help -v,--version -y,--yes
  ${kind.takes("dir", "load")} -C,--dir --prefix ${kind.flagThat("write")} -g,--global ${kind.valueThat("write")} --location ${kind.value}
  -w,--workspace --loglevel --omit --include --tag --access --otp --depth --only --filter -m,--message --scope
  --workspace-concurrency ${kind.flag} -ws,--workspaces --fix -a,--all --include-workspace-root ${kind.takes("exec", "run")}
  --script-shell --shell --git ${kind.valueThat("run")} --node-options ${kind.takes("exec", "run")} --node-gyp ${kind.script} --editor
  --viewer --browser ${kind.load} --userconfig --globalconfig --init-module --onload-script ${kind.takes("url", "configure")} --registry
  --proxy --https-proxy ${kind.write} --cache --pack-destination --logs-dir ${kind.takes("read", "configure")} --cafile
  ${kind.valueThat("configure")} --ca ${kind.script} -c,--call`;

export const NPM_EXEC: Spec = {
  options: options`${NPM} --no-install --no --ignore-existing ${kind.valueThat("load")} -p,--package ${kind.valueThat("run")} -n,--node-arg ${kind.optional}
    --shell-auto-fallback`,
  posix: true,
  more: runTool,
};

const NPM_RUN: Spec = {
  options: NPM,
  more: ({ operands: [first] }, out) =>
    first !== undefined && recordArgumentsOfTask(out, first.at + 1),
};

// pnpm and Yarn pass everything after the name of a script on to the script.
const YARN_RUN: Spec = { ...NPM_RUN, posix: true };

const PNPM_RUN: Spec = {
  ...YARN_RUN,
  options: options`${NPM} -r,--recursive --parallel --stream --no-bail`,
};

const NPM_TEST: Spec = {
  options: NPM,
  more: ({ operands: [first] }, out) => first !== undefined && recordArgumentsOfTask(out, first.at),
};

const NPM_GET: Spec = { options: NPM, network: true };

const NPM_SET: Spec = { options: NPM, does: "configure" };

function config(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first === undefined || /^(get|list|ls|ls-rc)$/.test(first.word.text ?? "")) return;
  hazard(out, first.at, first.word.text === "edit" ? "run" : "configure");
  file(out, "write", known(hasOption(use, "global") ? "/etc/npmrc" : "~/.npmrc"));
}

// `npm pkg set scripts.x="rm y"` sets what a script runs later.
function pkg(use: ParsedArgs, out: Findings): void {
  const [first, ...rest] = use.operands;
  if (first === undefined || first.word.text === "get") return;
  hazard(out, first.at, "configure");
  file(out, "write", known("package.json"));
  for (const { at, word } of rest) {
    const sign = prefix(word).indexOf("=");
    if (sign > 0 && /^(scripts|bin)|\s/.test(prefix(word))) mayRun(out, at, after(word, sign + 1));
  }
}

const NPM_CONFIG: Spec = { options: NPM, more: config };

const NPM_SUBS: Readonly<Record<string, Spec>> = {
  ...names("run run-script rum urn", NPM_RUN),
  ...names("test t tst start stop restart", NPM_TEST),
  ...names(
    "install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean isntall-clean install-test it install-ci-test clean-install-test cit sit update u up upgrade udpate rebuild rb audit outdated view v info show search s se find publish unpublish deprecate undeprecate dist-tag dist-tags pack find-dupes trust stage",
    NPM_GET,
  ),
  ...names(
    "fund ping doctor whoami star unstar stars team org ogr profile access owner author hook token login adduser add-user logout link ln dedupe ddp diff docs home repo bugs issues sbom query",
    NPM_GET,
  ),
  ...names(
    "ls list ll la root prefix bin help hlep help-search explain why prune uninstall un remove rm r unlink shrinkwrap version verison cache completion",
    { options: NPM } as Spec,
  ),
  audit: {
    ...NPM_GET,
    more: (use, out) => {
      const fix = use.operands.find(({ word }) => (word.text ?? "fix") === "fix");
      if (fix !== undefined) hazard(out, fix.at, "write");
    },
  },
  ...names("exec x", NPM_EXEC),
  ...names("init create innit", { options: NPM, network: true, does: "run" } as Spec),
  ...names("config c", NPM_CONFIG),
  ...names("set approve-scripts deny-scripts install-scripts", NPM_SET),
  pkg: { options: NPM, more: pkg },
  get: {},
  edit: { does: "run" },
  explore: {
    options: NPM,
    posix: true,
    more: (use, out) => {
      const [place, ...rest] = use.operands;
      const words = rest.filter(({ word }, index) => index > 0 || word.text !== "--");
      const [first] = words;
      if (first !== undefined) runScript(out, first.at, joined(words.map(({ word }) => word)));
      else if (place !== undefined) {
        hazard(out, place.at, "run");
        unknown(out, "dynamic_script", "input of the shell that `npm explore` starts");
      }
    },
  },
};

// Programs that projects install. `yarn jest` and `pnpm jest` run the program, or a script of that name.
const TOOLS: ReadonlySet<string> = new Set(
  `astro attw ava babel-node biome c8 commitlint cspell cypress depcheck esbuild eslint esno jest jiti knip lerna lint-staged madge markdownlint
  markdownlint-cli2 mocha next ng nuxt nx nyc oxfmt oxlint parcel playwright prettier publint rollup size-limit standard storybook stylelint
  svelte-check tap ts-node ts-node-esm tsc tsd tsx turbo vite vitest vue-tsc webpack xo`.split(
    /\s+/,
  ),
);

// `yarn NAME` is `yarn run NAME`, unless Yarn has a command of that name. The same goes for pnpm.
const SCRIPT_OR_TOOL: Spec = {
  read: (out, from) => {
    if (!TOOLS.has(out.argv[from - 1]?.text ?? "")) return recordArgumentsOfTask(out, from);
    runArgv(out, from - 1);
    noteUpwardPaths(out, from);
  },
};

// Before the subcommand, only these options of each tool take the next word. To any other, that word is the subcommand.
const valued =
  (names: RegExp) =>
  (use: ParsedArgs, out: Findings): void => {
    const end = use.operands[0]?.at ?? out.argv.length;
    for (const { option, at, value } of use.options) {
      if (at >= end || value === undefined || value !== out.argv[at + 1] || names.test(option.name))
        continue;
      hazard(out, at, "unknown");
      out.runs.push({ kind: "sight", words: [...out.argv.slice(0, 1), ...out.argv.slice(at + 1)] });
    }
  };

export const NPM_SPEC: Spec = {
  options: NPM,
  subs: NPM_SUBS,
  more: valued(/^(?!filter$|workspace-concurrency$)/),
  inert: "version help",
  extensible: true,
  fullName: wholeNpmName,
};

export const PNPM_SPEC: Spec = {
  more: valued(/^(?:filter|filter-prod|dir|loglevel|workspace-concurrency)$/),
  options: options`${NPM} -w,--workspace-root -r,--recursive --parallel --stream --aggregate-output --color --shell-mode ${kind.value} -F,--filter
    --filter-prod ${kind.takes("exec", "run")} --config.script-shell`,
  inert: "version help",
  subs: {
    ...NPM_SUBS,
    ...names("run run-script", PNPM_RUN),
    dlx: NPM_EXEC,
    deploy: { operands: ["write"] },
    import: {},
    store: {},
    patch: {},
    env: { network: true },
    setup: { does: "configure" },
    "*": SCRIPT_OR_TOOL,
  },
};

export const YARN_SPEC: Spec = {
  more: valued(/^cwd$/),
  options: options`${NPM} --frozen-lockfile --immutable --top-level ${kind.takes("dir", "load")} --cwd ${kind.load} --use-yarnrc
    ${kind.write} --modules-folder --cache-folder`,
  inert: "version help",
  subs: {
    ...NPM_SUBS,
    run: YARN_RUN,
    dlx: NPM_EXEC,
    node: {
      read: (out, from) =>
        runScript(out, from - 1, command([known("node"), ...out.argv.slice(from)])),
    },
    workspaces: {
      subs: {
        foreach: wraps`-p -i -A,--all -v -t -R -W ${kind.value} --from --include --exclude -j`,
        run: NPM_RUN,
        focus: NPM_GET,
        list: {},
        info: {},
      },
    },
    workspace: {
      posix: true,
      carries: true,
      more: ({ operands: [name] }, out) => name !== undefined && apply(YARN_SPEC, out, name.at + 1),
    },
    global: { does: "write", network: true },
    policies: { does: "configure" },
    plugin: { does: "load", network: true },
    "*": SCRIPT_OR_TOOL,
  },
};
