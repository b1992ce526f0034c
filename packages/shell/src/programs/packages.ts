import { DPKG } from "./dpkg.ts";
import { BUILDS } from "./builds.ts";
import { runArgv } from "./apply-spec.ts";
import { file, hazard, runScript, type Findings } from "./findings.ts";
import { names } from "./package-tools.ts";
import { PIP, POETRY, TOX, RUN_TOOL, UV } from "./python-packages.ts";
import { optionsNamed } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { known, prefix } from "./word-text.ts";
import { kind, many, options, connects, reads, wraps } from "./option-groups.ts";
import { NPM_EXEC, NPM_SPEC, PNPM_SPEC, YARN_SPEC } from "./npm.ts";
import { recordArgumentsOfTask } from "./script-file.ts";

function sudoPackages(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "option")) {
    hazard(out, used.at, "configure");
    // `DPkg::Pre-Invoke` and similar settings run their value.
    const text = used.value?.text;
    const sign = text === undefined ? -1 : text.indexOf("=");
    if (
      text === undefined ||
      /invoke|::dir::bin|::options|install-pkgs|proxy-auto|command|method/i.test(text)
    ) {
      runScript(
        out,
        used.at,
        text === undefined || sign < 0
          ? { text: undefined, pieces: [{ hole: "any" }], single: true }
          : known(text.slice(sign + 1)),
      );
    }
  }
  for (const { word } of use.operands) if (/^[./]/.test(prefix(word))) file(out, "read", word);
  const [first] = use.operands;
  if (first !== undefined && /^(edit-sources|edit|shell)$/.test(first.word.text ?? ""))
    hazard(out, first.at, "run");
}

const APT: Spec = {
  options: options`-y,--yes -q -qq -s -d -f -m -u -V --no-install-recommends --allow-downgrades --purge --autoremove --fix-broken
    --reinstall -h,--help --version ${kind.value} -o,--option -t,--target-release -a ${kind.load} -c,--config-file
    ${kind.flagThat("configure")} --allow-unauthenticated ${kind.flag} --only-upgrade ${kind.write} --root --installroot`,
  network: true,
  inert: "help version",
  more: sudoPackages,
};

const BREW: Spec = {
  options: options`-v -d -q -h,--help --version --prefix --cellar --cask --formula`,
  subs: {
    ...names("install upgrade update reinstall fetch tap outdated search info audit", {
      network: true,
    } as Spec),
    ...names(
      "list ls uninstall rm remove untap deps uses leaves pin unpin cleanup doctor config link unlink home --prefix desc shellenv autoremove",
      {} as Spec,
    ),
    ...names("edit sh irb ruby prof test", { does: "run" } as Spec),
    services: {},
    exec: { wrap: 0 },
    bundle: {
      more: (use, out) =>
        use.operands
          .slice(0, 1)
          .forEach(({ at, word }) => word.text === "exec" && runArgv(out, at + 1)),
    },
  },
};

const BUNDLE: Spec = {
  options: options`--verbose --no-color ${kind.load} --gemfile ${kind.value} -r`,
  fullName: "beginning",
  subs: {
    exec: wraps`--keep-file-descriptors ${kind.load} --gemfile`,
    ...names("install update add outdated lock cache package", { network: true } as Spec),
    ...names("check list show info clean remove config init doctor platform", {} as Spec),
    console: { does: "run" },
    open: { does: "run" },
  },
};

function runnerScripts(use: ParsedArgs, out: Findings): void {
  // Each operand of `concurrently` is a command line.
  for (const { at, word } of use.operands)
    if (!prefix(word).startsWith("npm:")) runScript(out, at, word);
}

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
  corepack: { options: [], wrap: 0 },
  concurrently: {
    options: options`-k,--kill-others --kill-others-on-fail -r,--raw -i,--handle-input -g,--group ${kind.value} -n,--names
      -c,--prefix-colors -s,--success -p,--prefix -m,--max-processes --restart-tries --restart-after -l,--prefix-length
      -t,--timestamp-format --hide ${kind.flag} -P,--passthrough-arguments --no-color --timings ${kind.script} --teardown`,
    more: runnerScripts,
  },
  "npm-run-all": {
    options: options`-p,--parallel -s,--serial -l,--print-label -c,--continue-on-error -n --race --silent --node-run`,
  },
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
  tox: TOX,
  pipenv: POETRY,
  pdm: POETRY,
  hatch: POETRY,
  rye: POETRY,
  bundle: BUNDLE,
  bundler: BUNDLE,
  gem: {
    options: options`${kind.load} --config-file`,
    fullName: "beginning",
    subs: {
      ...names(
        "install update fetch search push outdated",
        connects`${kind.write} -i,--install-dir -n,--bindir ${kind.value} -P ${kind.takes("url", "configure")} -s,--source` as Spec,
      ),
      ...names("list uninstall info which contents environment env cleanup build", {} as Spec),
      exec: { wrap: 0 },
      open: { does: "run" },
    },
  },
  composer: {
    options: options`-n -q -v ${kind.takes("dir", "load")} -d,--working-dir`,
    fullName: "beginning",
    subs: {
      exec: { wrap: 0 },
      ...names("install update require remove create-project outdated search global", {
        network: true,
      } as Spec),
      ...names("show validate", {
        options: options`-D,--direct --locked --strict --no-check-all --no-check-publish`,
      } as Spec),
      ...names("run run-script dump-autoload config init why", {} as Spec),
      "*": { read: recordArgumentsOfTask },
    },
  },
  apt: APT,
  "apt-get": APT,
  "apt-cache": {
    options: options`-n -a -q ${kind.value} -o,--option ${kind.load} -c,--config-file`,
    more: sudoPackages,
  },
  "apt-mark": APT,
  "apt-file": APT,
  aptitude: APT,
  dpkg: DPKG,
  "dpkg-query": {},
  dnf: APT,
  yum: APT,
  zypper: APT,
  pacman: {
    options: options`-S -y -u -s -i -Q -q -l -o -R -n -c -U -D -F --noconfirm ${kind.load} --config --hookdir ${kind.write} --dbpath
      -r,--root --logfile ${kind.value} -b ${kind.takes("load")} --gpgdir`,
    network: true,
    operands: [many("data")],
  },
  apk: {
    options: options`-U ${kind.write} --root ${kind.value} -p ${kind.takes("url", "configure")} -X ${kind.flagThat("configure")}
      --allow-untrusted ${kind.load} --keys-dir`,
    network: true,
    operands: [many("data")],
  },
  rpm: reads`-q -a -i -U -F -e -V -l -p -v -h ${kind.read} -f ${kind.code} -E,--eval -D,--define ${kind.script} --pipe
      ${kind.write} --root --dbpath ${kind.load} --rcfile --macros ${kind.value} --queryformat --qf ${kind.flagThat("configure")} --import`,
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
      run: {
        options: options`${kind.script} --command`,
        more: (_, out) => hazard(out, 1, "run"),
        carries: true,
      },
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
