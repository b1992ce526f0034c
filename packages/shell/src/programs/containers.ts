import type { Hazard, Word } from "../analysis.ts";
import { doubtStart, runArgv } from "./apply.ts";
import { file, hazard, network, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { usedOf, uses, valueOf, type Use } from "./use.ts";
import { hostOf } from "./hosts.ts";
import { after, command, known, prefix } from "./words.ts";

// `/host:/container:ro`, or a volume's name.
function mount(at: number, word: Word, out: Out): void {
  const start = prefix(word);
  const source = /(?:^|,)(?:source|src)=([^,]{0,4096})/.exec(start)?.[1];
  if (source === undefined && !/^[./~$]/.test(start) && start !== "") return;
  hazard(out, at, "write");
  const colon = start.indexOf(":");
  const path = source !== undefined ? known(source) : colon >= 0 ? known(start.slice(0, colon)) : word;
  file(out, "read", path, { below: true });
  file(out, "write", path, { below: true });
}

function run(use: Use, out: Out): void {
  for (const name of ["volume", "mount"]) for (const used of usedOf(use, name)) mount(used.at, valueOf(used), out);
  const [image, first] = use.operands;
  if (image === undefined) return;
  if (first !== undefined) doubtStart(use, out);
  const [entry] = usedOf(use, "entrypoint");
  if (entry !== undefined)
    runScript(out, entry.at, command([valueOf(entry), ...use.operands.slice(1).map(({ word }) => word)]), { remote: true });
  if (first !== undefined && entry === undefined) runArgv(out, first.at, { remote: true });
  else if (entry !== undefined) out.carries = true;
}

function exec(use: Use, out: Out): void {
  const [, first] = use.operands;
  if (first === undefined) return;
  runArgv(out, first.at, { remote: true });
  doubtStart(use, out);
}

function copy(use: Use, out: Out): void {
  const last = use.operands.length - 1;
  use.operands.forEach(({ word }, index) => {
    if (/^[^/.:][^/:]{0,255}:/.test(prefix(word))) return;
    file(out, index === last ? "write" : "read", word, { below: true });
  });
}

const RUN = `-a,--attach= --add-host= --annotation= --blkio-weight= --cap-add=!c --cap-drop= --cgroup-parent= --cgroupns= --cidfile=write!w -c,--cpu-shares= --cpus= --cpuset-cpus= -d,--detach --detach-keys= --device=!c
  --device-cgroup-rule= --dns= --dns-option= --dns-search= --domainname= --entrypoint=!r -e,--env= --env-file=read --expose= --gpus= --group-add= --health-cmd=script!r --health-interval= -h,--hostname= --init
  -i,--interactive --ip= --ip6= --ipc= --isolation= -l,--label= --label-file=read --link= --log-driver= --log-opt= --mac-address= -m,--memory= --memory-swap= --mount= --name= --network,--net= --no-healthcheck
  --oom-kill-disable --pid=!c --pids-limit= --platform= --privileged!c -p,--publish= -P,--publish-all --pull= -q --read-only --restart= --rm --runtime= --security-opt=!c --shm-size= --sig-proxy --stop-signal=
  --stop-timeout= --storage-opt= --sysctl= --tmpfs= -t,--tty --ulimit= -u,--user= --userns=!c --uts= -v,--volume= --volume-driver= --volumes-from= -w,--workdir= --arch= --os= --pod= --replace --rootfs --systemd=`;
const EXEC =
  "-d,--detach --detach-keys= -e,--env= --env-file=read -i,--interactive --privileged!c -t,--tty -T -u,--user= -w,--workdir= --index= -l --dry-run";

const names = (list: string, spec: Spec): Readonly<Record<string, Spec>> => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

const RUN_SPEC: Spec = { options: RUN, posix: true, network: true, more: run };
const EXEC_SPEC: Spec = { options: EXEC, posix: true, more: exec };
const BUILD: Spec = {
  options: `-f,--file=load -t,--tag= --build-arg= --target= --no-cache --pull -q -o,--output=write!w --iidfile=write!w --metadata-file=write!w --secret=!s --ssh=!s --platform= --progress= --cache-from= --cache-to=write!w --network=
    --add-host= --label= --build-context= --push --load --squash --rm --force-rm -m= -v,--volume=!w --allow=!c`,
  operands: "read",
  below: "always",
  network: true,
};

const COMPOSE: Spec = {
  options:
    "-f,--file=load!l -p,--project-name= --project-directory=dir!l --env-file=load!l --profile= --ansi= --parallel= --progress= --compatibility --dry-run",
  subs: {
    ...names("up pull push build create", {
      options: "-d,--detach --build --force-recreate --no-deps --remove-orphans -V --scale= --wait -t= --pull= --no-build --quiet-pull",
      network: true,
    }),
    down: { options: "-v,--volumes!d --rmi=!d --remove-orphans -t=" },
    run: { options: `${RUN} --no-deps --service-ports --use-aliases --build --remove-orphans`, posix: true, more: run },
    exec: EXEC_SPEC,
    cp: { more: copy },
    ...names(
      "ps logs config images ls port top start stop restart pause unpause kill rm events version wait watch stats volumes convert attach",
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
      bake: { options: "-f=load!l", network: true },
      ls: {},
      inspect: {},
      create: { does: "configure" },
      use: { does: "configure" },
      rm: {},
      prune: {},
    },
  },
  compose: COMPOSE,
  cp: { options: "-a -L -q", more: copy },
  ...names(
    "ps images logs inspect top stats port diff events info version history search start stop restart kill pause unpause wait rename update rm rmi tag commit attach volume network system context manifest node service stack secret swarm config builder trust scout init debug",
    {},
  ),
  ...names("pull push login logout", { network: true }),
  save: { options: "-o,--output=write!w", operands: "data*" },
  export: { options: "-o,--output=write!w", operands: "data*" },
  load: { options: "-i,--input=read -q" },
  import: { operands: "read data" },
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
      save: { options: "-o,--output=write!w" },
      load: { options: "-i,--input=read" },
      ...names("pull push", { network: true }),
      ...names("ls list inspect history rm prune tag", {}),
    },
  },
  unshare: { options: "--rootless-netns", wrap: 0 },
};

const DOCKER: Spec = {
  extensible: true,
  options:
    "--config=load!l -c,--context=!c -D,--debug -H,--host=url!c -l,--log-level= --tls --tlscacert=read --tlscert=read --tlskey=read --tlsverify -v,--version -h,--help --root=write!w --runroot=write!w --runtime=exec!r --storage-driver= --conmon=exec!r --hooks-dir=load!l --url=!c --connection=!c -r,--remote",
  inert: "version help",
  subs: DOCKER_SUBS,
};

// kubectl takes options anywhere; the command follows `--`.
function kubectlExec(use: Use, out: Out): void {
  const dash = out.argv.findIndex((word) => word.text === "--");
  const from = dash >= 0 ? dash + 1 : use.operands[1]?.at;
  network(out, undefined);
  if (from !== undefined && from < out.argv.length) runArgv(out, from, { remote: true });
}

// What it reads of files, and of URLs, and what its verb changes.
function kubectlFiles(use: Use, out: Out): void {
  for (const { at, value } of usedOf(use, "output")) {
    const path = /^[\w-]*-file=/.exec(value === undefined ? "" : prefix(value))?.[0].length;
    if (path === undefined || value === undefined) continue;
    hazard(out, at, "load");
    file(out, "read", after(value, path));
  }
  for (const used of usedOf(use, "filename")) {
    if (/^\w+:\/\//.test(prefix(valueOf(used)))) network(out, hostOf(valueOf(used)));
  }
}

function kubectlRun(use: Use, out: Out): void {
  network(out, undefined);
  const dash = out.argv.findIndex((word) => word.text === "--");
  if (dash >= 0 && dash + 1 < out.argv.length) runArgv(out, dash + 1, { remote: true });
  else if (uses(use, "overrides")) hazard(out, usedOf(use, "overrides")[0]?.at ?? 0, "run");
}

const KUBE = `-n,--namespace= --context=!c --cluster=!c --kubeconfig=load!l --user= --as= --as-group= -s,--server=url!c --token= --insecure-skip-tls-verify!c --certificate-authority=read --client-certificate=read --client-key=read
  --cache-dir=write!w --request-timeout= -v,--v= --log-file=write!w -f,--filename=read -k,--kustomize=read -l,--selector= -o,--output= --template=read -A,--all-namespaces -w,--watch --dry-run? --field-selector= --sort-by= --show-labels
  -c,--container= -i,--stdin -t,--tty -q,--quiet --force!d --grace-period= --all --cascade= --wait --timeout= -R,--recursive --overrides= --image= --restart= --rm --command --env= --labels= --port= --from-file=read --from-env-file=read
  --from-literal= --tail= --since= --previous -p,--patch= --patch-file=read --type= --replicas= --address=!c --profile= --profile-output=write!w --output-directory=write!w --target= --copy-to= -h,--help`;
const KUBE_SUB: Spec = { options: KUBE, network: true };

const kubectl = (does: Hazard["does"] | undefined): Spec => ({ ...KUBE_SUB, ...(does === undefined ? {} : { does }), more: kubectlFiles });

const KUBECTL: Spec = {
  extensible: true,
  options: KUBE,
  inert: "help",
  subs: {
    exec: { options: KUBE, more: kubectlExec },
    run: { options: KUBE, more: kubectlRun },
    debug: { options: KUBE, does: "run", more: kubectlRun },
    cp: { options: KUBE, network: true, does: "send", more: copy },
    edit: { options: KUBE, network: true, does: "run" },
    plugin: { does: "run" },
    kustomize: { options: `${KUBE} --enable-exec!r --enable-helm!r --helm-command=prog!r --enable-alpha-plugins!r`, operands: "read" },
    config: {
      options: KUBE,
      more: (use, out) =>
        use.operands
          .slice(0, 1)
          .forEach(({ at, word }) => /^(set|use|unset|delete|rename)/.test(word.text ?? "") && hazard(out, at, "configure")),
    },
    diff: kubectl("run"),
    rollout: { ...KUBE_SUB, more: (use, out) => changing(use, out, /^(?:undo|restart|pause|resume)$/) },
    auth: { ...KUBE_SUB, more: (use, out) => changing(use, out, /^reconcile$/) },
    attach: kubectl("run"),
    ...names("delete drain", kubectl("delete")),
    ...names(
      "apply create patch replace scale expose autoscale label annotate cordon uncordon taint port-forward proxy certificate set",
      kubectl("configure"),
    ),
    ...names("get describe logs top explain api-resources api-versions cluster-info version wait events completion", kubectl(undefined)),
  },
};

function changing(use: Use, out: Out, names: RegExp): void {
  kubectlFiles(use, out);
  for (const { at, word } of use.operands.slice(0, 1)) if (names.test(word.text ?? "")) hazard(out, at, "configure");
}

function machine(use: Use, out: Out): void {
  const [, first] = use.operands;
  if (first !== undefined) runArgv(out, first.at, { remote: true });
  else unknown(out, "dynamic_script", "shell that opens in a machine");
}

/** Containers and what controls them. */
export const CONTAINERS: Readonly<Record<string, Spec>> = {
  docker: DOCKER,
  podman: DOCKER,
  nerdctl: DOCKER,
  "docker-compose": COMPOSE,
  "podman-compose": COMPOSE,
  buildah: { subs: { run: { options: RUN, posix: true, more: run }, bud: BUILD, build: BUILD, unshare: { wrap: 0 }, "*": {} } },
  kubectl: KUBECTL,
  oc: KUBECTL,
  k3s: { subs: { kubectl: KUBECTL } },
  minikube: {
    subs: {
      kubectl: KUBECTL,
      ssh: {
        posix: true,
        more: (use, out) => use.operands.slice(0, 1).forEach(({ at, word }) => runScript(out, at, word, { remote: true })),
      },
      ...names("start stop status delete ip dashboard service addons image profile", {}),
    },
  },
  lxc: {
    subs: {
      exec: { options: "-t -T -n --env= --user= --group= --cwd= --mode=", posix: true, more: machine },
      shell: { posix: true, more: machine },
      ...names("list info start stop restart launch delete config image file", { network: true }),
    },
  },
  limactl: { subs: { shell: { options: "--workdir= --shell=", posix: true, more: machine } } },
};
