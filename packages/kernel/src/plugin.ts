import { describeIssues } from "@bylaw/wording";
import type { z } from "zod";
import { checkArgument } from "./check-argument.ts";
import type { EnforcementMode } from "./decision.ts";
import type { Declared, Guard, Redactor, Sink } from "./declared.ts";
import { BylawError } from "./errors.ts";
import type { EventType } from "./event.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Projection, View } from "./projection.ts";
import type { ApprovalMode, Subject, SubjectOf, ToolCall } from "./subject.ts";
import type { Answer, Effect, HookName } from "./verdict.ts";

/** Extras of a tap. */
export interface TapOptions<S extends Subject> {
  /** Says, rule by rule, why the tap answers as it does; for `explain`. */
  readonly explain?: (subject: S, view: View) => Json;
}

type TapArguments<S extends Subject, A> = [
  name: string,
  fn: (subject: S, view: View) => A,
  options?: TapOptions<S>,
];

/** Where plugins tap. Taps are pure functions of the subject and the projections. */
export interface Hook<H extends HookName> {
  /** Taps with a function that answers at once. */
  tap(...tap: TapArguments<SubjectOf<H>, Answer>): void;
  /** Taps with a function that answers later, and before the config's deadline. */
  tapPromise(...tap: TapArguments<SubjectOf<H>, Promise<Answer>>): void;
}

/** The four hooks, as a plugin sees them. */
export type Hooks = { readonly [H in HookName]: Hook<H> };

/** Finds the facts of a subject. */
export type Prepare = (subject: Subject) => Facts | Promise<Facts>;
type Facts = JsonObject | undefined;

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
  prepare(name: string, prepare: Prepare): void;
  /** What a tool call comes to when every tap abstains; the strictest of all holds. `grants` plugins only. */
  fallback(effect: Effect): void;
  /** Says why no rule of the plugin covers a call: the reason of a fallback. It is asked when that reason is read. */
  unmatched(reason: (call: ToolCall) => string | undefined): void;
  /**
   * Says which calls an approval mode lets through when nobody voted and a person would be asked. In mode `yolo`, which lets every call
   * through by itself, all tests must hold. `grants` plugins only.
   */
  letThrough(mode: ApprovalMode, test: (call: ToolCall) => boolean): void;
  /** The enforcement mode set by the plugin's files. A config that names another mode is refused. `grants` plugins only. */
  enforcementMode(mode: EnforcementMode): void;
  /** SHA-256 of what the plugin decides by, `sha256:…`: on every decision, and part of what an approval is bound to. */
  digest(sha256: string): void;
  /** Is asked once, when every plugin is applied, about what all of them declared; throws for what is missing. */
  onSeal(check: (declared: Declared) => void): void;
}

/** A rule inside a plugin that `without` may name. */
export interface NamedRule {
  readonly name: string;
  /** `without` cannot exclude it. */
  readonly final?: boolean;
}

/** One use of a plugin in a configuration. */
export interface PluginInstance<Options> {
  readonly options: Options;
  /** The config or ruleset that brought it. */
  readonly from: string;
  /** Absolute path of the config file, where there is one. Relative paths in options stand against its folder. */
  readonly configFile?: string;
  /** Names of the rules that `without` excludes. */
  readonly excludedRules: ReadonlySet<string>;
}

/** A plugin with its options, ready for a configuration. Made by definePlugin or defineCheck. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly grants: boolean;
  readonly neverSoftened: boolean | readonly string[];
  readonly codes: ReadonlySet<string>;
  readonly options: unknown;
  /** What all uses of one definition share. */
  readonly definition: PluginDefinition;
}

/** The untyped side of a definition, for the kernel. */
export interface PluginDefinition {
  /** Applied once for all uses. */
  readonly shared: boolean;
  readonly rules: (instance: PluginInstance<unknown>) => readonly NamedRule[];
  readonly apply: (kernel: KernelApi, instances: readonly PluginInstance<unknown>[]) => void;
}

type Use<Schema extends z.ZodType> = PluginInstance<z.output<Schema>>;

export interface PluginCommon<Schema extends z.ZodType> {
  /** The package name. */
  readonly name: string;
  readonly version: string;
  /** Strict, described, defaulted; parsed when the config is read. */
  readonly options: Schema;
  /** May vote allow. Only for what operators alone can write. */
  readonly grants?: boolean;
  /** Its votes hold in every enforcement mode: tokens, authentication. A list: only those with one of these codes. */
  readonly neverSoftened?: boolean | readonly string[];
  /** The decision codes that its verdicts may carry, with what each means. */
  readonly codes?: Readonly<Record<string, string>>;
  /** The rules of one use, so that `without` can name them. */
  readonly rules?: (instance: Use<Schema>) => readonly NamedRule[];
}

/** A plugin that is applied once for each use. */
export interface SinglePlugin<Schema extends z.ZodType> extends PluginCommon<Schema> {
  /** Taps, declares, and returns nothing. */
  readonly apply: (kernel: KernelApi, options: z.output<Schema>, instance: Use<Schema>) => void;
}

/** A plugin that is applied once for all its uses, from rulesets and the host: one tap, one vote. */
export interface SharedPlugin<Schema extends z.ZodType> extends PluginCommon<Schema> {
  readonly applyAll: (kernel: KernelApi, instances: readonly Use<Schema>[]) => void;
}

/** Makes a Plugin from options; also says what the plugin is, for tools. */
export interface PluginFactory<Schema extends z.ZodType> {
  (
    ...options: undefined extends z.input<Schema>
      ? [options?: z.input<Schema>]
      : [options: z.input<Schema>]
  ): Plugin;
  readonly plugin: PluginCommon<Schema>;
}

// Set by a loader that looks for all faults of a configuration, which may have its own copy of this package. A plugin is then made
// all the same, and throws when it is applied.
const NOTE_FAULT = Symbol.for("@bylaw/kernel/note-option-fault");

/** Defines a plugin. The result takes options and throws BYLAW_OPTIONS_INVALID for those that the schema refuses. */
export function definePlugin<Schema extends z.ZodType>(
  plugin: SinglePlugin<Schema> | SharedPlugin<Schema>,
): PluginFactory<Schema> {
  checkArgument("definePlugin", "a plugin", plugin, { code: "BYLAW_PLUGIN_INVALID" });
  const { name, version, grants = false, neverSoftened = false } = plugin;
  const codes = new Set(Object.keys(plugin.codes ?? {}));
  const definition = definitionOf(plugin);
  const create = (given?: unknown): Plugin => {
    // zod takes a Map or a promise for an object without fields.
    if (typeof given === "object" && !Array.isArray(given) && given !== null)
      checkArgument(name, "its options", given);
    const { data: options, error } = plugin.options.safeParse(given);
    if (error === undefined)
      return Object.freeze({ name, version, grants, neverSoftened, codes, options, definition });
    const fault = new BylawError({
      code: "BYLAW_OPTIONS_INVALID",
      message: `Options of ${name}: ${describeIssues(error, "the options")}`,
      fix: `see the options table in the README of ${name}`,
    });
    const note = (globalThis as { [NOTE_FAULT]?: (fault: BylawError) => void })[NOTE_FAULT];
    if (note === undefined) throw fault;
    note(fault);
    const refuse = (): never => {
      throw fault;
    };
    const refused = { ...definition, rules: refuse, apply: refuse };
    return { name, version, grants, neverSoftened, codes, options: undefined, definition: refused };
  };
  return Object.assign(create, { plugin }) as PluginFactory<Schema>;
}

function definitionOf<Schema extends z.ZodType>(
  plugin: SinglePlugin<Schema> | SharedPlugin<Schema>,
): PluginDefinition {
  return {
    shared: "applyAll" in plugin,
    rules: (instance) => plugin.rules?.(instance as Use<Schema>) ?? [],
    apply(kernel, instances) {
      const uses = instances as readonly Use<Schema>[];
      const results: readonly unknown[] =
        "applyAll" in plugin
          ? [plugin.applyAll(kernel, uses)]
          : uses.map((instance) => plugin.apply(kernel, instance.options, instance));
      if (!results.some((result) => result instanceof Promise)) return;
      const message = `\`apply\` of ${plugin.name} must tap at once and return nothing, not a promise`;
      throw new BylawError({ code: "BYLAW_PLUGIN_INVALID", message });
    },
  };
}

/** Tells a plugin from any other value. */
export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === "object" && value !== null && "definition" in value && "grants" in value;
