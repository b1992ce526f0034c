import type { Hazard } from "../analysis.ts";
import { runArgv } from "./apply-spec.ts";
import { file, hazard, network, type Findings } from "./findings.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { hostOf } from "./hosts.ts";
import { after, prefix } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

export function copy(use: ParsedArgs, out: Findings): void {
  const last = use.operands.length - 1;
  use.operands.forEach(({ word }, index) => {
    if (/^[^/.:][^/:]{0,255}:/.test(prefix(word))) return;
    file(out, index === last ? "write" : "read", word, { below: true });
  });
}

export const names = (list: string, spec: Spec): Readonly<Record<string, Spec>> =>
  Object.fromEntries(list.split(" ").map((name) => [name, spec]));

// kubectl takes options anywhere, and the command follows `--`.
function kubectlExec(use: ParsedArgs, out: Findings): void {
  const dash = out.argv.findIndex((word) => word.text === "--");
  const from = dash >= 0 ? dash + 1 : use.operands[1]?.at;
  network(out, undefined);
  if (from !== undefined && from < out.argv.length) runArgv(out, from, { remote: true });
}

// Records the files and URLs that it reads, and the change that its verb makes.
function kubectlFiles(use: ParsedArgs, out: Findings): void {
  for (const { at, value } of optionsNamed(use, "output")) {
    const path = /^[\w-]*-file=/.exec(value === undefined ? "" : prefix(value))?.[0].length;
    if (path === undefined || value === undefined) continue;
    hazard(out, at, "load");
    file(out, "read", after(value, path));
  }
  for (const used of optionsNamed(use, "filename")) {
    if (/^\w+:\/\//.test(prefix(valueOf(used)))) network(out, hostOf(valueOf(used)));
  }
}

function kubectlRun(use: ParsedArgs, out: Findings): void {
  network(out, undefined);
  const dash = out.argv.findIndex((word) => word.text === "--");
  if (dash >= 0 && dash + 1 < out.argv.length) runArgv(out, dash + 1, { remote: true });
  else if (hasOption(use, "overrides"))
    hazard(out, optionsNamed(use, "overrides")[0]?.at ?? 0, "run");
}

const KUBE = options`-w,--watch --show-labels -i,--stdin -q,--quiet --wait --command -h,--help ${kind.value} -n,--namespace --user
  --request-timeout -l,--selector -o,--output --sort-by -c,--container --grace-period --cascade --timeout
  --overrides --image --restart --env --labels --port --tail --since -p,--patch --type --replicas --target --copy-to
  ${kind.valueThat("configure")} --context --cluster --address --as --as-group --token -v,--v ${kind.load} --kubeconfig ${kind.takes("url", "configure")} -s,--server
  ${kind.flagThat("configure")} --insecure-skip-tls-verify ${kind.read} --certificate-authority --client-certificate --client-key
  -f,--filename -k,--kustomize --template --from-file --from-env-file --patch-file ${kind.write} --cache-dir --log-file --profile-output
  --output-directory ${kind.flag} -A,--all-namespaces -t,--tty --all -R,--recursive --rm --previous ${kind.optional} --dry-run
  ${kind.value} --field-selector --from-literal --profile ${kind.flagThat("delete")} --force`;

const KUBE_SUB: Spec = { options: KUBE, network: true };

const kubectl = (does: Hazard["does"] | undefined): Spec => ({
  ...KUBE_SUB,
  ...(does === undefined ? {} : { does }),
  more: kubectlFiles,
});

export const KUBECTL: Spec = {
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
    kustomize: {
      options: options`${KUBE} ${kind.flagThat("run")} --enable-exec --enable-helm --enable-alpha-plugins ${kind.script} --helm-command`,
      operands: ["read"],
    },
    config: {
      options: KUBE,
      more: (use, out) =>
        use.operands
          .slice(0, 1)
          .forEach(
            ({ at, word }) =>
              /^(set|use|unset|delete|rename)/.test(word.text ?? "") &&
              hazard(out, at, "configure"),
          ),
    },
    diff: kubectl("run"),
    rollout: {
      ...KUBE_SUB,
      more: (use, out) => changing(use, out, /^(?:undo|restart|pause|resume)$/),
    },
    auth: { ...KUBE_SUB, more: (use, out) => changing(use, out, /^reconcile$/) },
    attach: kubectl("run"),
    ...names("delete drain", kubectl("delete")),
    ...names(
      "apply create patch replace scale expose autoscale label annotate cordon uncordon taint port-forward proxy certificate set",
      kubectl("configure"),
    ),
    ...names(
      "get describe logs top explain api-resources api-versions cluster-info version wait events completion",
      kubectl(undefined),
    ),
  },
};

function changing(use: ParsedArgs, out: Findings, names: RegExp): void {
  kubectlFiles(use, out);
  for (const { at, word } of use.operands.slice(0, 1))
    if (names.test(word.text ?? "")) hazard(out, at, "configure");
}

export const KUBERNETES: Readonly<Record<string, Spec>> = { kubectl: KUBECTL, oc: KUBECTL };
