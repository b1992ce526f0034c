import type { Word } from "../analysis.ts";
import { noteUnclearStart, runArgv } from "./apply-spec.ts";
import { file, hazard, runScript, unknown, type Findings } from "./findings.ts";
import { optionsNamed, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { command, known, prefix } from "./word-text.ts";
import { kind, many, options, connects, wraps } from "./option-groups.ts";
import { copy, names, KUBECTL, KUBERNETES } from "./kubernetes.ts";

// `/host:/container:ro`, or the name of a volume.
function mount(at: number, word: Word, out: Findings): void {
  const start = prefix(word);
  const source = /(?:^|,)(?:source|src)=([^,]{0,4096})/.exec(start)?.[1];
  if (source === undefined && !/^[./~$]/.test(start) && start !== "") return;
  hazard(out, at, "write");
  const colon = start.indexOf(":");
  const path =
    source !== undefined ? known(source) : colon >= 0 ? known(start.slice(0, colon)) : word;
  file(out, "read", path, { below: true });
  file(out, "write", path, { below: true });
}

function run(use: ParsedArgs, out: Findings): void {
  for (const name of ["volume", "mount"])
    for (const used of optionsNamed(use, name)) mount(used.at, valueOf(used), out);
  const [image, first] = use.operands;
  if (image === undefined) return;
  if (first !== undefined) noteUnclearStart(use, out);
  const [entry] = optionsNamed(use, "entrypoint");
  if (entry !== undefined)
    runScript(
      out,
      entry.at,
      command([valueOf(entry), ...use.operands.slice(1).map(({ word }) => word)]),
      { remote: true },
    );
  if (first !== undefined && entry === undefined) runArgv(out, first.at, { remote: true });
  else if (entry !== undefined) out.carries = true;
}

function exec(use: ParsedArgs, out: Findings): void {
  const [, first] = use.operands;
  if (first === undefined) return;
  runArgv(out, first.at, { remote: true });
  noteUnclearStart(use, out);
}

const RUN = options`-d,--detach --init -i,--interactive --oom-kill-disable -q --read-only --rm --sig-proxy --replace --rootfs
  ${kind.value} -a,--attach --add-host --annotation --blkio-weight --cap-drop --cgroup-parent --cgroupns -c,--cpu-shares --cpus
  --cpuset-cpus --detach-keys --device-cgroup-rule --dns --dns-option --dns-search --domainname -e,--env --expose --gpus --group-add
  --health-interval -h,--hostname --ip --ip6 --ipc --isolation -l,--label --link --log-driver --log-opt --mac-address -m,--memory
  --memory-swap --mount --name --network,--net --pids-limit --platform -p,--publish --pull --restart --runtime --shm-size --stop-signal
  --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u,--user --uts -v,--volume --volume-driver --volumes-from -w,--workdir --arch
  --os --pod --systemd ${kind.valueThat("configure")} --cap-add --device --pid --security-opt --userns ${kind.write} --cidfile
  ${kind.valueThat("run")} --entrypoint ${kind.read} --env-file --label-file ${kind.script} --health-cmd ${kind.flag} --no-healthcheck
  -P,--publish-all -t,--tty ${kind.flagThat("configure")} --privileged`;
const EXEC = options`-d,--detach -i,--interactive -t,--tty -T -l --dry-run ${kind.value} --detach-keys -e,--env -u,--user -w,--workdir
  --index ${kind.read} --env-file ${kind.flagThat("configure")} --privileged`;

const RUN_SPEC: Spec = { options: RUN, posix: true, network: true, more: run };
const EXEC_SPEC: Spec = { options: EXEC, posix: true, more: exec };
const BUILD: Spec = {
  options: options`--no-cache --pull -q --push --squash --rm ${kind.takes("load")} -f,--file ${kind.value} -t,--tag --build-arg --target
    --platform --progress --cache-from --network --add-host --label --build-context -m ${kind.write} -o,--output --iidfile --metadata-file
    --cache-to ${kind.valueThat("send")} --secret --ssh ${kind.flag} --load --force-rm ${kind.valueThat("write")} -v,--volume
    ${kind.valueThat("configure")} --allow`,
  operands: ["read"],
  below: "always",
  network: true,
};

// Options that only select and format what is printed.
const LOGS = options`-f,--follow -t,--timestamps --details --no-color --no-log-prefix ${kind.value} -n,--tail --since --until --index`;
const LISTING = options`-a,--all -q,--quiet -s,--size -l,--latest --no-trunc --digests --services --orphans --tree ${kind.value} -n,--last
  -f,--filter --format --status`;

const COMPOSE: Spec = {
  options: options`--compatibility --dry-run ${kind.load} -f,--file --env-file ${kind.value} -p,--project-name --profile --ansi --parallel
    --progress ${kind.takes("dir", "load")} --project-directory`,
  subs: {
    ...names(
      "up pull push build create",
      connects`-d,--detach --build --force-recreate --no-deps --remove-orphans -V --wait --no-build --quiet-pull ${kind.value}
        --scale -t --pull`,
    ),
    down: {
      options: options`--remove-orphans ${kind.flagThat("delete")} -v,--volumes ${kind.valueThat("delete")} --rmi ${kind.value} -t`,
    },
    run: {
      options: options`${RUN} --no-deps --service-ports --use-aliases --build --remove-orphans`,
      posix: true,
      more: run,
    },
    exec: EXEC_SPEC,
    cp: { more: copy },
    logs: { options: LOGS },
    ps: { options: LISTING },
    ...names(
      "config images ls port top start stop restart pause unpause kill rm events version wait watch stats volumes convert attach",
      {},
    ),
  },
};

const DOCKER_SUBS: Readonly<Record<string, Spec>> = {
  run: RUN_SPEC,
  create: RUN_SPEC,
  exec: EXEC_SPEC,
  build: BUILD,
  buildx: {
    subs: {
      build: BUILD,
      bake: connects`${kind.load} -f`,
      ls: {},
      inspect: {},
      create: { does: "configure" },
      use: { does: "configure" },
      rm: {},
      prune: {},
    },
  },
  compose: COMPOSE,
  cp: { options: options`-a -L -q`, more: copy },
  logs: { options: LOGS },
  ...names("ps images", { options: LISTING }),
  stats: { options: options`-a,--all --no-stream --no-trunc ${kind.value} --format` },
  ...names(
    "inspect top port diff events info version history search start stop restart kill pause unpause wait rename update rm rmi tag commit attach volume network system context manifest node service stack secret swarm config builder trust scout init debug",
    {},
  ),
  ...names("pull push login logout", { network: true }),
  save: { options: options`${kind.write} -o,--output`, operands: [many("data")] },
  export: { options: options`${kind.write} -o,--output`, operands: [many("data")] },
  load: { options: options`-q ${kind.read} -i,--input` },
  import: { operands: ["read", "data"] },
  plugin: { does: "load", network: true },
  container: {
    subs: {
      exec: EXEC_SPEC,
      run: RUN_SPEC,
      create: RUN_SPEC,
      cp: { more: copy },
      ...names(
        "ls list ps logs inspect top stats port diff start stop restart kill pause unpause wait rename update rm prune attach commit",
        {},
      ),
    },
  },
  image: {
    subs: {
      build: BUILD,
      save: { options: options`${kind.write} -o,--output` },
      load: { options: options`${kind.read} -i,--input` },
      ...names("pull push", { network: true }),
      ...names("ls list inspect history rm prune tag", {}),
    },
  },
  unshare: wraps`--rootless-netns`,
};

const DOCKER: Spec = {
  extensible: true,
  options: options`-D,--debug --tls --tlsverify -v,--version -h,--help -r,--remote ${kind.load} --config ${kind.valueThat("configure")}
    -c,--context --url --connection ${kind.takes("url", "configure")} -H,--host ${kind.value} -l,--log-level --storage-driver ${kind.read}
    --tlscacert --tlscert --tlskey ${kind.write} --root --runroot ${kind.takes("exec", "run")} --runtime --conmon ${kind.load} --hooks-dir`,
  inert: "version help",
  subs: DOCKER_SUBS,
};

function machine(use: ParsedArgs, out: Findings): void {
  const [, first] = use.operands;
  if (first !== undefined) runArgv(out, first.at, { remote: true });
  else unknown(out, "dynamic_script", "a shell opened in a machine");
}

export const CONTAINERS: Readonly<Record<string, Spec>> = {
  docker: DOCKER,
  podman: DOCKER,
  nerdctl: DOCKER,
  "docker-compose": COMPOSE,
  "podman-compose": COMPOSE,
  buildah: {
    subs: {
      run: { options: RUN, posix: true, more: run },
      bud: BUILD,
      build: BUILD,
      unshare: { wrap: 0 },
      "*": {},
    },
  },
  ...KUBERNETES,
  k3s: { subs: { kubectl: KUBECTL } },
  minikube: {
    subs: {
      kubectl: KUBECTL,
      ssh: {
        posix: true,
        more: (use, out) =>
          use.operands
            .slice(0, 1)
            .forEach(({ at, word }) => runScript(out, at, word, { remote: true })),
      },
      ...names("start stop status delete ip dashboard service addons image profile", {}),
    },
  },
  lxc: {
    subs: {
      exec: {
        options: options`-t -T -n ${kind.value} --env --user --group --cwd --mode`,
        posix: true,
        more: machine,
      },
      shell: { posix: true, more: machine },
      ...names("list info start stop restart launch delete config image file", { network: true }),
    },
  },
  limactl: {
    subs: {
      shell: { options: options`${kind.value} --workdir --shell`, posix: true, more: machine },
    },
  },
};
