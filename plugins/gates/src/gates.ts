import { dirname, resolve } from "node:path";
import { testRunDetails } from "@bylaw/evidence";
import { definePlugin, messageOf, type Transition, type Verdict, type View } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import type { CheckInput, Finding } from "./checks/check-input.ts";
import { CODES } from "./codes.ts";
import { compileGates, type Compiled } from "./compile.ts";
import { declareEvents } from "./events.ts";
import { gateBook } from "./gate-book.ts";
import { guardGates } from "./guards.ts";
import { judgeTransition } from "./judge.ts";
import { look } from "./look.ts";
import { gateOptions } from "./options.ts";
import type { Demand } from "./ways.ts";

/** Keeps a task in its phase until the gate passes: checks, observed test runs, reports of reviewers, approvals. */
export const gates = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: gateOptions,
  codes: CODES,
  apply(kernel, options, { configFile }) {
    const folder = configFile === undefined ? process.cwd() : dirname(configFile);
    const compiled = compileGates(options, folder);
    const workspace = resolve(folder, options.workspace ?? ".");
    for (const digest of compiled.digests) kernel.digest(digest);
    kernel.event({ name: "test_run", details: testRunDetails });
    declareEvents(kernel);
    kernel.projection(gateBook);
    kernel.projection(compiled.record);
    guardGates(kernel, compiled);
    kernel.onSeal((declared) => compiled.bind(declared));
    kernel.prepare("workspace", (subject) => (subject.hook === "onTransition" ? look(subject, compiled, workspace) : undefined));
    if (compiled.late) kernel.hooks.onTransition.tapPromise("gate", (request, view) => judgeLate(request, view, compiled));
    else kernel.hooks.onTransition.tap("gate", (request, view) => judgeTransition(request, view, compiled));
  },
});

// Conditions answer later: the first time it is found out what has to be asked, the second time the answers are there.
async function judgeLate(request: Transition, view: View, compiled: Compiled): Promise<readonly Verdict[]> {
  const { task, from, to, agent = null, reason = null } = request;
  const asked = new Map<Demand, Map<CheckInput["artifacts"], CheckInput>>();
  judgeTransition(request, view, compiled, (demand, input) => {
    asked.set(demand, (asked.get(demand) ?? new Map<CheckInput["artifacts"], CheckInput>()).set(input.artifacts, input));
    return [];
  });
  const answers = new Map<Demand, Map<CheckInput["artifacts"], readonly Finding[]>>();
  for (const [demand, inputs] of asked) {
    const given = new Map<CheckInput["artifacts"], readonly Finding[]>();
    for (const [artifacts, input] of inputs) {
      const about = { id: task, from: from ?? null, to, agent, reason };
      given.set(artifacts, demand.declared === undefined ? nobody(demand) : await demand.declared.judge(input, about, view).catch(broken));
    }
    answers.set(demand, given);
  }
  return judgeTransition(request, view, compiled, (demand, { artifacts }) => answers.get(demand)?.get(artifacts) ?? nobody(demand));
}

const broken = (error: unknown): readonly Finding[] => [
  { kind: "broken", detail: messageOf(error), fix: "mend the condition; until then it denies" },
];

const nobody = ({ check }: Demand): readonly Finding[] =>
  broken(new Error(`Unexpected question of check ${check.check}, expected one that something implements`));
