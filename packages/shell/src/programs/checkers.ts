import { file, hazard, network, type Out } from "./out.ts";
import { carryFrom } from "./script-file.ts";
import type { Spec } from "./spec.ts";
import { tellingOption } from "./telling.ts";
import { uses, usedOf, type Use } from "./use.ts";
import { after, prefix } from "./words.ts";

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

// What cloud tools delete, change and send, by the names of their commands.
const DELETES = /^(?:rm|rb|delete|del|remove|uninstall|terminate|purge|destroy|deregister|revoke|disable)(?:-|$)/;
const SENDS = /^(?:cp|mv|sync|put|upload|publish|send|invoke|push|import|copy|ssh|scp)(?:-|$)/;
const CHANGES =
  /^(?:create|update|set|modify|attach|detach|run|start|stop|reboot|apply|install|upgrade|rollback|add|configure|config|enable|deploy|taint|untaint|login|logout)(?:-|$)/;

/** What the command of a cloud tool deletes, sends and changes. */
export function cloud(use: Use, out: Out): void {
  strangers(use, out);
  for (const { at, word } of use.operands.slice(0, 4)) {
    const name = word.text ?? "";
    if (DELETES.test(name)) hazard(out, at, "delete");
    else if (SENDS.test(name)) hazard(out, at, "send");
    else if (CHANGES.test(name)) hazard(out, at, "configure");
  }
  const values = [...use.operands, ...use.options.flatMap(({ at, value }) => (value === undefined ? [] : [{ at, word: value }]))];
  for (const { at, word } of values) {
    const start = prefix(word);
    const local = /^fileb?:\/\//.exec(start);
    if (local !== null) {
      hazard(out, at, "send");
      file(out, "read", after(word, local[0].length));
    } else if (use.operands.some((operand) => operand.at === at) && /^[./~]|\.\w+$/.test(start)) {
      file(out, "read", word);
      file(out, "write", word);
    }
  }
  // `aws s3 cp a s3://b`, `gsutil cp`, `gcloud storage cp`
  const copies = use.operands.findIndex(({ word }) => /^(?:cp|mv|rsync|sync|scp)$/.test(word.text ?? ""));
  for (const { word } of copies < 0 ? [] : use.operands.slice(copies + 1)) {
    if (/^\w+:/.test(prefix(word))) continue;
    file(out, "read", word, { below: true });
    file(out, "write", word, { below: true });
  }
  carryFrom(out, out.argv.findIndex(({ text }) => text === "--") + 1 || out.argv.length);
}

function terraform(use: Use, out: Out): void {
  strangers(use, out);
  const [first, second] = use.operands;
  const name = first?.word.text ?? "";
  if (first === undefined) return;
  if (/^(?:init|apply|destroy|refresh|plan|import|get|login|providers|cloud|test)$/.test(name)) network(out, undefined);
  if (name === "destroy") hazard(out, first.at, "delete");
  else if (/^(?:apply|import|taint|untaint|login|logout|force-unlock|console)$/.test(name)) hazard(out, first.at, "configure");
  else if (second !== undefined && /^(?:rm|mv|push|replace-provider|delete|new|select)$/.test(second.word.text ?? ""))
    hazard(out, second.at, "configure");
  if (name === "fmt" && !uses(use, "check diff"))
    file(out, "write", second?.word ?? { text: ".", pieces: ["."], single: true }, { below: true });
}

/** Options of tools of clouds. */
export const CLOUD = `--output= --query= --region= --profile= --endpoint-url=url!c --format= --project= --account= --zone= --filter= --filters= --limit= --page-size= --max-items= --sort-by= -n,--namespace= --kubeconfig=load!l
  --kube-context= --set= --set-string= --version= --cli-input-json=read!s --cli-input-yaml=read!s --recursive --debug --verbosity= --no-paginate --no-cli-pager --quiet -q --no-sign-request --color= --subscription=
  -g,--resource-group= --name= --tail= --since= --follow`;

/** Checkers, test runners and tools of clouds: of many options, those that load, write and send. */
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
  aws: { options: CLOUD, network: true, more: cloud },
  az: { options: CLOUD, network: true, more: cloud },
  gsutil: { options: CLOUD, network: true, more: cloud },
  helm: {
    options: `${CLOUD} -f,--values=read!l -o,--output= --set-file=read!s --set-json= --post-renderer=prog!r --kube-apiserver=url!c --kube-token= --repo=url!c --repository-config=load!l --registry-config=load!l
      -d,--destination=write!w --output-dir=write!w --untardir=write!w --plugins=load!l -l,--selector= -a -A,--all-namespaces --wait --atomic --timeout= --dry-run? --devel --install!c`,
    network: true,
    more: cloud,
  },
  terraform: {
    options: `-out=write!w -state=write!w -state-out=write!w -backup=write!w -var= -var-file=read!l -chdir=dir!l -target= -replace= -destroy!d -auto-approve!c -plugin-dir=load!l -backend-config=!l -backend= -lock= -lock-timeout=
      -json -no-color -input= -refresh= -parallelism= -detailed-exitcode -compact-warnings -generate-config-out=write!w -upgrade -reconfigure!c -migrate-state!c -force-copy!d -recursive -check -diff -list= -write=
      -raw -help -version --help --version`,
    inert: "help version",
    more: terraform,
  },
};
