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

/** The optional settings of a tap. */
export interface TapOptions<S extends Subject> {
  /** Explains, rule by rule, why the tap answers as it does. Used by `explain`. */
  readonly explain?: (subject: S, view: View) => Json;
}

type TapArguments<S extends Subject, A> = [
  name: string,
  fn: (subject: S, view: View) => A,
  options?: TapOptions<S>,
];

/** The hook that plugins tap. Taps must be pure functions of the subject and the projections. */
export interface Hook<H extends HookName> {
  /** Adds a tap that answers synchronously. */
  tap(...tap: TapArguments<SubjectOf<H>, Answer>): void;
  /** Adds a tap that answers asynchronously, within the config's deadline. */
  tapPromise(...tap: TapArguments<SubjectOf<H>, Promise<Answer>>): void;
}

/** The four hooks, as plugins use them. */
export type Hooks = { readonly [H in HookName]: Hook<H> };

/** Finds facts about a subject. */
export type Prepare = (subject: Subject) => Facts | Promise<Facts>;
type Facts = JsonObject | undefined;

/** The API that a plugin may use while it is applied. Afterwards the kernel is sealed. */
export interface KernelApi {
  readonly hooks: Hooks;
  /** Declares a type of event that the plugin or its host records. */
  event(type: EventType): void;
  projection(projection: Projection<unknown>): void;
  guard(name: string, guard: Guard): void;
  sink(sink: Sink): void;
  /** Adds a redactor, which changes every event before any other part of a run sees it. If it throws, the event is not recorded. */
  redact(redactor: Redactor): void;
  /** Adds impure work (real paths, token claims) that is done once per subject. The result is stored as `facts[plugin]`. */
  prepare(name: string, prepare: Prepare): void;
  /** Sets the effect of a tool call if every tap abstains. Of several, the strictest counts. Only for `grants` plugins. */
  fallback(effect: Effect): void;
  /**
   * Adds a function that explains why no rule of the plugin covers a call. It becomes the reason of a fallback, and runs when
   * that reason is read.
   */
  unmatched(reason: (call: ToolCall) => string | undefined): void;
  /**
   * Adds a test for calls that an approval mode allows if no one voted and a person would be asked. Mode `yolo` allows every call
   * by default, so all tests must pass for it. Only for `grants` plugins.
   */
  letThrough(mode: ApprovalMode, test: (call: ToolCall) => boolean): void;
  /** Sets the enforcement mode that the plugin's files require. A config with another mode is rejected. Only for `grants` plugins. */
  enforcementMode(mode: EnforcementMode): void;
  /**
   * Sets the SHA-256 digest of what the plugin decides by, `sha256:…`, or a function that computes it when it is first read. Every
   * decision contains it, and approvals are bound to it.
   */
  digest(sha256: string | (() => string)): void;
  /**
   * Adds a check that runs once, after every plugin was applied. It receives everything that plugins declared, and throws if
   * something is missing.
   */
  onSeal(check: (declared: Declared) => void): void;
}

/** A rule inside a plugin, which `without` can name. */
export interface NamedRule {
  readonly name: string;
  /** Whether `without` cannot exclude the rule. */
  readonly final?: boolean;
}

/** One use of a plugin in a configuration. */
export interface PluginInstance<Options> {
  readonly options: Options;
  /** The config or ruleset that contains this use. */
  readonly from: string;
  /** The absolute path of the config file, if there is one. Relative paths in options start from its folder. */
  readonly configFile?: string;
  /** The names of rules that `without` excludes. */
  readonly excludedRules: ReadonlySet<string>;
}

/** A plugin with its options, ready for a configuration. Created by definePlugin or defineCheck. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly grants: boolean;
  readonly neverSoftened: boolean | readonly string[];
  readonly codes: ReadonlySet<string>;
  readonly options: unknown;
  /** The definition that all uses of the plugin share. */
  readonly definition: PluginDefinition;
}

/** The untyped form of a definition, for the kernel. */
export interface PluginDefinition {
  /** Whether the plugin is applied once for all its uses. */
  readonly shared: boolean;
  readonly rules: (instance: PluginInstance<unknown>) => readonly NamedRule[];
  readonly apply: (kernel: KernelApi, instances: readonly PluginInstance<unknown>[]) => void;
}

type Use<Schema extends z.ZodType> = PluginInstance<z.output<Schema>>;

export interface PluginCommon<Schema extends z.ZodType> {
  /** The package name. */
  readonly name: string;
  readonly version: string;
  /** The schema of the options: strict, described, with defaults. Options are parsed when the config is read. */
  readonly options: Schema;
  /** Whether the plugin may vote allow. Only for plugins whose input nobody but operators can write. */
  readonly grants?: boolean;
  /** Whether its votes hold in every enforcement mode, as for tokens and authentication. A list: only votes with one of these codes. */
  readonly neverSoftened?: boolean | readonly string[];
  /** The decision codes that its verdicts may have, each with its meaning. */
  readonly codes?: Readonly<Record<string, string>>;
  /** The rules of one use, so that `without` can name them. */
  readonly rules?: (instance: Use<Schema>) => readonly NamedRule[];
}

/** A plugin that is applied once for each use. */
export interface SinglePlugin<Schema extends z.ZodType> extends PluginCommon<Schema> {
  /** Adds taps and declarations. Must return nothing. */
  readonly apply: (kernel: KernelApi, options: z.output<Schema>, instance: Use<Schema>) => void;
}

/** A plugin that is applied once for all its uses in rulesets and the host: it has one tap and one vote. */
export interface SharedPlugin<Schema extends z.ZodType> extends PluginCommon<Schema> {
  readonly applyAll: (kernel: KernelApi, instances: readonly Use<Schema>[]) => void;
}

/** Creates a Plugin from options. Its fields describe the plugin, for tools. */
export interface PluginFactory<Schema extends z.ZodType> {
  (
    ...options: undefined extends z.input<Schema>
      ? [options?: z.input<Schema>]
      : [options: z.input<Schema>]
  ): Plugin;
  readonly plugin: PluginCommon<Schema>;
}

// Set by a loader that collects all mistakes of a configuration, possibly with another copy of this package. Then a plugin with
// wrong options is created anyway, and throws when it is applied.
const NOTE_FAULT = Symbol.for("@bylaw/kernel/note-option-fault");

/** Defines a plugin. The returned function takes options, and throws BYLAW_OPTIONS_INVALID if the schema rejects them. */
export function definePlugin<Schema extends z.ZodType>(
  plugin: SinglePlugin<Schema> | SharedPlugin<Schema>,
): PluginFactory<Schema> {
  checkArgument("definePlugin", "a plugin", plugin, { code: "BYLAW_PLUGIN_INVALID" });
  const { name, version, grants = false, neverSoftened = false } = plugin;
  const codes = new Set(Object.keys(plugin.codes ?? {}));
  const definition = definitionOf(plugin);
  const create = (given?: unknown): Plugin => {
    // zod accepts a Map or a promise as an object without fields.
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

/** Whether a value is a plugin. */
export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === "object" && value !== null && "definition" in value && "grants" in value;
