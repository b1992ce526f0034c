import type { Word } from "../analysis.ts";
import { checkUnknownOptions } from "./checkers.ts";
import { hostsOf } from "./hosts.ts";
import {
  file,
  FORMATTED,
  hazard,
  inlineCode,
  network,
  unknown,
  type Findings,
} from "./findings.ts";
import { recordArgumentsOfScript } from "./script-file.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, known, prefix } from "./word-text.ts";
import { CLOUD } from "./cloud-options.ts";
import { kind, options } from "./option-groups.ts";
import { ANSIBLE_TOOLS } from "./ansible.ts";

// Verbs in command names of cloud tools that delete, change or send.
const DELETES =
  /^(?:rm|rb|delete|del|un|remove|uninstall|terminate|purge|destroy|deregister|revoke|disable|prune)(?:-|$)/;
const SENDS =
  /^(?:cp|mv|sync|rsync|put|upload|publish|send|invoke|push|import|copy|ssh|scp|submit|build|rest|execute)(?:-|$)/;
const CHANGES =
  /^(?:create|update|set|unset|modify|attach|detach|run|start|stop|reboot|restart|reset|apply|install|upgrade|rollback|add|associate|configure|config|enable|deploy|taint|untaint|login|logout|register|activate|grant|restore|scale|resize|get-credentials)(?:-|$)/;
// Groups whose names look like a change, followed by a command that only shows something.
const SHOWS = /^(?:list|show|get|get-value|describe|view|list-profiles|get-iam-policy|ls)$/;

/** Records what a cloud command deletes, sends or changes. */
export function cloud(use: ParsedArgs, out: Findings): void {
  checkUnknownOptions(use, out);
  const shows = use.operands.slice(1, 4).some(({ word }) => SHOWS.test(word.text ?? ""));
  for (const { at, word } of use.operands.slice(0, 4)) {
    const name = word.text ?? "";
    if (DELETES.test(name)) hazard(out, at, "delete");
    else if (SENDS.test(name)) hazard(out, at, "send");
    else if (CHANGES.test(name) && !(shows && /^(?:config|configure|run|build|deploy)$/.test(name)))
      hazard(out, at, "configure");
  }
  const values = [
    ...use.operands,
    // A rule has to spell out a value in a separate word.
    ...use.options.flatMap(({ at, value }) =>
      value === undefined ? [] : [{ at: out.argv[at + 1] === value ? at + 1 : at, word: value }],
    ),
  ];
  for (const { at, word } of values) {
    const start = prefix(word);
    const local = /^fileb?:\/\//.exec(start);
    if (local !== null) {
      hazard(out, at, "send");
      file(out, "read", after(word, local[0].length));
    } else if (use.operands.some((operand) => operand.at === at) && /^[./~]|\.\w+$/.test(start))
      both(out, word);
  }
  // `aws s3 cp a s3://b`, `gsutil cp`, `gcloud storage cp`
  const copies = use.operands.findIndex(({ word }) =>
    /^(?:cp|mv|rsync|sync|scp)$/.test(word.text ?? ""),
  );
  for (const { word } of copies < 0 ? [] : use.operands.slice(copies + 1)) {
    if (/^\w+:/.test(prefix(word))) continue;
    file(out, "read", word, { below: true });
    file(out, "write", word, { below: true });
  }
  recordArgumentsOfScript(
    out,
    out.argv.findIndex(({ text }) => text === "--") + 1 || out.argv.length,
  );
}

function both(out: Findings, word: Word): void {
  file(out, "read", word);
  file(out, "write", word);
}

// Operations that return a body take an output file as an operand.
const BODIES =
  /^(?:get-object(?:-torrent)?|get-(?:export|sdk|media|clip|job-output)|invoke(?:-.*)?|synthesize-speech|select-object-content)$/;

function aws(use: ParsedArgs, out: Findings): void {
  cloud(use, out);
  if (!use.operands.slice(1, 2).some(({ word }) => BODIES.test(word.text ?? ""))) return;
  const values = new Set(use.unknownOptions.map(({ at }) => at + 1));
  for (const { at, word } of use.operands.slice(2)) {
    if (values.has(at)) continue;
    hazard(out, at, "write");
    file(out, "write", word);
  }
}

// Some commands read the file of `-f`, others write it.
function az(use: ParsedArgs, out: Findings): void {
  cloud(use, out);
  const writes = use.operands.find(({ word }) =>
    /^(?:download|download-batch|export|backup|get-credentials|restore)$/.test(word.text ?? ""),
  );
  if (writes !== undefined) hazard(out, writes.at, "write");
  for (const name of ["file", "destination"])
    for (const used of optionsNamed(use, name)) both(out, valueOf(used));
  if (use.operands[0]?.word.text === "interactive")
    unknown(out, "inline_code", "input of `az interactive`");
  for (const used of optionsNamed(use, "url"))
    for (const host of hostsOf(valueOf(used))) network(out, host);
}

const AWS = options`${CLOUD} --no-cli-auto-prompt --dry-run --dryrun ${kind.load} --ca-bundle ${kind.value} --cli-binary-format
  --cli-read-timeout --cli-connect-timeout --starting-token --user-data --bucket --key --function-name --payload
  ${kind.flagThat("configure")} --no-verify-ssl ${kind.optional} --generate-cli-skeleton ${kind.write} --outfile
  ${kind.takes("read", "send")} --body --template-file ${kind.valueThat("run")} --command ${kind.flag} --cli-auto-prompt`;

const AZ = options`${CLOUD} --yes,-y ${kind.value} -o,--output -f,--file -d,--destination --parameters --method
  ${kind.takes("read", "send")} --custom-data --template-file ${kind.valueThat("send")} --url --uri,--url --body ${kind.valueThat("run")}
  --scripts --command`;

const HELM_VERBS =
  /^(?:completion|create|dependency|dep|dependencies|env|get|help|history|install|lint|list|ls|package|plugin|pull|fetch|push|registry|repo|rollback|search|show|inspect|status|template|test|uninstall|delete|del|un|upgrade|verify|version)$/;

function helm(use: ParsedArgs, out: Findings): void {
  cloud(use, out);
  const [first, second, third] = use.operands;
  const name = first?.word.text;
  if (first === undefined || name === undefined) return;
  // An unknown command is a plugin.
  if (!HELM_VERBS.test(name)) hazard(out, first.at, "run");
  if (
    name === "plugin" &&
    second !== undefined &&
    /^(?:install|update|uninstall)$/.test(second.word.text ?? "")
  )
    hazard(out, second.at, "load");
  if (name === "repo" && third !== undefined)
    for (const { word } of use.operands.slice(3))
      for (const host of hostsOf(word)) network(out, host);
  if (name === "test") hazard(out, first.at, "configure");
  if (/^(?:pull|fetch|package)$/.test(name) && !hasOption(use, "destination")) {
    hazard(out, first.at, "write");
    file(out, "write", known("."));
  }
  if (name === "create" && second !== undefined) file(out, "write", second.word, { below: true });
  if (name.startsWith("dep") && /^(?:update|up|build)$/.test(second?.word.text ?? "")) {
    hazard(out, second?.at ?? first.at, "write");
    file(out, "write", third?.word ?? known("."), { below: true });
  }
  for (const used of optionsNamed(use, "set-file")) {
    const value = valueOf(used);
    file(out, "read", after(value, prefix(value).indexOf("=") + 1));
  }
  for (const used of optionsNamed(use, "values"))
    if (/^\w+:\/\//.test(prefix(valueOf(used))))
      for (const host of hostsOf(valueOf(used))) network(out, host);
}

function terraform(use: ParsedArgs, out: Findings): void {
  checkUnknownOptions(use, out);
  // `terragrunt run-all apply`
  const [first, second, third] = /^run(?:-all)?$/.test(use.operands[0]?.word.text ?? "")
    ? use.operands.slice(1)
    : use.operands;
  const name = first?.word.text ?? "";
  if (first === undefined) return;
  if (
    /^(?:init|apply|destroy|refresh|plan|import|get|login|providers|cloud|test|up|preview|run-all|run)$/.test(
      name,
    )
  )
    network(out, undefined);
  if (/^(?:destroy|down)$/.test(name)) hazard(out, first.at, "delete");
  else if (/^(?:init|get)$/.test(name)) hazard(out, first.at, "load");
  else if (/^(?:apply|import|refresh|taint|untaint|login|logout|force-unlock|test|up)$/.test(name))
    hazard(out, first.at, "configure");
  else if (
    second !== undefined &&
    /^(?:rm|mv|push|replace-provider|delete|new|select|init|set)$/.test(second.word.text ?? "")
  )
    hazard(out, second.at, "configure");
  if (name === "console") inlineCode(out, first.at, "expressions in the input of `console`");
  if (/^(?:apply|show)$/.test(name) && second !== undefined) file(out, "read", second.word);
  if (name === "state" && second?.word.text === "push" && third !== undefined)
    file(out, "read", third.word);
  if (name === "providers" && second?.word.text === "mirror") {
    hazard(out, second.at, "write");
    if (third !== undefined) file(out, "write", third.word, { below: true });
  }
  if (name === "providers" && second?.word.text === "lock") hazard(out, second.at, "write");
  if (name === "fmt")
    file(
      out,
      hasOption(use, "check diff") ? "read" : "write",
      second?.word ?? known("."),
      FORMATTED,
    );
}

const TERRAFORM: Spec = {
  options: options`-json -no-color -refresh-only -detailed-exitcode -compact-warnings -upgrade -recursive -check -diff -raw -draw-cycles
    -help -version --help --version ${kind.write} -out -state -state-out -backup -backup-out -generate-config-out -junit-xml ${kind.value}
    -var -target -replace -backend -lock -lock-timeout -input -refresh -parallelism -list -write -lockfile -get -platform -filter
    -cloud-run -plan -type ${kind.takes("read", "load")} -var-file ${kind.takes("dir", "load")} -chdir ${kind.flagThat("delete")} -destroy
    -force-copy -force ${kind.flagThat("configure")} -auto-approve -reconfigure -migrate-state ${kind.load} -plugin-dir -fs-mirror
    ${kind.valueThat("load")} -backend-config -from-module -net-mirror ${kind.read} -test-directory`,
  inert: "help version",
  more: terraform,
};

// Tools that run programs named in project settings.
function stack(use: ParsedArgs, out: Findings): void {
  const [first, second] = use.operands;
  network(out, undefined);
  checkUnknownOptions(use, out);
  for (const operand of [first, second]) {
    const name = operand?.word.text ?? "";
    if (operand === undefined) continue;
    if (/^(?:destroy|down|rm|delete)$/.test(name)) hazard(out, operand.at, "delete");
    else if (
      /^(?:up|update|apply|refresh|import|cancel|set|rename|login|logout|new|install|init|exec)$/.test(
        name,
      )
    )
      hazard(out, operand.at, "configure");
  }
}

/** Cloud and infrastructure tools. A command that changes something is a hazard by its verb; options only select its target. */
export const CLOUDS: Readonly<Record<string, Spec>> = {
  aws: { options: AWS, exact: true, prints: true, network: true, more: aws },
  az: { options: AZ, prints: true, network: true, more: az },
  gsutil: { options: CLOUD, prints: true, network: true, more: cloud },
  helm: {
    options: options`${CLOUD} -a -A,--all-namespaces --wait --atomic --devel --sign --reset-values --reuse-values --create-namespace
      --generate-name --is-upgrade --validate --include-crds -s --no-hooks --skip-crds -h,--help ${kind.takes("read", "load")} -f,--values
      ${kind.value} -o,--output --set-json --set-literal --post-renderer-args --kube-token --kube-as-user --kube-as-group
      --kube-tls-server-name -l,--selector --timeout --burst-limit --qps --username --password --version --description --max
      --api-versions --show-only --kube-version ${kind.valueThat("send")} --set-file ${kind.script} --post-renderer
      ${kind.takes("url", "configure")} --kube-apiserver --repo ${kind.read} --kube-ca-file --keyring --cert-file --key-file --ca-file
      ${kind.flagThat("configure")} --kube-insecure-skip-tls-verify --install ${kind.load} --repository-config --registry-config --plugins
      ${kind.write} --repository-cache --content-cache -d,--destination --output-dir --untardir ${kind.flagThat("write")} --untar
      ${kind.optional} --dry-run ${kind.value} --key`,
    network: true,
    inert: "help",
    more: helm,
  },
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  terragrunt: { ...TERRAFORM, carries: true },
  pulumi: {
    options: options`--logtostderr -e,--emoji -j,--json --diff --show-secrets -h,--help --version ${kind.takes("dir", "load")} -C,--cwd
      ${kind.value} -s,--stack --secrets-provider -v --color -t,--target ${kind.flagThat("configure")} -y,--yes
      ${kind.valueThat("configure")} --config ${kind.load} --config-file --policy-pack ${kind.read} --plan ${kind.write} --save-plan
      --file`,
    inert: "help version",
    more: stack,
  },
  ...ANSIBLE_TOOLS,
};
