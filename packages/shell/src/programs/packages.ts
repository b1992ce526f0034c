import { DPKG } from "./dpkg.ts";
import { BUILDS } from "./builds.ts";
import { runArgv } from "./apply.ts";
import { file, hazard, mayRun, runScript, unknown, type Out } from "./out.ts";
import { wholeNpmName } from "./npm-names.ts";
import { names, runTool } from "./package-tools.ts";
import { PIP, POETRY, RUN_TOOL, UV } from "./python-packages.ts";
import { carryFrom } from "./script-file.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, type Use } from "./use.ts";
import { after, command, joined, known, prefix } from "./words.ts";

const NPM = `-C,--dir=dir!l --prefix=dir!l -g,--global!w --location=!w -w,--workspace= -ws,--workspaces --script-shell=exec!r --shell=exec!r --node-options=!r --node-gyp=exec!r --git=exec!r --editor=prog!r
  --viewer=prog!r --browser=prog!r --userconfig=load!l --globalconfig=load!l --registry=url!c --cache=write!w --proxy=url!c --https-proxy=url!c --cafile=read!c --ca=!c --init-module=load!l --onload-script=load!l
  --ignore-scripts --dry-run --json --long -l -p,--parseable -s,--silent -q,--quiet -d --verbose --loglevel= -D,--save-dev -S,--save -O,--save-optional -E,--save-exact -B --save-peer --no-save --omit= --include=
  --legacy-peer-deps --force -f --tag= --access= --otp= --depth= --if-present --foreground-scripts --no-audit --no-fund --production --only= --strict-peer-deps --package-lock-only --prefer-offline --offline
  -h,--help -v,--version -y,--yes -c,--call=script!r --package= --pack-destination=write!w --logs-dir=write!w --filter= --fix -a,--all -m,--message= --include-workspace-root --scope= --workspace-concurrency=`;

const NPM_EXEC: Spec = {
  options: `${NPM} -p,--package= --no-install --no --ignore-existing -n,--node-arg= --shell-auto-fallback?`,
  posix: true,
  more: runTool,
};
const NPM_RUN: Spec = { options: NPM, more: ({ operands: [first] }, out) => first !== undefined && carryFrom(out, first.at + 1) };
const NPM_GET: Spec = { options: NPM, network: true };
const NPM_SET: Spec = { options: NPM, does: "configure" };

function config(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first === undefined || /^(get|list|ls|ls-rc)$/.test(first.word.text ?? "")) return;
  hazard(out, first.at, first.word.text === "edit" ? "run" : "configure");
  file(out, "write", known(uses(use, "global") ? "/etc/npmrc" : "~/.npmrc"));
}

// `npm pkg set scripts.x="rm y"`: what the script runs later.
function pkg(use: Use, out: Out): void {
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
  ...names("run run-script rum urn test t tst start stop restart", NPM_RUN),
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
        unknown(out, "dynamic_script", "input of the shell that `explore` starts");
      }
    },
  },
};

const NPM_SPEC: Spec = { options: NPM, subs: NPM_SUBS, inert: "version help", extensible: true, whole: wholeNpmName };

const PNPM_SPEC: Spec = {
  options: `${NPM} -r,--recursive --parallel --stream --aggregate-output -F,--filter= --filter-prod= --color --shell-mode --config.script-shell=exec!r`,
  inert: "version help",
  subs: {
    ...NPM_SUBS,
    dlx: NPM_EXEC,
    deploy: { operands: "write" },
    import: {},
    store: {},
    patch: {},
    env: { network: true },
    setup: { does: "configure" },
  },
};

const YARN_SPEC: Spec = {
  options: `${NPM} --cwd=dir!l --use-yarnrc=load!l --modules-folder=write!w --cache-folder=write!w --frozen-lockfile --immutable --top-level`,
  inert: "version help",
  subs: {
    ...NPM_SUBS,
    dlx: NPM_EXEC,
    node: { read: (out, from) => runScript(out, from - 1, command([known("node"), ...out.argv.slice(from)])) },
    workspaces: {
      subs: {
        foreach: { options: "-p -i -A,--all -v --from= --include= --exclude= -t -j= -R -W", wrap: 0 },
        run: NPM_RUN,
        focus: NPM_GET,
        list: {},
        info: {},
      },
    },
    workspace: { carries: true },
    global: { does: "write", network: true },
    policies: { does: "configure" },
    plugin: { does: "load", network: true },
    "*": {},
  },
};

function sudoPackages(use: Use, out: Out): void {
  for (const used of usedOf(use, "option")) {
    hazard(out, used.at, "configure");
    // DPkg::Pre-Invoke and its like run their value.
    const text = used.value?.text;
    const sign = text === undefined ? -1 : text.indexOf("=");
    if (text === undefined || /invoke|::dir::bin|::options|install-pkgs|proxy-auto|command|method/i.test(text)) {
      runScript(
        out,
        used.at,
        text === undefined || sign < 0 ? { text: undefined, pieces: [{ hole: "any" }], single: true } : known(text.slice(sign + 1)),
      );
    }
  }
  for (const { word } of use.operands) if (/^[./]/.test(prefix(word))) file(out, "read", word);
  const [first] = use.operands;
  if (first !== undefined && /^(edit-sources|edit|shell)$/.test(first.word.text ?? "")) hazard(out, first.at, "run");
}

const APT: Spec = {
  options:
    "-o,--option= -c,--config-file=load!l -y,--yes -q -qq -s -d -f -m -u -V -t,--target-release= -a= --no-install-recommends --allow-downgrades --allow-unauthenticated!c --purge --autoremove --fix-broken --only-upgrade --reinstall --root=write!w --installroot=write!w -h,--help --version",
  network: true,
  inert: "help version",
  more: sudoPackages,
};

const BREW: Spec = {
  options: "-v -d -q -h,--help --version --prefix --cellar --cask --formula",
  subs: {
    ...names("install upgrade update reinstall fetch tap outdated search info audit", { network: true } as Spec),
    ...names(
      "list ls uninstall rm remove untap deps uses leaves pin unpin cleanup doctor config link unlink home --prefix desc shellenv autoremove",
      {} as Spec,
    ),
    ...names("edit sh irb ruby prof test", { does: "run" } as Spec),
    services: {},
    exec: { wrap: 0 },
    bundle: { more: (use, out) => use.operands.slice(0, 1).forEach(({ at, word }) => word.text === "exec" && runArgv(out, at + 1)) },
  },
};

const BUNDLE: Spec = {
  options: "--gemfile=load!l -r= --verbose --no-color",
  whole: "beginning",
  subs: {
    exec: { options: "--keep-file-descriptors --gemfile=load!l", wrap: 0 },
    ...names("install update add outdated lock cache package", { network: true } as Spec),
    ...names("check list show info clean remove config init doctor platform", {} as Spec),
    console: { does: "run" },
    open: { does: "run" },
  },
};

function runnerScripts(use: Use, out: Out): void {
  // `concurrently "npm:a" "cmd b"`: each operand is a command line.
  for (const { at, word } of use.operands) if (!prefix(word).startsWith("npm:")) runScript(out, at, word);
}

/** Package managers and what runs the programs of a project. */
export const PACKAGES: Readonly<Record<string, Spec>> = {
  ...BUILDS,
  npm: NPM_SPEC,
  cnpm: NPM_SPEC,
  npx: NPM_EXEC,
  bunx: NPM_EXEC,
  pnpx: NPM_EXEC,
  pnpm: PNPM_SPEC,
  yarn: YARN_SPEC,
  yarnpkg: YARN_SPEC,
  corepack: { options: "", wrap: 0 },
  concurrently: {
    options:
      "-n,--names= -c,--prefix-colors= -k,--kill-others --kill-others-on-fail -s,--success= -p,--prefix= -m,--max-processes= -r,--raw --restart-tries= --restart-after= -l,--prefix-length= -t,--timestamp-format= -i,--handle-input -g,--group -P,--passthrough-arguments --teardown=script!r --hide= --no-color --timings",
    more: runnerScripts,
  },
  "npm-run-all": { options: "-p,--parallel -s,--serial -l,--print-label -c,--continue-on-error -n --race --silent --node-run" },
  "run-s": {},
  "run-p": {},
  husky: { does: "configure" },
  pip: PIP,
  pipx: {
    subs: {
      run: RUN_TOOL,
      install: { network: true, does: "write" },
      upgrade: { network: true },
      uninstall: {},
      list: {},
      runpip: { carries: true },
      inject: { network: true },
    },
  },
  uv: UV,
  uvx: RUN_TOOL,
  poetry: POETRY,
  pipenv: POETRY,
  pdm: POETRY,
  hatch: POETRY,
  rye: POETRY,
  bundle: BUNDLE,
  bundler: BUNDLE,
  gem: {
    options: "--config-file=load!l",
    whole: "beginning",
    subs: {
      ...names("install update fetch search push outdated", {
        network: true,
        options: "-i,--install-dir=write!w -P= -n,--bindir=write!w -s,--source=url!c",
      } as Spec),
      ...names("list uninstall info which contents environment env cleanup build", {} as Spec),
      exec: { wrap: 0 },
      open: { does: "run" },
    },
  },
  composer: {
    options: "-d,--working-dir=dir!l -n -q -v",
    whole: "beginning",
    subs: {
      exec: { wrap: 0 },
      ...names("install update require remove create-project outdated search global", { network: true } as Spec),
      ...names("run run-script show validate dump-autoload config init why", {} as Spec),
    },
  },
  apt: APT,
  "apt-get": APT,
  "apt-cache": { options: "-o,--option= -c,--config-file=load!l -n -a -q", more: sudoPackages },
  "apt-mark": APT,
  "apt-file": APT,
  aptitude: APT,
  dpkg: DPKG,
  "dpkg-query": {},
  dnf: APT,
  yum: APT,
  zypper: APT,
  pacman: {
    options:
      "-S -y -u -s -i -Q -q -l -o -R -n -c -U -D -F --config=load!l --hookdir=load!l --dbpath=write!w -r,--root=write!w -b= --gpgdir=load --noconfirm --logfile=write!w",
    network: true,
    operands: "data*",
  },
  apk: { options: "-U --root=write!w -p= -X=url!c --allow-untrusted!c --keys-dir=load!l", network: true, operands: "data*" },
  rpm: {
    options:
      "-q -a -i -U -F -e -V -l -f=read -p -v -h -E,--eval=code!r -D,--define=code!r --pipe=script!r --root=write!w --rcfile=load!l --macros=load!l --queryformat= --qf= --dbpath=write!w --import!c",
    operands: "read*",
  },
  snap: {
    network: true,
    subs: {
      run: { wrap: 0 },
      ...names("install refresh find info", { network: true } as Spec),
      ...names("list remove version services", {} as Spec),
      "*": {},
    },
  },
  flatpak: {
    subs: {
      run: { options: "--command=prog!r", more: (_, out) => hazard(out, 1, "run"), carries: true },
      ...names("install update search", { network: true } as Spec),
      ...names("list uninstall info", {} as Spec),
    },
  },
  brew: BREW,
  ...names(
    "port choco winget scoop emerge xbps-install xbps-query xbps-remove opkg eopkg pkgin pkg_add mas apt-add-repository microdnf",
    APT,
  ),
  "go-task": {},
};
