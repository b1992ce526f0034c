// Shows how a ruleset, or a policy next to it, decides labelled and real commands: `npm run bench:external -- DIR [--policy NAME]
// [--policy-file FILE] [--list EFFECT]`.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createKernel, type Effect, type Ruleset } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { callOf, type Case } from "./external-call.ts";

const EFFECTS = ["allow", "ask_user", "deny"] as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    policy: { type: "string", default: "recommended" },
    "policy-file": { type: "string" },
    list: { type: "string" },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("Name a folder of sets, or one set");
const loaded = (await import(`@bylaw/ruleset-${values.policy}`)) as Record<string, Ruleset>;
const beside = values["policy-file"];
const kernel = createKernel({
  extends: Object.values(loaded),
  plugins:
    beside === undefined
      ? []
      : [policy({ files: [resolve(beside)], operator: true, discover: "none" })],
});

// SWE-agent's tools without a common counterpart. They are no shell commands, so they are counted apart.
const NO_COMMAND = /^(submit|connect_\w+|decompile|disassemble|set_cursors|goto|scroll_\w+)\b/;

function labelOf({ label, command }: Case, set: string): string {
  const own = set === "swe-agent-actions" && NO_COMMAND.test(command ?? "");
  return `${label ?? "none"}${own ? ", no command" : ""}`;
}

async function measure(file: string): Promise<void> {
  const set = basename(dirname(file));
  const effects: Record<string, Effect[]> = {};
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const one = JSON.parse(line) as Case;
    // A few cases of a set call other tools, and the set does not hold their arguments.
    if (one.command === null) continue;
    const { effect, rule, code } = await kernel.decide(callOf(one, set));
    (effects[labelOf(one, set)] ??= []).push(effect);
    if (effect === values.list)
      console.log([one.label, one.class ?? "", rule?.name ?? code, one.command].join("\t"));
  }
  for (const [label, all] of Object.entries(effects)) {
    const share = (wanted: Effect): string => {
      const count = all.filter((effect) => effect === wanted).length;
      return `${wanted} ${count} (${((100 * count) / all.length).toFixed(1)} %)`;
    };
    console.log([set, label, all.length, ...EFFECTS.map(share)].join("\t"));
  }
}

const files = globSync(["cases.jsonl", "*/cases.jsonl"], { cwd: folder }).sort();
if (files.length === 0) throw new Error(`No cases.jsonl in ${folder} or one folder below`);
for (const file of files) await measure(resolve(folder, file));
