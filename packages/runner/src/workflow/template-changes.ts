import { quote } from "@bylaw/wording";
import type { Template } from "../template/template.ts";

/** Describes the differences between two versions of a template, one line each, in the order of the template. Pure. */
export function templateChanges(before: Template, now: Template): readonly string[] {
  const old = new Map(before.steps.map((step, index) => [step.id, { step, index }]));
  const ids = new Set(now.steps.map(({ id }) => id));
  const order = now.steps.flatMap(({ id }) => old.get(id)?.index ?? []);
  const lines: string[] = [];
  for (const { id } of before.steps) if (!ids.has(id)) lines.push(`step ${quote(id)} is gone`);
  let last = -1;
  for (const step of now.steps) {
    const was = old.get(step.id);
    if (was === undefined) {
      lines.push(`step ${quote(step.id)} is new`);
      continue;
    }
    if (was.index < last) lines.push(`step ${quote(step.id)} has moved`);
    last = Math.max(last, was.index);
    const keys = differing(was.step, step);
    if (keys.length > 0) lines.push(`step ${quote(step.id)}: ${keys.join(", ")}`);
  }
  if (order.length === 0) lines.push("no step is the same");
  for (const id of new Set([...Object.keys(before.agents), ...Object.keys(now.agents)])) {
    const [was, is] = [before.agents[id], now.agents[id]];
    if (was === undefined || is === undefined)
      lines.push(`agent ${quote(id)} is ${is === undefined ? "gone" : "new"}`);
    else if (differing(was, is).length > 0)
      lines.push(`agent ${quote(id)}: ${differing(was, is).join(", ")}`);
  }
  for (const key of [
    "name",
    "description",
    "dialect",
    "compat",
    "tracks",
    "choices",
    "oversight",
  ] as const)
    if (JSON.stringify(before[key]) !== JSON.stringify(now[key])) lines.push(key);
  return lines;
}

function differing(before: object, now: object): readonly string[] {
  const [old, fresh] = [before, now] as readonly Readonly<Record<string, unknown>>[];
  return Object.keys(now).filter(
    (key) => JSON.stringify(old?.[key]) !== JSON.stringify(fresh?.[key]),
  );
}
