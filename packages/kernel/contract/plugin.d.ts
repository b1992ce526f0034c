import type { z } from "zod";
import type { EventType, Guard, Redactor, Sink } from "./event.d.ts";
import type { Json, JsonObject } from "./json.d.ts";
import type { Declared } from "./kernel.d.ts";
import type { Projection, View } from "./projection.d.ts";
import type { Subject, SubjectOf } from "./subject.d.ts";
import type { Answer, Effect, HookName } from "./verdict.d.ts";

/** Extras of a tap. */
export interface TapOptions<S extends Subject> {
  /** Says, rule by rule, why the tap answers as it does; for `explain`. */
  readonly explain?: (subject: S, view: View) => Json;
}

/** Where plugins tap. Taps are pure functions of the subject and the projections. */
export interface Hook<H extends HookName> {
  /** Taps with a function that answers at once. */
  tap(name: string, fn: (subject: SubjectOf<H>, view: View) => Answer, options?: TapOptions<SubjectOf<H>>): void;
  /** Taps with a function that answers later, and before the config's deadline. */
  tapPromise(name: string, fn: (subject: SubjectOf<H>, view: View) => Promise<Answer>, options?: TapOptions<SubjectOf<H>>): void;
}

/** The four hooks, as a plugin sees them. */
export type Hooks = { readonly [H in HookName]: Hook<H> };

/** What a plugin may do while it is applied; afterwards the kernel is sealed. */
export interface KernelApi {
  readonly hooks: Hooks;
  /** Declares a type of event that the plugin or its host records. */
  event(type: EventType): void;
  projection(projection: Projection<unknown>): void;
  guard(name: string, guard: Guard): void;
  sink(sink: Sink): void;
  /** Is applied to every event before any other part of a run sees it; one that throws keeps the event from being recorded. */
  redact(redactor: Redactor): void;
  /** Does once what is not pure (real paths, token claims) and stamps it on the subject as `facts[plugin]`. */
  prepare(name: string, prepare: (subject: Subject) => JsonObject | undefined | Promise<JsonObject | undefined>): void;
  /** What a tool call comes to when every tap abstains; the strictest of all holds. `grants` plugins only. */
  fallback(effect: Effect): void;
  /** Says whether a tool call only edits files inside the workspace, for approval mode autoEdit. `grants` plugins only. */
  editsWorkspace(test: (subject: Subject) => boolean): void;
  /** SHA-256 of what the plugin decides by, `sha256:…`: on every decision, and part of what an approval is bound to. */
  digest(sha256: string): void;
  /** Is asked once, when every plugin is applied, about what all of them declared; throws for what is missing. */
  onSeal(check: (declared: Declared) => void): void;
}

/** A rule inside a plugin that `without` may name. */
export interface NamedRule {
  readonly name: string;
  /** `without` does not drop it. */
  readonly final?: boolean;
}

/** One use of a plugin in a configuration. */
export interface PluginInstance<Options> {
  readonly options: Options;
  /** The config or ruleset that brought it. */
  readonly from: string;
  /** Absolute path of the config file, where there is one. Relative paths in options stand against its folder. */
  readonly configFile?: string;
  /** Names of rules that `without` dropped. */
  readonly dropped: ReadonlySet<string>;
}

/** A plugin with its options, ready for a configuration. Made by definePlugin or defineCheck. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly grants: boolean;
  readonly hard: boolean;
  readonly codes: ReadonlySet<string>;
  readonly options: unknown;
  /** What all uses of one definition share. */
  readonly definition: PluginDefinition;
}

/** The untyped side of a definition, for the kernel. */
export interface PluginDefinition {
  readonly pooled: boolean;
  readonly rules: (instance: PluginInstance<unknown>) => readonly NamedRule[];
  readonly apply: (kernel: KernelApi, instances: readonly PluginInstance<unknown>[]) => void;
}

export interface PluginCommon<Schema extends z.ZodType> {
  /** The package name. */
  readonly name: string;
  readonly version: string;
  /** Strict, described, defaulted; parsed when the config is read. */
  readonly options: Schema;
  /** May vote allow. Only for what operators alone can write. */
  readonly grants?: boolean;
  /** Its votes hold in every enforcement mode: tokens, authentication. */
  readonly hard?: boolean;
  /** The decision codes that its verdicts may carry, with what each means. */
  readonly codes?: Readonly<Record<string, string>>;
  /** The rules of one use, so that `without` can name them. */
  readonly rules?: (instance: PluginInstance<z.output<Schema>>) => readonly NamedRule[];
}

/** A plugin whose every use stands for itself. */
export interface SinglePlugin<Schema extends z.ZodType> extends PluginCommon<Schema> {
  /** Taps, declares, and returns nothing. */
  readonly apply: (kernel: KernelApi, options: z.output<Schema>, instance: PluginInstance<z.output<Schema>>) => void;
}

/** A plugin whose uses, from rulesets and the host, make one pool: one tap, one vote. */
export interface PooledPlugin<Schema extends z.ZodType> extends PluginCommon<Schema> {
  readonly applyPool: (kernel: KernelApi, instances: readonly PluginInstance<z.output<Schema>>[]) => void;
}

/** Makes a Plugin from options; also says what the plugin is, for tools. */
export interface PluginFactory<Schema extends z.ZodType> {
  (...options: undefined extends z.input<Schema> ? [options?: z.input<Schema>] : [options: z.input<Schema>]): Plugin;
  readonly plugin: PluginCommon<Schema>;
}
