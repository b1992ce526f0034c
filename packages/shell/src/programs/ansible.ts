import type { Word } from "../analysis.ts";
import { checkUnknownOptions } from "./checkers.ts";
import { file, hazard, unknown, type Findings } from "./findings.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, prefix } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

// An executable vault password file or inventory is run.
const ANSIBLE = options`-b,--become -k,--ask-pass -K,--ask-become-pass -J,--ask-vault-pass -C,--check -D,--diff --syntax-check
  -o,--one-line -v,-vv,-vvv,-vvvv,--verbose -h,--help --version ${kind.value} -i,--inventory,--inventory-file -u,--user -c,--connection
  -T,--timeout --become-user --become-method -f,--forks -l,--limit -t,--tags,--tree --skip-tags --start-at-task
  ${kind.takes("load", "run")} --vault-password-file,--vault-pass-file --become-password-file,--become-pass-file
  --connection-password-file,--conn-pass-file ${kind.valueThat("load")} --vault-id ${kind.valueThat("configure")} -e,--extra-vars
  --ssh-common-args --ssh-extra-args --sftp-extra-args --scp-extra-args ${kind.load} -M,--module-path --playbook-dir ${kind.read}
  --private-key,--key-file ${kind.flag} --step --list-hosts --list-tasks --list-tags --flush-cache --force-handlers`;

const VAULT = options`${ANSIBLE} -p,--prompt ${kind.write} --output ${kind.value} --encrypt-vault-id --new-vault-id -n,--name
  ${kind.takes("load", "run")} --new-vault-password-file`;

// An inventory, a list of hosts, or a file after `@`.
function ansible(use: ParsedArgs, out: Findings): void {
  checkUnknownOptions(use, out);
  for (const used of optionsNamed(use, "inventory-file")) {
    if (prefix(valueOf(used)).includes(",")) continue;
    hazard(out, used.at, "load");
    executed(out, valueOf(used));
  }
  for (const used of optionsNamed(use, "extra-vars"))
    if (prefix(valueOf(used)).startsWith("@")) file(out, "read", after(valueOf(used), 1));
}

function executed(out: Findings, word: Word): void {
  file(out, "read", word);
  file(out, "execute", word);
}

const ONLY_LISTS = "syntax-check list-hosts list-tasks list-tags";

const GALAXY: Spec = {
  options: options`--no-deps --pre --offline -U,--upgrade -v -h,--help --version ${kind.takes("url", "configure")} -s,--server
    ${kind.value} --token,--api-key ${kind.write} -p,--roles-path,--collections-path --download-path --output-path
    ${kind.takes("read", "load")} -r,--role-file,--requirements-file --role-skeleton ${kind.flagThat("delete")} -f,--force
    --force-with-deps ${kind.flagThat("configure")} -c,--ignore-certs ${kind.write} --init-path`,
  network: true,
  inert: "help version",
  more: (use, out) => {
    checkUnknownOptions(use, out);
    for (const { at, word } of use.operands.slice(0, 2)) {
      if (/^(?:install|download|build|init|setup|import)$/.test(word.text ?? ""))
        hazard(out, at, "load");
      else if (/^(?:remove|delete)$/.test(word.text ?? "")) hazard(out, at, "delete");
      else if (word.text === "publish") hazard(out, at, "send");
    }
  },
};

export const ANSIBLE_TOOLS: Readonly<Record<string, Spec>> = {
  ansible: {
    options: options`${ANSIBLE} ${kind.script} -a,--args ${kind.value} -m,--module-name -B,--background -P,--poll ${kind.write} -t,--tree`,
    network: true,
    inert: "help version",
    more: ansible,
  },
  "ansible-playbook": {
    options: ANSIBLE,
    operands: [many("exec")],
    network: true,
    inert: "help version",
    more: (use, out) => {
      ansible(use, out);
      if (!hasOption(use, ONLY_LISTS))
        for (const { at } of use.operands.slice(0, 1)) hazard(out, at, "run");
    },
  },
  "ansible-vault": {
    options: VAULT,
    inert: "help version",
    more: ({ operands: [first, ...files], ...use }, out) => {
      ansible({ ...use, operands: [] }, out);
      const writes =
        first !== undefined &&
        /^(?:create|decrypt|encrypt|edit|rekey)$/.test(first.word.text ?? "");
      if (writes)
        hazard(
          out,
          first.at,
          first.word.text === "edit" || first.word.text === "create" ? "run" : "write",
        );
      for (const { word } of files) {
        file(out, "read", word);
        if (writes) file(out, "write", word);
      }
    },
  },
  "ansible-galaxy": GALAXY,
  "ansible-pull": {
    options: options`${ANSIBLE} --full -o --verify-commit ${kind.takes("url")} -U,--url ${kind.write} -d,--directory
      ${kind.flagThat("configure")} --accept-host-key ${kind.flagThat("delete")} --purge`,
    network: true,
    inert: "help version",
    more: (use, out) => {
      ansible(use, out);
      for (const { at } of optionsNamed(use, "url")) hazard(out, at, "run");
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
    options: options`${ANSIBLE} --list --graph -y,--yaml --toml --vars --export ${kind.value} --host ${kind.write} --output`,
    inert: "help version",
    more: ansible,
  },
  "ansible-doc": {
    options: options`${ANSIBLE} -l,--list -F,--list_files -s,--snippet -j,--json --metadata-dump ${kind.read} -r,--roles-path
      ${kind.value} -t,--type`,
    inert: "help version",
    more: checkUnknownOptions,
  },
};
