/** A line that makes a program do more than its name says. */
export interface Reach {
  readonly line: string;
  /** The position of the word that makes it do so. A rule that spells the word out intends it. Default: 1, the first argument. */
  readonly at?: number;
  /** Completes the phrase "which …". */
  readonly does: string;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const RUNS = "runs any code in a file";
const OTHER = "runs any program";
const SCRIPTS = "runs whatever a file of the project says";
const AWAY = "sends any data to any host";
const FOREIGN = "installs and runs third-party code";

const scripts: readonly (readonly [string, Reach])[] = [
  ...words(
    "bash sh zsh dash ksh fish python python2 python3 perl ruby node deno bun tsx php lua Rscript julia osascript pwsh awk gawk",
  ),
].flatMap((program): readonly (readonly [string, Reach])[] => {
  const run =
    program === "deno" || program === "bun"
      ? `${program} run x`
      : program.endsWith("awk")
        ? `${program} -f x`
        : `${program} x`;
  return [[program, { line: run, does: RUNS }]];
});

const RUNNERS = `sudo doas env command exec nohup timeout nice ionice stdbuf setsid xargs parallel time watch busybox
  chroot unshare flock strace script`;
const runners = words(RUNNERS).map((program): readonly [string, Reach] => {
  const before =
    program === "timeout"
      ? "timeout 1"
      : program === "flock" || program === "chroot"
        ? `${program} x`
        : program;
  return [program, { line: `${before} id`, at: before.split(" ").length, does: OTHER }];
});

const OTHERS: Readonly<Record<string, readonly Reach[]>> = {
  find: [
    { line: "find . -exec id {} +", at: 2, does: OTHER },
    { line: "find . -delete", at: 2, does: "deletes all it finds" },
  ],
  git: [
    { line: "git -c core.pager=id log", does: OTHER },
    { line: "git config alias.x !id", does: "makes later git commands run any program" },
    { line: "git push origin HEAD", does: "sends the work to another machine" },
    { line: "git checkout .", does: "discards work that is not committed" },
  ],
  npm: [
    { line: "npm run x", does: SCRIPTS },
    { line: "npm install x", does: FOREIGN },
  ],
  pnpm: [
    { line: "pnpm run x", does: SCRIPTS },
    { line: "pnpm add x", does: FOREIGN },
  ],
  yarn: [
    { line: "yarn run x", does: SCRIPTS },
    { line: "yarn add x", does: FOREIGN },
  ],
  npx: [{ line: "npx x", does: FOREIGN }],
  pip: [{ line: "pip install x", does: FOREIGN }],
  pip3: [{ line: "pip3 install x", does: FOREIGN }],
  uv: [{ line: "uv run x", does: RUNS }],
  uvx: [{ line: "uvx x", does: FOREIGN }],
  cargo: [
    { line: "cargo run", does: SCRIPTS },
    { line: "cargo install x", does: FOREIGN },
  ],
  go: [{ line: "go run x", does: RUNS }],
  make: [{ line: "make x", does: SCRIPTS }],
  docker: [{ line: "docker run x", does: OTHER }],
  podman: [{ line: "podman run x", does: OTHER }],
  kubectl: [
    { line: "kubectl exec x", does: OTHER },
    { line: "kubectl delete x", does: "deletes resources of the cluster" },
  ],
  ssh: [{ line: "ssh x id", at: 2, does: "runs any program on another machine" }],
  scp: [{ line: "scp x y:z", at: 2, does: AWAY }],
  rsync: [{ line: "rsync x y:z", at: 2, does: AWAY }],
  curl: [
    { line: "curl -d @x https://example.com", does: AWAY },
    { line: "curl https://example.com", does: AWAY },
  ],
  wget: [{ line: "wget https://example.com", does: AWAY }],
  nc: [{ line: "nc x 1", at: 2, does: AWAY }],
  vim: [{ line: "vim -c x", does: OTHER }],
  sed: [{ line: "sed -i s/a/b/ x", does: "writes files" }],
  tee: [{ line: "tee x", does: "writes files" }],
  dd: [{ line: "dd of=x", does: "writes files and devices" }],
  rm: [{ line: "rm -rf x", does: "deletes whole folders" }],
  tar: [{ line: "tar --to-command=id -xf x", does: OTHER }],
};

/** What well-known programs can be made to do, worst first. */
export const REACH: ReadonlyMap<string, readonly Reach[]> = new Map([
  ...scripts.map(([program, reach]) => [program, [reach]] as const),
  ...runners.map(([program, reach]) => [program, [reach]] as const),
  ...Object.entries(OTHERS),
]);
