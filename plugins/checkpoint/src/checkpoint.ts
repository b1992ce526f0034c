import { allow, definePlugin, deny, type Guard, type Verdict, type View } from "@bylaw/kernel";
import type { EventType, Finding } from "@bylaw/log";
import { isBlank } from "@bylaw/wording";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { openCheckpoints, pauseOf } from "./paused.ts";

const CODES = {
  checkpoint_paused: "the work is paused until a person resumes it",
  checkpoint_step: "the step may not pause its workflow",
} as const;

const resumed = z.strictObject({
  checkpoint: z.int().min(1),
  by: z
    .string()
    .min(1)
    .refine((text) => !isBlank(text), "must not be blank"),
  definition: z.string().nullable(),
  migrated: z.boolean(),
});

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = [{ name: "checkpoint_resumed", details: resumed }];

/** Lets a step pause its workflow. During the pause no tool runs, no phase changes and no request is granted, until a person ends it. */
export const checkpoint = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      steps: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe("The steps that may pause. Default: any step"),
    })
    .prefault({}),
  grants: true,
  codes: CODES,
  apply(kernel, { steps }) {
    for (const type of EVENT_TYPES) kernel.event(type);
    kernel.projection(openCheckpoints);
    kernel.guard("resume", resumesOnce);
    kernel.hooks.onBehavior.tap(
      "checkpoint",
      ({ action, step, task, agent, reason, host }, view) => {
        // A paused agent may stop, and may request nothing else.
        const held = action === "stop" ? undefined : paused(view, { task, agent });
        if (held !== undefined || action !== "checkpoint") return held;
        if (steps !== undefined && (step === undefined || !steps.includes(step)))
          return deny("This step may not pause at a checkpoint", "Go on, or ask a person", {
            code: "checkpoint_step",
          });
        const definition = host?.["definition"];
        return allow(`The workflow is paused${reason === undefined ? "" : `: ${reason}`}`, {
          directive: {
            action: "checkpoint",
            definition: typeof definition === "string" ? definition : null,
          },
        });
      },
    );
    kernel.hooks.beforeToolCall.tap("paused", (call, view) => paused(view, call));
    kernel.hooks.onTransition.tap("paused", (request, view) => paused(view, request));
  },
});

function paused(view: View, who: Parameters<typeof pauseOf>[1]): Verdict | undefined {
  const open = pauseOf(view, who);
  if (open === undefined) return undefined;
  const why = open.reason === null ? "" : `: ${open.reason.slice(0, 200)}`;
  return deny(
    `The run is paused at checkpoint ${open.checkpoint} until a person resumes it${why}`,
    "Wait until a person ends the pause",
    { code: "checkpoint_paused" },
  );
}

// The agent that asked for a person cannot be that person.
const resumesOnce: Guard = (
  view,
  { event_type, details: { checkpoint: named, by } },
): Finding | undefined => {
  if (event_type !== "checkpoint_resumed") return undefined;
  const open = view(openCheckpoints).find((one) => one.checkpoint === named);
  if (open === undefined)
    return { rule: "CHECKPOINT_NOT_OPEN", message: `Checkpoint ${String(named)} is not open` };
  if (open.agent !== null && sameName(open.agent, String(by)))
    return {
      rule: "CHECKPOINT_BY_ITSELF",
      message: "The agent that asked for a pause cannot end it",
    };
  return undefined;
};

const sameName = (left: string, right: string): boolean => fold(left) === fold(right);
const fold = (name: string): string => name.normalize("NFKC").trim().toLowerCase();
