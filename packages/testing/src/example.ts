import { checkArgument, isPlugin, type Effect, type EventDraft, type Plugin } from "@bylaw/kernel";
import type { SubjectSketch } from "./subjects.ts";

/** An event that is recorded before a subject is asked about. Missing fields are null, and the time gets a default. */
export type PastEvent = Pick<EventDraft, "event_type" | "details"> &
  Partial<Pick<EventDraft, "agent_id" | "task_id" | "timestamp">>;

/** One case of a plugin. It is both a test and a line of the README. */
export interface Example<Options = unknown> {
  /** A sentence: "asks before a call that says `password`". */
  readonly name: string;
  /** The options of the plugin in this case. Default: the plugin's defaults. */
  readonly options?: Options;
  /** Earlier events, oldest first. Default: none. */
  readonly before?: readonly PastEvent[];
  /** The subject. Missing fields come from the builder of its hook. */
  readonly subject: SubjectSketch;
  /** The result of the plugin's votes alone. `abstain`: no vote counts. */
  readonly expect: Effect | "abstain";
  /** The code of one of the strictest votes. */
  readonly code?: string;
  /** The name of the rule behind one of the strictest votes. */
  readonly rule?: string;
  /** The tap that gave one of the strictest votes. */
  readonly tap?: string;
}

/** The examples of one plugin, with a function that creates the plugin. */
export interface ExampleSet {
  /** The name of the plugin. */
  readonly plugin: string;
  /** Creates the plugin. Throws BYLAW_OPTIONS_INVALID for options that it refuses. */
  readonly create: (options?: unknown) => Plugin;
  readonly examples: readonly Example[];
}

/** A function with which {@link defineExamples} creates plugins; the factories of `definePlugin` fit. */
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
