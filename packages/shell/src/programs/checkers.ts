import { file, hazard, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { tellingOption } from "./telling.ts";
import { uses, usedOf, type Use } from "./use.ts";
import { prefix } from "./words.ts";

/** Options that the table does not have say by their names what they do. */
export function strangers(use: Use, out: Out): void {
  for (const { at, word } of use.strange) {
    const does = tellingOption(prefix(word));
    if (does !== undefined) hazard(out, at, does);
  }
}

// A formatter or a reporter that is not built in is a module.
const isModule = (text: string | undefined): boolean => text === undefined || /[/.@\\]/.test(text);

function modules(...names: readonly string[]): (use: Use, out: Out) => void {
  return (use, out) => {
    strangers(use, out);
    for (const name of names) for (const { at, value } of usedOf(use, name)) if (isModule(value?.text)) hazard(out, at, "load");
  };
}

// Writes what it looks at, with one of these options.
function rewrites(names: string): (use: Use, out: Out) => void {
  return (use, out) => {
    strangers(use, out);
    if (uses(use, names)) for (const { word } of use.operands) file(out, "write", word, { below: true });
  };
}

const ESLINT: Spec = {
  options: `-c,--config=load!l --fix!w --fix-dry-run --fix-type= --rulesdir=load!l --plugin=!l --parser=!l --parser-options= --resolve-plugins-relative-to=load!l -o,--output-file=write!w -f,--format=
    --cache --cache-strategy= --cache-location=write!w --cache-file=write!w --ext= --env= --global= --rule= --max-warnings= --quiet --ignore-path=read --ignore-pattern= --stdin --stdin-filename= --init!w
    --print-config=read --report-unused-disable-directives --report-unused-disable-directives-severity= --flag= --stats --suppress-all!w --suppress-rule=!w --prune-suppressions!w --suppressions-location=write!w
    --inspect-config!r --mcp!r --debug --color --exit-on-fatal-error --pass-on-no-patterns --concurrency= -h,--help -v,--version --env-info`,
  operands: "read*",
  below: "always",
  inert: "help version env-info",
  more: (use, out) => {
    modules("format")(use, out);
    rewrites("fix")(use, out);
  },
};

const PRETTIER: Spec = {
  options: `-c,--check -l,--list-different -w,--write!w --config=load!l --plugin=load!l --plugin-search-dir=load!l --config-precedence= --ignore-path=read --stdin-filepath= --parser=
    --cache --cache-location=write!w --cache-strategy= --log-level= --find-config-path=read --file-info=read --support-info -u,--ignore-unknown --with-node-modules --tab-width= --print-width=
    --trailing-comma= --end-of-line= --prose-wrap= --arrow-parens= --quote-props= --html-whitespace-sensitivity= --embedded-language-formatting= --range-start= --range-end= --insert-pragma
    --require-pragma --single-quote --use-tabs --color -h,--help? -v,--version`,
  operands: "read*",
  below: "always",
  inert: "help version support-info",
  more: rewrites("write"),
};

const PYTEST: Spec = {
  options: `-p=!l -c,--config-file=load!l --rootdir=load!l --confcutdir=load!l -k= -m= -n,--numprocesses= -x -v -q -s -l --lf --ff --maxfail= --tb= --basetemp=write!d --junitxml,--junit-xml=write!w
    --junit-prefix= --html=write!w --report-log=write!w --log-file=write!w --result-log=write!w -o,--override-ini=!l --pdb!r --pdbcls=!l --trace!r --cache-clear!d --cov? --cov-report= --cov-config=load!l
    --cov-fail-under= --debug?!w --pastebin=!s --import-mode= --ignore=read --ignore-glob= --deselect= --durations= --durations-min= -r= --color= --collect-only --co --pyargs --doctest-modules --stepwise
    --sw --strict-markers --snapshot-update!w -h,--help -V,--version --timeout= --reruns= --reruns-delay= --dist= --setup-show --setup-only --fixtures --markers --capture= --benchmark-save=!w
    --log-level= --log-cli-level= --ds=!l --reuse-db --create-db -W= --verbosity= --last-failed --failed-first --exitfirst --quiet --verbose --showlocals`,
  operands: "read*",
  below: "always",
  inert: "help version",
  more: strangers,
};

const RUFF = `--config=load!l --isolated --cache-dir=write!w -n,--no-cache --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores= --exclude= --extend-exclude= --target-version= --line-length=
  --stdin-filename= --output-format= --preview --force-exclude -q,--quiet -s,--silent -v,--verbose -e,--exit-zero --diff --statistics --show-files --show-settings --respect-gitignore -w,--watch`;
const RUFF_CHECK: Spec = {
  options: `${RUFF} --fix!w --unsafe-fixes!w --fix-only!w --add-noqa?!w -o,--output-file=write!w --show-fixes --extension=`,
  operands: "read*",
  below: "always",
  more: rewrites("fix fix-only add-noqa"),
};

const JS_TESTS = `-c,--config=load!l -r,--root=load!l --rootDir=load!l -t,--testNamePattern= -u,--update,--updateSnapshot!w --outputFile=write!w --coverageDirectory=write!w --globalSetup=load!l --globalTeardown=load!l
  --preset=load!l --resolver=load!l --runner=load!l --testRunner=load!l --transform=!l --setupFiles=load!l --setupFilesAfterEnv=load!l --snapshotSerializers=load!l --testEnvironment= --environment=
  --cacheDirectory=write!w --clearCache!d --init!w --reporters= --reporter= --project= --dir=read -w,--watch --watchAll --run --coverage? --coverage.provider= --coverage.reportsDirectory=write!w
  -i,--runInBand -b,--bail? --maxWorkers= --testTimeout= --testPathPattern= --testPathPatterns= --pool= --mode= --silent --verbose --changed? --shard= --retry= --passWithNoTests --globals
  --changedSince= -o,--onlyChanged --findRelatedTests --listTests --showConfig --ci --color --detectOpenHandles --forceExit --logHeapUsage --no-coverage -h,--help -v,--version`;
const JS_TEST: Spec = {
  options: JS_TESTS,
  operands: "data*",
  inert: "help version",
  more: modules("reporters", "reporter", "testEnvironment", "environment", "coverage.provider"),
};

/** Checkers and test runners: of many options, those that load, write and send. */
export const CHECKERS: Readonly<Record<string, Spec>> = {
  eslint: ESLINT,
  prettier: PRETTIER,
  pytest: PYTEST,
  "py.test": PYTEST,
  ruff: {
    options: RUFF,
    subs: {
      check: RUFF_CHECK,
      format: { options: `${RUFF} --check --range=`, operands: "rw*", below: "always", quiet: "check diff", more: strangers },
      clean: { does: "delete" },
      rule: {},
      linter: {},
      version: {},
      config: {},
      help: {},
    },
  },
  black: {
    options: `-c,--code= --check --diff --config=load!l -l,--line-length= -t,--target-version= --include= --exclude= --extend-exclude= --force-exclude= --stdin-filename= -W,--workers= -q,--quiet -v,--verbose
      --color -S -C --pyi --ipynb --preview --unstable --fast --safe --required-version= --line-ranges= --enable-unstable-feature= -x -h,--help --version`,
    operands: "rw*",
    below: "always",
    quiet: "check diff",
    inert: "help version",
    more: strangers,
  },
  mypy: {
    options: `--config-file=load!l -p,--package= -m,--module= -c,--command= --python-executable=exec!r --install-types!r --non-interactive --cache-dir=write!w --junit-xml=write!w --html-report=write!w --txt-report=write!w
      --xml-report=write!w --linecount-report=write!w --linecoverage-report=write!w --lineprecision-report=write!w --any-exprs-report=write!w --cobertura-xml-report=write!w --memory-xml-report=write!w
      --custom-typeshed-dir=load!l --shadow-file=read --python-version= --platform= --exclude= --follow-imports= --ignore-missing-imports --strict --disable-error-code= --enable-error-code= --show-error-codes
      --pretty -v -h,--help -V,--version`,
    operands: "read*",
    below: "always",
    inert: "help version",
    more: strangers,
  },
  jest: JS_TEST,
  vitest: JS_TEST,
};
