import { checkArgument, isPlugin, type Effect, type EventDraft, type Plugin } from "@bylaw/kernel";
import type { SubjectSketch } from "./subjects.ts";

/** Something that is on record before a subject is asked about; what is left out is null, or a time of its own. */
export type PastEvent = Pick<EventDraft, "event_type" | "details"> &
  Partial<Pick<EventDraft, "agent_id" | "task_id" | "timestamp">>;

/** One case of a plugin: at once its test and a line of its README. */
export interface Example<Options = unknown> {
  /** A sentence: "asks before a call that says `password`". */
  readonly name: string;
  /** Options of the plugin in this case. Left out: its defaults. */
  readonly options?: Options;
  /** What has happened before, oldest first. Left out: nothing is recorded. */
  readonly before?: readonly PastEvent[];
  /** What is asked about; what is left out comes from the builder of the hook. */
  readonly subject: SubjectSketch;
  /** What the plugin's votes alone come to. `abstain`: no vote that counts. */
  readonly expect: Effect | "abstain";
  /** The code of one of the strictest votes. */
  readonly code?: string;
  /** The name of the rule behind one of the strictest votes. */
  readonly rule?: string;
  /** The tap that gave one of the strictest votes. */
  readonly tap?: string;
}

/** The examples of one plugin, with the way to make it. */
export interface ExampleSet {
  /** The name of the plugin. */
  readonly plugin: string;
  /** Throws BYLAW_OPTIONS_INVALID for options that the plugin refuses. */
  readonly create: (options?: unknown) => Plugin;
  readonly examples: readonly Example[];
}

/** What {@link defineExamples} makes plugins from; the factories of `definePlugin` fit. */
export interface ExampleFactory {
  (...options: never[]): Plugin;
  readonly plugin: { readonly name: string };
}

/** The options that a plugin or factory takes. */
export type OptionsOf<Source> = Source extends (...options: infer Options) => Plugin
  ? Options[0]
  : undefined;

/** Ties examples to a plugin that takes options (`definePlugin`) or to one that takes none (`defineCheck`). */
export function defineExamples<Source extends Plugin | ExampleFactory>(
  source: Source,
  examples: readonly Example<OptionsOf<Source>>[],
): ExampleSet {
  checkArgument("defineExamples", "a plugin", source, {
    fits: (value) => typeof value === "function" || isPlugin(value),
  });
  checkArgument("defineExamples", "a list of examples", examples, { fits: Array.isArray });
  if (typeof source !== "function") return { plugin: source.name, create: () => source, examples };
  const create = source as unknown as (options?: unknown) => Plugin;
  return { plugin: source.plugin.name, create, examples };
}
