import { dirname, resolve } from "node:path";
import { definePlugin, messageOf, type Transition, type Verdict, type View } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import type { CheckInput, Finding } from "./checks/check-input.ts";
import { CODES } from "./codes.ts";
import { compileGates, type Compiled } from "./compile.ts";
import { EVENT_TYPES } from "./events.ts";
import { gateProjection } from "./gate-projection.ts";
import { guardGates } from "./guards.ts";
import { judgeTransition } from "./judge.ts";
import { look } from "./look.ts";
import { gateOptions } from "./options.ts";
import type { Requirement } from "./edges.ts";

/**
 * Keeps a task in its phase until its gate passes: checks, observed test runs, reviewer reports and
 * approvals.
 */
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
    for (const type of EVENT_TYPES) kernel.event(type);
    kernel.projection(gateProjection);
    kernel.projection(compiled.record);
    guardGates(kernel, compiled);
    kernel.onSeal((declared) => compiled.bind(declared));
    kernel.prepare("workspace", (subject) =>
      subject.hook === "onTransition" ? look(subject, compiled, workspace) : undefined,
    );
    if (compiled.late)
      kernel.hooks.onTransition.tapPromise("gate", (request, view) =>
        judgeWithDeclared(request, view, compiled),
      );
    else
      kernel.hooks.onTransition.tap("gate", (request, view) =>
        judgeTransition(request, view, compiled),
      );
  },
});

// Conditions are asynchronous: the first pass collects what to evaluate, the second has the
// results.
async function judgeWithDeclared(
  request: Transition,
  view: View,
  compiled: Compiled,
): Promise<readonly Verdict[]> {
  const { task, from, to, agent = null, reason = null } = request;
  const asked = new Map<Requirement, Map<CheckInput["artifacts"], CheckInput>>();
  judgeTransition(request, view, compiled, (requirement, input) => {
    asked.set(
      requirement,
      (asked.get(requirement) ?? new Map<CheckInput["artifacts"], CheckInput>()).set(
        input.artifacts,
        input,
      ),
    );
    return [];
  });
  const answers = new Map<Requirement, Map<CheckInput["artifacts"], readonly Finding[]>>();
  for (const [requirement, inputs] of asked) {
    const given = new Map<CheckInput["artifacts"], readonly Finding[]>();
    for (const [artifacts, input] of inputs) {
      const about = { id: task, from: from ?? null, to, agent, reason };
      given.set(
        artifacts,
        requirement.declared === undefined
          ? nobody(requirement)
          : await requirement.declared.judge(input, about, view).catch(broken),
      );
    }
    answers.set(requirement, given);
  }
  return judgeTransition(
    request,
    view,
    compiled,
    (requirement, { artifacts }) => answers.get(requirement)?.get(artifacts) ?? nobody(requirement),
  );
}

const broken = (error: unknown): readonly Finding[] => [
  { kind: "broken", detail: messageOf(error), fix: "Fix the condition. Until then it denies" },
];

const nobody = ({ check }: Requirement): readonly Finding[] =>
  broken(new Error(`Nothing implements the check ${check.check}`));
