import type { Word } from "../analysis.ts";
import { strangers } from "./checkers.ts";
import { hostsOf } from "./hosts.ts";
import { file, hazard, inlineCode, network, unknown, type Out } from "./out.ts";
import { carryFrom } from "./script-file.ts";
import type { Spec } from "./spec.ts";
import { usedOf, uses, valueOf, type Use } from "./use.ts";
import { after, known, prefix } from "./words.ts";

// What tools of clouds delete, change and send, by the names of their commands.
const DELETES = /^(?:rm|rb|delete|del|un|remove|uninstall|terminate|purge|destroy|deregister|revoke|disable|prune)(?:-|$)/;
const SENDS = /^(?:cp|mv|sync|rsync|put|upload|publish|send|invoke|push|import|copy|ssh|scp|submit|build|rest|execute)(?:-|$)/;
const CHANGES =
  /^(?:create|update|set|unset|modify|attach|detach|run|start|stop|reboot|restart|reset|apply|install|upgrade|rollback|add|associate|configure|config|enable|deploy|taint|untaint|login|logout|register|activate|grant|restore|scale|resize|get-credentials)(?:-|$)/;
// Groups that are named like what changes something, before what only shows it.
const SHOWS = /^(?:list|show|get|get-value|describe|view|list-profiles|get-iam-policy|ls)$/;

/** What the command of a cloud tool deletes, sends and changes. */
export function cloud(use: Use, out: Out): void {
  strangers(use, out);
  const shows = use.operands.slice(1, 4).some(({ word }) => SHOWS.test(word.text ?? ""));
  for (const { at, word } of use.operands.slice(0, 4)) {
    const name = word.text ?? "";
    if (DELETES.test(name)) hazard(out, at, "delete");
    else if (SENDS.test(name)) hazard(out, at, "send");
    else if (CHANGES.test(name) && !(shows && /^(?:config|configure|run|build|deploy)$/.test(name))) hazard(out, at, "configure");
  }
  const values = [
    ...use.operands,
    // A value in a word of its own is what a rule has to spell out.
    ...use.options.flatMap(({ at, value }) => (value === undefined ? [] : [{ at: out.argv[at + 1] === value ? at + 1 : at, word: value }])),
  ];
  for (const { at, word } of values) {
    const start = prefix(word);
    const local = /^fileb?:\/\//.exec(start);
    if (local !== null) {
      hazard(out, at, "send");
      file(out, "read", after(word, local[0].length));
    } else if (use.operands.some((operand) => operand.at === at) && /^[./~]|\.\w+$/.test(start)) both(out, word);
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

function both(out: Out, word: Word): void {
  file(out, "read", word);
  file(out, "write", word);
}

// Operations that bring a body back take the file for it beside their options.
const BODIES =
  /^(?:get-object(?:-torrent)?|get-(?:export|sdk|media|clip|job-output)|invoke(?:-.*)?|synthesize-speech|select-object-content)$/;

function aws(use: Use, out: Out): void {
  cloud(use, out);
  if (!use.operands.slice(1, 2).some(({ word }) => BODIES.test(word.text ?? ""))) return;
  const values = new Set(use.strange.map(({ at }) => at + 1));
  for (const { at, word } of use.operands.slice(2)) {
    if (values.has(at)) continue;
    hazard(out, at, "write");
    file(out, "write", word);
  }
}

// `-f` is a file that some commands read and others write.
function az(use: Use, out: Out): void {
  cloud(use, out);
  const writes = use.operands.find(({ word }) =>
    /^(?:download|download-batch|export|backup|get-credentials|restore)$/.test(word.text ?? ""),
  );
  if (writes !== undefined) hazard(out, writes.at, "write");
  for (const name of ["file", "destination"]) for (const used of usedOf(use, name)) both(out, valueOf(used));
  if (use.operands[0]?.word.text === "interactive") unknown(out, "inline_code", "input of `az interactive`");
  for (const used of usedOf(use, "url")) for (const host of hostsOf(valueOf(used))) network(out, host);
}

/** Options of tools of clouds. */
const CLOUD = `--output= --query= --region= --profile= --endpoint-url=url!c --format= --project= --account= --zone= --filter= --filters= --limit= --page-size= --max-items= --sort-by= -n,--namespace= --kubeconfig=load!l
  --kube-context= --set= --set-string= --version= --cli-input-json=read!s --cli-input-yaml=read!s --recursive --debug --verbosity= --no-paginate --no-cli-pager --quiet -q --no-sign-request --color= --subscription=
  -g,--resource-group= --name= --tail= --since= --follow`;

/** Options of gcloud. */
export const GCLOUD = `${CLOUD} --flags-file=load!l --impersonate-service-account=!c --key-file=read!l --access-token-file=read!l --configuration=!c --billing-project= --metadata-from-file=!s --source= --log-file=write!w
  --destination= --user-output-enabled? --trace-token= --async`;

const AWS = `${CLOUD} --ca-bundle=load!l --cli-binary-format= --cli-read-timeout= --cli-connect-timeout= --no-verify-ssl!c --generate-cli-skeleton? --starting-token= --outfile=write!w --body=read!s --user-data=
  --command=!r --template-file=read!s --bucket= --key= --function-name= --payload= --cli-auto-prompt --no-cli-auto-prompt --dry-run --dryrun`;

const AZ = `${CLOUD} -o,--output= -f,--file= -d,--destination= --custom-data=read!s --template-file=read!s --parameters= --url=!s --uri,--url=!s --method= --body=!s --scripts=!r --command=!r --yes,-y`;

const HELM_VERBS =
  /^(?:completion|create|dependency|dep|dependencies|env|get|help|history|install|lint|list|ls|package|plugin|pull|fetch|push|registry|repo|rollback|search|show|inspect|status|template|test|uninstall|delete|del|un|upgrade|verify|version)$/;

function helm(use: Use, out: Out): void {
  cloud(use, out);
  const [first, second, third] = use.operands;
  const name = first?.word.text;
  if (first === undefined || name === undefined) return;
  // What is no command of its own is a plugin.
  if (!HELM_VERBS.test(name)) hazard(out, first.at, "run");
  if (name === "plugin" && second !== undefined && /^(?:install|update|uninstall)$/.test(second.word.text ?? ""))
    hazard(out, second.at, "load");
  if (name === "repo" && third !== undefined)
    for (const { word } of use.operands.slice(3)) for (const host of hostsOf(word)) network(out, host);
  if (name === "test") hazard(out, first.at, "configure");
  if (/^(?:pull|fetch|package)$/.test(name) && !uses(use, "destination")) {
    hazard(out, first.at, "write");
    file(out, "write", known("."));
  }
  if (name === "create" && second !== undefined) file(out, "write", second.word, { below: true });
  if (name.startsWith("dep") && /^(?:update|up|build)$/.test(second?.word.text ?? "")) {
    hazard(out, second?.at ?? first.at, "write");
    file(out, "write", third?.word ?? known("."), { below: true });
  }
  for (const used of usedOf(use, "set-file")) {
    const value = valueOf(used);
    file(out, "read", after(value, prefix(value).indexOf("=") + 1));
  }
  for (const used of usedOf(use, "values"))
    if (/^\w+:\/\//.test(prefix(valueOf(used)))) for (const host of hostsOf(valueOf(used))) network(out, host);
}

function terraform(use: Use, out: Out): void {
  strangers(use, out);
  // `terragrunt run-all apply`
  const [first, second, third] = /^run(?:-all)?$/.test(use.operands[0]?.word.text ?? "") ? use.operands.slice(1) : use.operands;
  const name = first?.word.text ?? "";
  if (first === undefined) return;
  if (/^(?:init|apply|destroy|refresh|plan|import|get|login|providers|cloud|test|up|preview|run-all|run)$/.test(name))
    network(out, undefined);
  if (/^(?:destroy|down)$/.test(name)) hazard(out, first.at, "delete");
  else if (/^(?:init|get)$/.test(name)) hazard(out, first.at, "load");
  else if (/^(?:apply|import|refresh|taint|untaint|login|logout|force-unlock|test|up)$/.test(name)) hazard(out, first.at, "configure");
  else if (second !== undefined && /^(?:rm|mv|push|replace-provider|delete|new|select|init|set)$/.test(second.word.text ?? ""))
    hazard(out, second.at, "configure");
  if (name === "console") inlineCode(out, first.at, "expressions in the input of `console`");
  if (/^(?:apply|show)$/.test(name) && second !== undefined) file(out, "read", second.word);
  if (name === "state" && second?.word.text === "push" && third !== undefined) file(out, "read", third.word);
  if (name === "providers" && second?.word.text === "mirror") {
    hazard(out, second.at, "write");
    if (third !== undefined) file(out, "write", third.word, { below: true });
  }
  if (name === "fmt" && !uses(use, "check diff")) file(out, "write", second?.word ?? known("."), { below: true });
}

const TERRAFORM: Spec = {
  options: `-out=write!w -state=write!w -state-out=write!w -backup=write!w -backup-out=write!w -var= -var-file=read!l -chdir=dir!l -target= -replace= -destroy!d -auto-approve!c -plugin-dir=load!l -backend-config=!l -backend=
    -lock= -lock-timeout= -json -no-color -input= -refresh= -refresh-only -parallelism= -detailed-exitcode -compact-warnings -generate-config-out=write!w -upgrade -reconfigure!c -migrate-state!c -force-copy!d -recursive
    -check -diff -list= -write= -raw -from-module=!l -lockfile= -get= -platform= -fs-mirror=load!l -net-mirror=!l -junit-xml=write!w -test-directory=read -filter= -cloud-run= -plan= -type= -draw-cycles -force!d
    -help -version --help --version`,
  inert: "help version",
  more: terraform,
};

// A stack of programs and settings that run what the project says.
function stack(use: Use, out: Out): void {
  const [first, second] = use.operands;
  network(out, undefined);
  strangers(use, out);
  for (const operand of [first, second]) {
    const name = operand?.word.text ?? "";
    if (operand === undefined) continue;
    if (/^(?:destroy|down|rm|delete)$/.test(name)) hazard(out, operand.at, "delete");
    else if (/^(?:up|update|apply|refresh|import|cancel|set|rename|login|logout|new|install|init|exec)$/.test(name))
      hazard(out, operand.at, "configure");
  }
}

// A vault's password file that can be executed is run, and so is an inventory.
const ANSIBLE = `-i,--inventory,--inventory-file= --vault-password-file,--vault-pass-file=load!r --vault-id=!l --become-password-file,--become-pass-file=load!r --connection-password-file,--conn-pass-file=load!r -e,--extra-vars=!c -M,--module-path=load!l
  --playbook-dir=load!l --private-key,--key-file=read --ssh-common-args=!c --ssh-extra-args=!c --sftp-extra-args=!c --scp-extra-args=!c -u,--user= -c,--connection= -T,--timeout= -b,--become --become-user= --become-method= -k,--ask-pass
  -K,--ask-become-pass -J,--ask-vault-pass -f,--forks= -l,--limit= -t,--tags,--tree= --skip-tags= --start-at-task= --step -C,--check -D,--diff --syntax-check --list-hosts --list-tasks --list-tags --flush-cache
  --force-handlers -o,--one-line -v,-vv,-vvv,-vvvv,--verbose -h,--help --version`;
const VAULT = `${ANSIBLE} --output=write!w --encrypt-vault-id= --new-vault-password-file=load!r --new-vault-id= -n,--name= -p,--prompt`;

// What stands in an inventory, in a list of hosts or after `@`.
function ansible(use: Use, out: Out): void {
  strangers(use, out);
  for (const used of usedOf(use, "inventory-file")) {
    if (prefix(valueOf(used)).includes(",")) continue;
    hazard(out, used.at, "load");
    executed(out, valueOf(used));
  }
  for (const used of usedOf(use, "extra-vars")) if (prefix(valueOf(used)).startsWith("@")) file(out, "read", after(valueOf(used), 1));
}

function executed(out: Out, word: Word): void {
  file(out, "read", word);
  file(out, "execute", word);
}

const ONLY_LISTS = "syntax-check list-hosts list-tasks list-tags";

const GALAXY: Spec = {
  options: `-s,--server=url!c --token,--api-key= -p,--roles-path,--collections-path=write!w -r,--role-file,--requirements-file=read!l -f,--force!d --force-with-deps!d --no-deps --pre --offline -U,--upgrade -c,--ignore-certs!c
    --init-path=write!w --role-skeleton=read!l --download-path=write!w --output-path=write!w -v -h,--help --version`,
  network: true,
  inert: "help version",
  more: (use, out) => {
    strangers(use, out);
    for (const { at, word } of use.operands.slice(0, 2)) {
      if (/^(?:install|download|build|init|setup|import)$/.test(word.text ?? "")) hazard(out, at, "load");
      else if (/^(?:remove|delete)$/.test(word.text ?? "")) hazard(out, at, "delete");
      else if (word.text === "publish") hazard(out, at, "send");
    }
  },
};

/** Tools of clouds, and of what is set up in them. */
export const CLOUDS: Readonly<Record<string, Spec>> = {
  aws: { options: AWS, exact: true, network: true, more: aws },
  az: { options: AZ, network: true, more: az },
  gsutil: { options: CLOUD, network: true, more: cloud },
  helm: {
    options: `${CLOUD} -f,--values=read!l -o,--output= --set-file=!s --set-json= --set-literal= --post-renderer=prog!r --post-renderer-args= --kube-apiserver=url!c --kube-token= --kube-as-user= --kube-as-group= --kube-ca-file=read
      --kube-insecure-skip-tls-verify!c --kube-tls-server-name= --repo=url!c --repository-config=load!l --repository-cache=write!w --registry-config=load!l --content-cache=write!w -d,--destination=write!w --output-dir=write!w
      --untardir=write!w --untar!w --plugins=load!l -l,--selector= -a -A,--all-namespaces --wait --atomic --timeout= --dry-run? --devel --install!c --burst-limit= --qps= --keyring=read --key= --sign --cert-file=read
      --key-file=read --ca-file=read --username= --password= --version= --description= --max= --reset-values --reuse-values --create-namespace --generate-name --is-upgrade --validate --include-crds --api-versions=
      --show-only= -s --kube-version= --no-hooks --skip-crds -h,--help`,
    network: true,
    inert: "help",
    more: helm,
  },
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  terragrunt: { ...TERRAFORM, carries: true },
  pulumi: {
    options:
      "-C,--cwd=dir!l -s,--stack= -y,--yes!c --config=!c --config-file=load!l --policy-pack=load!l --plan=read --save-plan=write!w --file=write!w --secrets-provider= --logtostderr -v= -e,--emoji --color= -j,--json --diff --show-secrets -t,--target= -h,--help --version",
    inert: "help version",
    more: stack,
  },
  ansible: {
    options: `${ANSIBLE} -a,--args=script!r -m,--module-name= -B,--background= -P,--poll= -t,--tree=write!w`,
    network: true,
    inert: "help version",
    more: ansible,
  },
  "ansible-playbook": {
    options: ANSIBLE,
    operands: "exec*",
    network: true,
    inert: "help version",
    more: (use, out) => {
      ansible(use, out);
      if (!uses(use, ONLY_LISTS)) for (const { at } of use.operands.slice(0, 1)) hazard(out, at, "run");
    },
  },
  "ansible-vault": {
    options: VAULT,
    inert: "help version",
    more: ({ operands: [first, ...files], ...use }, out) => {
      ansible({ ...use, operands: [] }, out);
      const writes = first !== undefined && /^(?:create|decrypt|encrypt|edit|rekey)$/.test(first.word.text ?? "");
      if (writes) hazard(out, first.at, first.word.text === "edit" || first.word.text === "create" ? "run" : "write");
      for (const { word } of files) {
        file(out, "read", word);
        if (writes) file(out, "write", word);
      }
    },
  },
  "ansible-galaxy": GALAXY,
  "ansible-pull": {
    options: `${ANSIBLE} -U,--url=url -d,--directory=write!w --accept-host-key!c --purge!d --full -o --verify-commit`,
    network: true,
    inert: "help version",
    more: (use, out) => {
      ansible(use, out);
      for (const { at } of usedOf(use, "url")) hazard(out, at, "run");
    },
  },
  "ansible-console": {
    options: ANSIBLE,
    network: true,
    inert: "help version",
    more: (use, out) => {
      ansible(use, out);
      unknown(out, "inline_code", "input of `ansible-console`, which runs as commands");
    },
  },
  "ansible-inventory": {
    options: `${ANSIBLE} --list --host= --graph --output=write!w -y,--yaml --toml --vars --export`,
    inert: "help version",
    more: ansible,
  },
  "ansible-doc": {
    options: `${ANSIBLE} -l,--list -F,--list_files -s,--snippet -j,--json --metadata-dump -r,--roles-path=read -t,--type=`,
    inert: "help version",
    more: strangers,
  },
};
