import type { Word } from "../analysis.ts";
import { file, FORMATTED, hazard, type Findings } from "./findings.ts";
import { folderOfGlob } from "./glob-operands.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { hazardOfOption } from "./option-names.ts";
import { after, known, prefix } from "./word-text.ts";
import { kind, many, options, reads } from "./option-groups.ts";

/** Guesses the hazards of unknown options from their names. */
export function checkUnknownOptions(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.unknownOptions) {
    const does = hazardOfOption(prefix(word));
    if (does !== undefined) hazard(out, at, does);
  }
}

/** `@file` names a file with further arguments, which may contain any option. */
export function argumentFiles(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands)
    if (prefix(word).startsWith("@")) {
      hazard(out, at, "load");
      file(out, "read", after(word, 1));
    }
}

function checkArguments(use: ParsedArgs, out: Findings): void {
  argumentFiles(use, out);
  checkUnknownOptions(use, out);
}

// A formatter or reporter that is not built in is loaded as a module.
const isModule = (text: string | undefined): boolean => text === undefined || /[/.@\\]/.test(text);

function modules(...names: readonly string[]): (use: ParsedArgs, out: Findings) => void {
  return (use, out) => {
    checkUnknownOptions(use, out);
    for (const name of names)
      for (const { at, value } of optionsNamed(use, name))
        if (isModule(value?.text)) hazard(out, at, "load");
  };
}

// With one of these options it writes the files that it checks.
function rewrites(names: string): (use: ParsedArgs, out: Findings) => void {
  return (use, out) => {
    checkUnknownOptions(use, out);
    if (hasOption(use, names))
      for (const { word } of use.operands) file(out, "write", word, FORMATTED);
  };
}

const ESLINT: Spec = {
  options: options`--fix-dry-run --cache --quiet --stdin --report-unused-disable-directives --stats --debug --color --pass-on-no-patterns
    -h,--help -v,--version ${kind.load} -c,--config --rulesdir --resolve-plugins-relative-to ${kind.flagThat("write")} --fix --init
    --suppress-all ${kind.value} --fix-type --parser-options -f,--format --cache-strategy --ext --env --global --rule --max-warnings
    --report-unused-disable-directives-severity --flag --concurrency ${kind.read} --stdin-filename ${kind.valueThat("load")} --plugin --parser
    ${kind.write} -o,--output-file --cache-location --cache-file --suppressions-location ${kind.read} --ignore-path --print-config
    ${kind.value} --ignore-pattern ${kind.valueThat("write")} --suppress-rule ${kind.flagThat("write")} --prune-suppressions
    ${kind.flagThat("run")} --inspect-config --mcp ${kind.flag} --exit-on-fatal-error --env-info`,
  operands: [many("read")],
  below: "always",
  inert: "help version env-info",
  more: (use, out) => {
    modules("format")(use, out);
    rewrites("fix")(use, out);
  },
};

// Prettier expands globs itself.
function printsFormatted(word: Word, out: Findings): void {
  const folder = folderOfGlob(word.text ?? "");
  file(out, "read", folder === undefined ? word : known(folder), { below: true, prints: true });
}

const PRETTIER: Spec = {
  options: options`-c,--check -l,--list-different --cache --with-node-modules --use-tabs --color -v,--version ${kind.flagThat("write")}
    -w,--write ${kind.load} --config --plugin --plugin-search-dir ${kind.value} --config-precedence --parser
    --cache-strategy --log-level --tab-width --print-width --trailing-comma --end-of-line --prose-wrap --arrow-parens --quote-props
    --html-whitespace-sensitivity --embedded-language-formatting --range-start --range-end ${kind.read} --stdin-filepath --ignore-path
    --find-config-path --file-info ${kind.write} --cache-location ${kind.flag} --support-info -u,--ignore-unknown --insert-pragma --require-pragma
    --single-quote ${kind.optional} -h,--help`,
  operands: [many("read")],
  below: "always",
  inert: "help version support-info",
  more: (use, out) => {
    modules("parser")(use, out);
    rewrites("write")(use, out);
    if (!hasOption(use, "check list-different write find-config-path file-info"))
      for (const { word } of use.operands) printsFormatted(word, out);
  },
};

const PYTEST: Spec = {
  options: options`-x -v -q -s -l --lf --ff --co --disable-warnings --pyargs --doctest-modules --stepwise --sw --strict-markers -h,--help -V,--version
    --no-header --no-summary --no-cov --cov-branch --setup-show --setup-only --fixtures --reuse-db --create-db --last-failed --failed-first --exitfirst --quiet --showlocals
    ${kind.valueThat("load")} -o,--override-ini ${kind.load} -c,--config-file --rootdir --confcutdir --cov-config ${kind.value} -k -m -p
    -n,--numprocesses --maxfail --tb --junit-prefix --cov-report --cov-fail-under --import-mode --deselect --durations --durations-min -r
    --color --timeout --reruns --reruns-delay --dist --capture --log-level --log-cli-level -W --verbosity ${kind.takes("write", "delete")}
    --basetemp ${kind.write} --junitxml,--junit-xml --html --report-log --log-file --result-log ${kind.flagThat("run")} --pdb --trace
    ${kind.valueThat("load")} --pdbcls ${kind.flagThat("delete")} --cache-clear ${kind.optional} --cov
    ${kind.of("glued", { does: "write" })} --debug ${kind.valueThat("send")} --pastebin ${kind.read} --ignore ${kind.value} --ignore-glob
    ${kind.flag} --collect-only --markers --verbose ${kind.flagThat("write")} --snapshot-update ${kind.valueThat("write")}
    --benchmark-save ${kind.valueThat("load")} --ds`,
  operands: [many("read")],
  below: "always",
  inert: "help version",
  more: (use, out) => {
    argumentFiles(use, out);
    // A category of warnings is imported as a class, and a report may have its own file.
    modules("W")(use, out);
    for (const { at, value } of optionsNamed(use, "p"))
      if (!/^no:[\w-]+$/.test(value?.text ?? "")) hazard(out, at, "load");
    for (const { at, value } of optionsNamed(use, "cov-report"))
      if (value?.text?.includes(":") !== false) hazard(out, at, "write");
  },
};

const RUFF = options`--isolated -n,--no-cache --force-exclude -q,--quiet -v,--verbose --diff --respect-gitignore -w,--watch ${kind.load}
  --config ${kind.write} --cache-dir ${kind.value} --select --ignore --extend-select --extend-ignore --per-file-ignores --exclude
  --extend-exclude --target-version --line-length --output-format ${kind.read} --stdin-filename ${kind.flag} --preview -s,--silent -e,--exit-zero
  --statistics --show-files --show-settings`;
const RUFF_CHECK: Spec = {
  options: options`${RUFF} --show-fixes ${kind.flagThat("write")} --fix --unsafe-fixes --fix-only ${kind.of("glued", { does: "write" })}
    --add-noqa ${kind.write} -o,--output-file ${kind.value} --extension`,
  operands: [many("read")],
  below: "always",
  more: rewrites("fix fix-only add-noqa"),
};

const JS_TESTS = options`-w,--watch --watchAll --run -i,--runInBand --silent --verbose --passWithNoTests --globals -o,--onlyChanged
  --findRelatedTests --listTests --ci --color --forceExit --logHeapUsage --no-coverage -h,--help -v,--version ${kind.load} -c,--config
  -r,--root --rootDir --globalSetup --globalTeardown --preset --resolver --runner --testRunner --setupFiles --setupFilesAfterEnv
  --snapshotSerializers ${kind.value} -t,--testNamePattern --testEnvironment --environment --reporters --reporter --project
  --coverage.provider --maxWorkers --testTimeout --testPathPattern --testPathPatterns --pool --mode --shard --retry
  ${kind.flagThat("write")} -u,--update,--updateSnapshot --init ${kind.write} --outputFile --coverageDirectory --cacheDirectory
  --coverage.reportsDirectory ${kind.valueThat("load")} --transform ${kind.flagThat("delete")} --clearCache ${kind.read} --dir
  ${kind.optional} --coverage -b,--bail --changed ${kind.value} --changedSince ${kind.flag} --showConfig --detectOpenHandles`;
const JS_TEST: Spec = {
  options: JS_TESTS,
  operands: [many("data")],
  inert: "help version",
  more: modules(
    "reporters",
    "reporter",
    "testEnvironment",
    "environment",
    "coverage.provider",
    "pool",
    "project",
  ),
};

/** Linters and test runners, with the options that load, write or send. */
export const CHECKERS: Readonly<Record<string, Spec>> = {
  eslint: ESLINT,
  shellcheck: reads`-C ${kind.flagThat("load")} -a,--check-sourced ${kind.flag} -x,--external-sources --list-optional --norc --help -V,--version ${kind.value} -e,--exclude
      -i,--include -f,--format -o,--enable -s,--shell -S,--severity -W,--wiki-link-count ${kind.optional} --color ${kind.load} --rcfile
      ${kind.takes("read")} -P,--source-path`,
  prettier: PRETTIER,
  yamllint: {
    options: options`-s,--strict --no-warnings --list-files -v,--version -h,--help ${kind.value} -f,--format ${kind.load} -c,--config-file
      -d,--config-data`,
    operands: [many("read")],
    below: "always",
    more: checkUnknownOptions,
  },
  actionlint: {
    options: options`-color -no-color -oneline -verbose -debug -version ${kind.value} -format -ignore ${kind.load} -config-file
      ${kind.takes("exec", "run")} -shellcheck -pyflakes`,
    operands: [many("read")],
    more: checkUnknownOptions,
  },
  pytest: PYTEST,
  "py.test": PYTEST,
  ruff: {
    options: RUFF,
    subs: {
      check: RUFF_CHECK,
      format: {
        options: options`${RUFF} --check ${kind.value} --range`,
        operands: [many("rw")],
        below: "always",
        quiet: "check diff",
        more: checkUnknownOptions,
      },
      clean: { does: "delete" },
      rule: {},
      linter: {},
      version: {},
      config: {},
      help: {},
    },
  },
  black: {
    options: options`--diff -q,--quiet -v,--verbose --color -S -C --pyi --preview --unstable -x -h,--help --version ${kind.value}
      -c,--code -l,--line-length -t,--target-version --include --exclude --extend-exclude --force-exclude -W,--workers
      --required-version --line-ranges --enable-unstable-feature ${kind.read} --stdin-filename ${kind.flag} --check --ipynb --fast --safe ${kind.load} --config`,
    operands: [many("rw")],
    below: "always",
    quiet: "check diff",
    inert: "help version",
    more: (use, out) => {
      checkUnknownOptions(use, out);
      // It prints lines of files that are no Python.
      if (!hasOption(use, "include")) return;
      for (const { word } of use.operands) file(out, "read", word, { below: true, prints: true });
    },
  },
  mypy: {
    options: options`--non-interactive --ignore-missing-imports --pretty -v -h,--help -V,--version ${kind.load} --config-file
      --custom-typeshed-dir ${kind.value} -p,--package -m,--module -c,--command --python-version --platform --exclude --follow-imports
      --disable-error-code --enable-error-code ${kind.takes("exec", "run")} --python-executable ${kind.flagThat("run")} --install-types
      ${kind.write} --cache-dir --junit-xml --html-report --txt-report --xml-report --linecount-report --linecoverage-report
      --lineprecision-report --any-exprs-report --cobertura-xml-report --memory-xml-report ${kind.read} --shadow-file ${kind.flag}
      --strict --show-error-codes`,
    operands: [many("read")],
    below: "always",
    inert: "help version",
    more: checkArguments,
  },
  tsc: {
    options: options`-b,--build -w,--watch --noEmit -v --version --importHelpers --pretty --strict --skipLibCheck --noUnusedLocals
      --noUnusedParameters --noImplicitAny --esModuleInterop --listFiles --listFilesOnly --traceResolution --showConfig --diagnostics
      --extendedDiagnostics --explainFiles --checkJs --allowJs --resolveJsonModule --noEmitOnError --preserveWatchOutput ${kind.takes("load")} -p,--project ${kind.write} -o
      --outFile --outDir --outdir --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile ${kind.flagThat("write")} --init
      ${kind.value} --locale --lib -t,--target -m,--module --moduleResolution --jsx --types --rootDir --baseUrl ${kind.valueThat("load")}
      --plugins`,
    operands: [many("read")],
    more: (use, out) => {
      checkArguments(use, out);
      if (hasOption(use, "noEmit outDir outFile")) return;
      for (const { word } of use.operands)
        if (word.text !== undefined)
          file(out, "write", known(word.text.replace(/(\.[cm]?)tsx?$/, "$1js")));
    },
  },
  jest: JS_TEST,
  vitest: JS_TEST,
};
