import type { EffectPatterns, EffectTable } from "./effect-patterns.ts";

const NPM_INSTALLS = `install, ci, update, add, upgrade, dlx, exec, x, init, install-test, install-ci-test, rebuild, link, dedupe,
    audit fix, audit --fix, global, plugin, create, import, up, outdated --fix`;

const NPM: EffectPatterns = {
  "installs-code": NPM_INSTALLS,
  "runs-project": "test, run, start, stop, restart",
  reads:
    "list, why, explain, root, prefix, bin, help, fund, doctor, query, pkg get, get, config get, config list, config ls, version $, sbom",
  "queries-registry": "view, outdated, audit, ping, whoami, search, info",
  publishes: "publish, unpublish, deprecate, dist-tag add, dist-tag rm",
  configures: "set, config set, config delete, config edit, policies, setup",
  writes:
    "version, shrinkwrap, prune, uninstall, remove, pkg set, pkg delete, pack, deploy, completion, patch, cache, store",
  "handles-secrets": "login, logout, token, owner, access, profile, team, org, hook",
};

export const PACKAGE_EFFECTS: EffectTable = {
  "npm cnpm": NPM,
  "pnpm bun": { ...NPM, "runs-project": "*" },
  "yarn yarnpkg": { ...NPM, "installs-code": `${NPM_INSTALLS}, $`, "runs-project": "*" },
  "npx bunx pnpx uvx pipx": { "installs-code": "**" },
  "pip pip3 pip2": {
    "installs-code": "install, download, wheel",
    reads:
      "list, freeze, show, check, inspect, debug, hash, index, search, help, config list, config get",
    writes: "uninstall, cache, lock",
  },
  uv: {
    "installs-code": `add, sync, pip install, pip sync, tool install, tool run, tool upgrade, x, python install, self update, run --with,
      run --with-requirements, run --with-editable`,
    reads:
      "tree, version, pip list, pip freeze, pip show, pip check, pip tree, tool list, python list, python find, cache dir",
    writes:
      "init, lock, export, venv, remove, build, pip compile, pip uninstall, tool uninstall, cache clean, cache prune",
    "runs-project": "run",
    publishes: "publish",
  },
  "poetry pipenv pdm hatch rye": {
    "installs-code": "install, add, update, sync, self, source",
    reads: "show, check, version, about, search, env info, env list, graph",
    writes: "lock, init, new, remove, export, build",
    "runs-project": "run, exec, test",
    publishes: "publish",
  },
  "bundle bundler": {
    "installs-code": "install, update, add, lock, cache, package",
    reads: "list, show, info, check, outdated, doctor, platform",
    "runs-project": "exec",
  },
  gem: {
    "installs-code": "install, update, exec",
    reads: "list, info, search, which, contents, environment, outdated",
    publishes: "push, yank",
    writes: "build, uninstall, cleanup",
  },
  composer: {
    "installs-code": "install, update, require, create-project, global",
    reads: "show, validate, outdated, why, search",
    "runs-project": "run, run-script, exec, test",
  },
  [`apt apt-get aptitude dnf yum zypper pacman apk brew port choco winget scoop emerge snap flatpak microdnf rpm dpkg opkg pkgin pkg_add
    mas nvm fnm volta sdk asdf mise`]: { "installs-code": "*" },
  "conda mamba micromamba": { "installs-code": "*", reads: "list, info, env list" },
  rustup: { "installs-code": "*", reads: "toolchain list, target list, component list, which" },
  "apt-cache dpkg-query": { reads: "*" },
  cargo: {
    "installs-code": "install, add, binstall",
    "queries-registry": "fetch, update, vendor, search, info, outdated, audit, generate-lockfile",
    publishes: "publish, yank",
    "handles-secrets": "login, logout, owner",
    "runs-project": "build, check, test, bench, run, clippy, doc, nextest, fix, rustc, rustdoc",
    reads: "tree, metadata, pkgid, verify-project, locate-project, version, help, report",
    writes: "fmt, new, init, clean, remove, package",
  },
  go: {
    "installs-code": "install, get",
    "queries-registry": "mod download, mod tidy",
    "runs-project": "run, test, build, vet, generate, tool, fix",
    reads: "list, doc, version, env, help, mod graph, mod why, mod verify",
    writes: "fmt, mod init, mod edit, mod vendor, clean, work",
  },
  "mvn mvnw": {
    publishes: "... deploy, ... deploy:*, ... site-deploy, ... release:perform",
    "runs-project": "*",
  },
  "gradle gradlew": {
    publishes:
      "... publish, ... publishPlugins, ... publishAll*, ... publishToSonatype, ... uploadArchives",
    "runs-project": "*",
  },
  dotnet: {
    "installs-code": "add package, restore, tool install, tool update, workload, new install",
    publishes: "nuget push, nuget delete",
    "runs-project": "build, test, run, publish, format, clean, msbuild, pack, watch",
    reads: "--info, --list-sdks, --list-runtimes, list, sln list",
  },
  mix: {
    "installs-code":
      "archive.install, escript.install, local.hex, local.rebar, deps.get, deps.update",
    destroys: "ecto.drop*, ecto.reset*",
    publishes: "hex.publish",
    "runs-project": "*",
  },
  "rails rake": { destroys: "... db:drop*, ... db:reset*", "runs-project": "*" },
  twine: { publishes: "upload" },
  "vsce ovsx": { publishes: "publish, unpublish" },
  prisma: {
    destroys: "migrate reset, db push --force-reset",
    "runs-project": "generate, migrate dev, migrate deploy, db push, db seed",
    reads: "validate, version, migrate status",
    writes: "format, init",
  },
  supabase: { destroys: "db reset", network: "**" },
  [`make gmake remake bmake ninja samu cmake ctest meson jest vitest pytest py.test eslint prettier ruff black mypy tsc javac rustc concurrently
    npm-run-all run-s run-p go-task mocha ava tap nyc c8 gotestsum biome oxlint knip playwright cypress vite webpack rollup esbuild turbo nx lerna tox nox
    coverage bandit flake8 pylint isort pyright golangci-lint staticcheck bazel sbt ant rspec rubocop phpunit phpstan swift flutter dart zig
    just task stack cabal buf stylelint svelte-check vue-tsc sphinx-build mkdocs hugo jekyll xcodebuild pre-commit`]:
    { "runs-project": "*" },
  [`gcc g++ cc c++ clang clang++ ld as strip objcopy objdump nm readelf gofmt shellcheck shfmt hadolint yamllint actionlint tflint clj-kondo
    asciidoctor cloc tokei scc hexyl difft xsv csvcut glow`]: { reads: "*" },
  [`node nodejs iojs tsx ts-node ts-node-esm babel-node deno python python3 python2 pypy perl raku ruby jruby php lua luajit Rscript julia
    java groovy scala kotlin elixir crystal ocaml racket guile tclsh`]: { "runs-project": "*" },
};
