// Options that only choose what is read or how it is printed, for programs without a table and for the scripts that task runners
// start. Options that load, run, write or send anything, even with some values only, are left out.
const SCRIPTS = `--coverage --watch --watchAll --ci --bail -t --testNamePattern --testPathPattern --testPathPatterns -i --runInBand --grep
  -g --fgrep --noEmit --max-warnings --filter --shard --passWithNoTests --headed --run --exact --nocapture --no-capture --show-output
  --test-threads --ignored --include-ignored --skip -D -W -A -F -v -q -k -x --tb --list --bench --mode --port
  --reporter=default --reporter=dot --reporter=json --reporter=spec --reporter=tap --reporter=verbose`;
const LISTS: Readonly<Record<string, string>> = {
  npm: `${SCRIPTS} -w --workspace --workspaces -ws --include-workspace-root --if-present`,
  pnpm: SCRIPTS,
  yarn: SCRIPTS,
  bun: SCRIPTS,
  cargo: `${SCRIPTS} --check`,
  node: "--port",
  python: "--port",
  python3: "--port",
  mocha: `-b --bail -g --grep -f --fgrep -i --invert -t --timeout -s --slow --parallel -j --jobs -w --watch --recursive --exit --forbid-only
    --forbid-pending --check-leaks --dry-run --inline-diffs --diff --sort --ignore --retries --delay --full-trace --list-files -c --colors`,
  ava: "-m --match --fail-fast -s --serial -t --tap -T --timeout -c --concurrency -w --watch -v",
  tap: "--bail -t --timeout -j --jobs -g --grep",
  madge:
    "-c --circular -j --json -s --summary --extensions --warning --orphans --leaves --no-color --no-spinner --no-count",
  ng: "--watch --no-watch --configuration -c --progress --no-progress",
  biome:
    "--changed --staged --since --max-diagnostics --diagnostic-level --error-on-warnings --skip-errors --colors",
  oxlint:
    "-A --allow -W --warn -D --deny --deny-warnings --max-warnings --threads -f --format --type-aware --react --jest --vitest",
  knip: "--production --strict -w --workspace --dependencies --exports --files --no-exit-code --no-progress --max-issues --tags",
  playwright: `-g --grep --grep-invert --headed --project -j --workers --retries --repeat-each --timeout --list -x --max-failures --last-failed
    --only-changed --forbid-only --fully-parallel --pass-with-no-tests --shard`,
  cypress: "--headless --headed -s --spec -q --e2e --component --tag",
  vite: "-m --mode --minify --sourcemap -l --logLevel --clearScreen -w --watch",
  webpack: "--mode -w --watch -d --devtool --stats --progress --node-env",
  rollup: "-w --watch -f --format -m --sourcemap -n --name",
  turbo:
    "-F --filter --concurrency --continue --only --parallel --log-order --ui --affected --dry --dry-run --no-cache --env-mode",
  nx: `-t --target --targets --all -p --projects --parallel --skip-nx-cache --skipNxCache --base --head --exclude --affected
    --configuration`,
  lerna:
    "--scope --ignore --since --stream --concurrency --parallel --no-bail --all -a -l --long --toposort",
  nox: `-s --session --sessions -l --list -R -r --reuse-existing-virtualenvs -k --keywords -t --tags -p --python -v -x
    --stop-on-first-error`,
  coverage:
    "-m --show-missing --skip-covered --skip-empty --fail-under --precision --omit --branch --source -i",
  uvicorn: "--reload --port --log-level --factory",
  flask: "--app -A --debug --no-debug -p --port --reload",
  bandit:
    "-r --recursive -l -ll -lll -i -ii -iii -q -v -n -f --format -x --exclude -s --skip -t --tests -a --aggregate --exit-zero",
  flake8: `--max-line-length --select --ignore --extend-ignore --extend-select --exclude --extend-exclude --count --statistics
    --show-source --max-complexity --per-file-ignores -j --jobs -q -v --exit-zero --doctests`,
  pylint: `-E --errors-only -d --disable -e --enable -j --jobs -r --reports -s --score --fail-under --ignore --ignore-patterns
    --msg-template --max-line-length --recursive --exit-zero`,
  isort:
    "-c --check --check-only --diff --df -q --profile -l --line-length -s --skip --skip-glob --gitignore -v --atomic",
  pyright:
    "--pythonversion --pythonplatform --level --stats --dependencies --warnings --outputjson --skipunannotated --threads",
  "golangci-lint": `--fast --fast-only -E --enable -D --disable --enable-only --disable-all --enable-all -p --presets --timeout -j
    --concurrency --new --new-from-rev --build-tags --tests --max-issues-per-linter --max-same-issues --allow-parallel-runners --show-stats -v`,
  staticcheck: "-checks -tests -f -tags -go -explain -list-checks -fail -show-ignored",
  bazel: `--test_output --test_filter --keep_going -k -j --jobs --verbose_failures -c --compilation_mode --nocache_test_results
    --test_tag_filters --build_tests_only --noshow_progress --color --curses --test_timeout --runs_per_test`,
  sbt: "-batch --batch -no-colors --no-colors",
  ant: "-q -v -p -projecthelp -k -keep-going -version -verbose -quiet -silent",
  dotnet: `-c --configuration -f --framework -r --runtime --no-build --no-restore -v --verbosity --nologo --filter -t --list-tests
    --self-contained --verify-no-changes --arch --os --tl --no-dependencies --disable-build-servers`,
  rspec:
    "-e --example --tag -t -b --backtrace --fail-fast --only-failures --next-failure -n --order --seed -p --profile -fd -fp -fj",
  rubocop:
    "-P --parallel -L -D --display-cop-names -E -S -l --lint --only --except --fail-level -F --fail-fast",
  rake: "-T --tasks -n --dry-run -t --trace -P --prereqs -q -s -j --jobs -m --multitask -A --all -D --describe -W --where -v",
  rails: "-n --name -b --backtrace -d --defer-output -f --fail-fast -v -s --seed -c -g --grep",
  brakeman: "-q --quiet --no-pager -w -A --no-summary --no-progress",
  pest: "--filter --testsuite --group --stop-on-failure --parallel --colors --compact --ci",
  swiftformat: "--lint --quiet --verbose --strict",
  mix: `--trace --cover --stale --failed --max-failures --only --exclude --seed --slowest --partitions --warnings-as-errors
    --check-formatted --dry-run --no-start --no-compile --no-deps-check --strict --all --explain`,
  phpunit: `--filter --testsuite --group --exclude-group --testdox --stop-on-failure --stop-on-error --order-by --no-coverage
    --coverage-text --colors --debug --list-tests --list-suites --list-groups --display-warnings --display-deprecations --fail-on-warning
    --fail-on-risky --repeat`,
  phpstan:
    "-l --level --no-progress --error-format --memory-limit --ansi --no-ansi -v -vv -vvv -q -n --no-interaction",
  swift:
    "-c --configuration --filter --skip --parallel -v --product --target --build-tests --skip-build --enable-code-coverage",
  flutter: `--name --plain-name -t --tags -x --exclude-tags --coverage -j --concurrency --no-pub --machine
    --test-randomize-ordering-seed --timeout --total-shards --shard-index --fail-fast --fatal-infos --fatal-warnings --no-fatal-infos`,
  dart: `--fatal-infos --fatal-warnings --no-fatal-warnings --set-exit-if-changed -n --name -N --plain-name -t --tags -x -j
    --concurrency`,
  zig: "--summary",
  just: "-n --dry-run -l --list --summary --show --dump --variables -q -v --unstable --no-deps --groups --unsorted",
  task: "-l --list -a --list-all -n --dry -p --parallel -s -f --force -v --summary --status -C --concurrency -x --exit-code",
  shfmt:
    "-d --diff -l --list -i --indent -ci --case-indent -bn --binary-next-line -sr -kp -fn -s --simplify -ln -p --posix -f --find",
  hadolint: "--ignore -t --failure-threshold -f --format --no-fail --trusted-registry",
  tflint:
    "--recursive --minimum-failure-severity --only --enable-rule --disable-rule -f --format --filter --call-module-type",
  stack: "--fast --test --bench --no-run-tests --file-watch --pedantic --coverage -j --jobs",
  cabal:
    "-j --jobs --enable-tests --enable-benchmarks --test-show-details -v --only-dependencies --dry-run --keep-going",
  "clj-kondo": "--lint --parallel --fail-level --report-level --dependencies",
  buf: "--path --exclude-path --error-format",
  stylelint:
    "-q --max-warnings --mw --cache --allow-empty-input --aei --report-needless-disables --rd",
  "svelte-check": "--threshold --fail-on-warnings --watch --preserveWatchOutput",
  "vue-tsc": "--noEmit --watch -w --skipLibCheck --strict --pretty",
  "sphinx-build": "-b -q -Q -W -n -j -v --keep-going -T -E -a -N --nitpicky --fail-on-warning",
  mkdocs: "-s --strict -q -v --no-directory-urls --use-directory-urls",
  hugo: "--minify -D --buildDrafts -F --buildFuture -E --buildExpired -q --gc -e --environment --logLevel --templateMetrics -w --watch",
  jekyll:
    "--drafts --future --unpublished -I --incremental -t --trace --strict_front_matter --profile -q -w --watch",
  asciidoctor: "-b --backend -d --doctype -e --embedded -q -v -w -t --timings -n",
  cloc: `--by-file --exclude-dir --exclude-lang --match-f --not-match-f --git --csv --md --yaml --hide-rate --by-percent --fullpath
    --processes --skip-uniqueness --timeout --unix`,
  tokei:
    "-f --files -e --exclude -s --sort -r --rsort -t --type -C --compact -n --num-format --hidden --no-ignore -l --languages",
  scc: "--by-file -w --wide -s --sort -f --format --exclude-dir -i --no-cocomo --no-complexity --no-min-gen -M --not-match --ci -u -p",
  hexyl:
    "-n --length -s --skip -c --bytes -b --border -v --no-squeezing --plain -p --no-characters --no-position --panels",
  difft: `--display --background --context --skip-unchanged --width --language --tab-width --exit-code --ignore-comments --strip-cr
    --list-languages --syntax-highlight --sort-paths --byte-limit --graph-limit`,
  xsv: "-s --select -d --delimiter -n --no-headers -i --ignore-case -v --invert-match -r --reverse -N --numeric -l --limit -e --len --start -j",
  csvcut:
    "-c --columns -C --not-columns -n --names -d --delimiter -t --tabs -q -l --linenumbers -x -e --encoding -H --no-header-row --zero -v",
  cppcheck: `--enable --inconclusive --std --language -q --quiet --error-exitcode --suppress --inline-suppr -j --force -f --platform
    --check-level -v --verbose`,
  gradlew: `--all --version --tests --configuration --info --stacktrace --offline --no-daemon --daemon --parallel --continue --rerun-tasks -x --exclude-task -q -i -s
    --build-cache --no-build-cache --console --warning-mode -m --dry-run --max-workers`,
  mvnw: "-q -B --batch-mode -am -pl --projects -o -e -U -T -X -fae -ff -fn -ntp --no-transfer-progress -P",
  xcodebuild:
    "-scheme -target -sdk -arch -configuration -destination -quiet -list -showsdks -json -only-testing -skip-testing",
  "pre-commit": "-a --all-files --files --hook-stage --show-diff-on-failure -v --from-ref --to-ref",
  commitlint: "-f --from -t --to -l --last --verbose -q",
  jj: "-r --revisions -n --limit -s --summary --stat --types --no-graph --git",
  glow: "-s --style -w --width -l --local -a --all",
};

const sets = new Map<string, ReadonlySet<string>>();

/** The harmless options of a program that has no table. */
export function harmlessOptions(name: string): ReadonlySet<string> | undefined {
  const known = sets.get(name);
  if (known !== undefined || !Object.hasOwn(LISTS, name)) return known;
  const set: ReadonlySet<string> = new Set(LISTS[name]?.split(/\s+/));
  sets.set(name, set);
  return set;
}
