type Names = Readonly<Record<string, string>>;

// Parses lines of the form `usual: other, other`.
function table(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of text.trim().split("\n")) {
    const [usual = "", others = ""] = line.trim().split(": ");
    for (const other of others.split(", ")) names.set(other, usual);
  }
  return names;
}

const DOCKER = table(`run: container run
  create: container create
  exec: container exec
  cp: container cp
  ps: container ls, container list, container ps
  rm: container rm
  start: container start
  stop: container stop
  restart: container restart
  kill: container kill
  pause: container pause
  unpause: container unpause
  wait: container wait
  rename: container rename
  update: container update
  attach: container attach
  commit: container commit
  logs: container logs
  inspect: container inspect
  top: container top
  stats: container stats
  port: container port
  diff: container diff
  export: container export
  build: image build, buildx build, builder build
  images: image ls, image list
  rmi: image rm, image remove
  pull: image pull
  push: image push
  tag: image tag
  save: image save
  load: image load
  import: image import
  history: image history
  info: system info
  events: system events
  volume rm: volume remove
  network rm: network remove`);

const PNPM = table(`install: i, in, ins, inst, insta, instal, isnt, isnta, isntal, isntall
  uninstall: un, unlink, remove, rm, r
  run: run-script, rum, urn
  test: t, tst, run test, run-script test
  start: run start
  stop: run stop
  restart: run restart
  ci: clean-install, ic, install-clean, isntall-clean
  install-test: it
  update: up, upgrade, udpate
  exec: x
  config: c
  init: create, innit
  list: ls, ll, la
  view: v, info, show
  search: s, se, find
  login: adduser, add-user
  owner: author
  link: ln
  dist-tag: dist-tags
  rebuild: rb
  dedupe: ddp`);

const NPM = new Map([
  ...PNPM,
  ...table(`install: add
    update: u
    run: rum, urn
    install-ci-test: cit, clean-install-test, sit
    org: ogr
    version: verison
    help: hlep
    docs: home
    bugs: issues
    explain: why`),
]);

/** The usual names of subcommands, by program. A name may be one or two words. */
export const ALIASES: Readonly<Record<string, ReadonlyMap<string, string> | undefined>> = {
  git: table(
    "add: stage\nremote remove: remote rm\nstash push: stash save\npush: send-pack, http-push, lfs push, svn dcommit, subtree push\nfetch: fetch-pack, http-fetch, lfs fetch, svn fetch",
  ),
  docker: DOCKER,
  podman: DOCKER,
  nerdctl: DOCKER,
  npm: NPM,
  cnpm: NPM,
  pnpm: PNPM,
  yarn: table("remove: rm, unlink\nupgrade: up"),
  bun: table("install: i\nadd: a\nremove: rm, r"),
  helm: table(
    "uninstall: delete, del, un\nlist: ls\npull: fetch\ninspect: show\ndependency: dep, dependencies",
  ),
  cargo: table(
    "build: b\ncheck: c\ntest: t\nrun: r\ndoc: d\nremove: rm\ngenerate-lockfile: lockfile",
  ),
  brew: table(
    "uninstall: rm, remove\nlist: ls\ninfo: abv\ninstall: instal\ndoctor: dr\nhome: homepage",
  ),
  gem: table("install: i\nuninstall: un"),
  composer: table("install: i\nrequire: r\nremove: rm\nupdate: u, upgrade\nrun: run-script"),
  gh: table("repo: r\nextension: ext, extensions\ncodespace: cs"),
  apt: table("remove: rm"),
  terraform: table("workspace: env"),
};

const COPY: Names = { "-a": "-d --recursive --preserve", "--archive": "-d --recursive --preserve" };

/** Options that imply others, by command. A key that is no option is the prefix of an operand with the same meaning. */
export const IMPLIES: Readonly<Record<string, Names | undefined>> = {
  "git branch": { "-D": "--delete --force", "-M": "--move --force", "-C": "--copy --force" },
  "git push": { "+": "--force", ":": "--delete" },
  cp: COPY,
  gcp: COPY,
  rsync: {
    "-a": "--recursive -l -p -t -g -o -D",
    "--archive": "--recursive -l -p -t -g -o -D",
    "-P": "--partial --progress",
  },
};

interface Default {
  readonly name: string;
  readonly value: string;
  readonly with: ReadonlySet<string>;
  readonly without: ReadonlySet<string>;
}

const POSTS = { value: "POST", without: new Set(["--request", "--get", "--method"]) };

/** An option that a command has by default, unless others are given. */
export const DEFAULTS: Readonly<Record<string, Default | undefined>> = {
  curl: {
    ...POSTS,
    name: "--request",
    with: new Set(
      "--data --data-ascii --data-binary --data-raw --data-urlencode --json --form --form-string".split(
        " ",
      ),
    ),
  },
  wget: { ...POSTS, name: "--method", with: new Set(["--post-data", "--post-file"]) },
};

/** The prefix of a word before the subcommand that selects a version. */
export const PREFIX_SYNONYMS: Names = { cargo: "+", rustc: "+", rustup: "+" };

/** Programs that take a signal as an option. */
export const SIGNALS: ReadonlySet<string> = new Set(["kill", "pkill", "killall"]);

const NUMBERS: Names = {
  1: "HUP",
  2: "INT",
  3: "QUIT",
  6: "ABRT",
  9: "KILL",
  10: "USR1",
  12: "USR2",
  15: "TERM",
  18: "CONT",
  19: "STOP",
};

/** The name of a signal: `KILL` for `9`, `SIGKILL` and `kill`. */
export function signalName(text: string): string {
  const name = text.toUpperCase().replace(/^SIG/, "");
  return NUMBERS[name] ?? name;
}

// Programs that are equivalent, or that are a subcommand of another.
const PROGRAMS: readonly (readonly string[])[] = [
  ["pip", "pip3", ...Array.from({ length: 10 }, (__, minor) => `pip3.${minor + 7}`)],
  ["docker compose", "docker-compose"],
  ["podman compose", "podman-compose"],
  ["npm exec", "npx"],
  ["pnpm dlx", "pnpx"],
  ["bun x", "bunx"],
  ["yarn", "yarnpkg"],
  ["node", "nodejs"],
];

const NAMES_OF = new Map(PROGRAMS.flatMap((names) => names.map((name) => [name, names] as const)));

/** The words of a command with another name for its program, such as `npx` for `npm exec`. */
export function otherPrograms(words: readonly string[]): readonly (readonly string[])[] {
  const [first = "", second = ""] = words;
  const name = NAMES_OF.has(first) ? first : `${first} ${second}`;
  const rest = words.slice(name === first ? 1 : 2);
  return (NAMES_OF.get(name) ?? []).flatMap((other) =>
    other === name ? [] : [[...other.split(" "), ...rest]],
  );
}

/** Programs that run scripts by name, with or without `run`. */
export const RUNS_BARE: ReadonlySet<string> = new Set(["yarn", "yarnpkg", "pnpm", "bun"]);
