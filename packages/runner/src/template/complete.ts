import type { TemplateText } from "./schema.ts";
import type {
  TemplateQuestion,
  OversightSource,
  Step,
  StepLoop,
  TrackQuestion,
} from "./template.ts";

type Parts = Partial<TemplateText["steps"][number]> & { readonly id?: string };

/** A step with all defaults filled in. Pure. */
export function completeStep({ id = "", loop, ...said }: Parts): Step {
  return {
    id,
    agent: said.agent ?? null,
    run: said.run ?? null,
    prompt: said.prompt ?? "",
    timeout_seconds: said.timeout_seconds ?? 3_600,
    retries: said.retries ?? 0,
    once: said.once ?? false,
    repeatable: said.repeatable ?? false,
    interrupted: said.interrupted ?? "run",
    when: said.when ?? null,
    skip_if: said.skip_if ?? null,
    depends_on: said.depends_on ?? [],
    fallback: said.fallback ?? null,
    parallel: said.parallel ?? null,
    loop: loop === undefined ? null : completeLoop(loop),
    trigger: said.trigger ?? null,
    kind: said.kind ?? "implementation",
    continue_on_error: said.continue_on_error ?? false,
    output: said.output ?? "text",
    env: said.env ?? [],
    tracks: said.tracks ?? null,
    choices: said.choices ?? [],
    choices_any: said.choices_any ?? [],
  };
}

const completeLoop = ({
  steps,
  max_iterations,
  skip,
  on_limit,
  stall,
}: NonNullable<Parts["loop"]>): StepLoop => ({
  steps,
  max_iterations: max_iterations ?? 10,
  skip: skip ?? [],
  on_limit: on_limit ?? "continue",
  stall: stall ?? null,
});

type Options = Readonly<Record<string, { readonly label?: string | undefined }>>;

const labels = (options: Options): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).map(([name, { label = "" }]) => [name, label]));

/** The tracks of a template with all defaults filled in; `null` if it has none. Pure. */
export const completeTracks = (tracks: TemplateText["tracks"]): TrackQuestion | null =>
  tracks === undefined
    ? null
    : {
        question: tracks.question ?? "",
        options: labels(tracks.options),
        default: tracks.default ?? null,
      };

/** The choices of a template with all defaults filled in, in order. Pure. */
export const completeChoices = (
  choices: TemplateText["choices"] = {},
): readonly TemplateQuestion[] =>
  Object.entries(choices).map(
    ([id, { question = "", multiple = false, tracks = null, after = null, options }]) => ({
      id,
      question,
      multiple,
      tracks,
      after,
      options: labels(options),
    }),
  );

/** The oversight of a template with all defaults filled in; `null` if it has none. Pure. */
export const completeOversight = (oversight: TemplateText["oversight"]): OversightSource | null =>
  oversight === undefined
    ? null
    : {
        url: oversight.url ?? null,
        command: oversight.command ?? null,
        mcp: oversight.mcp ?? null,
        hold_at: oversight.hold_at ?? 0.7,
        timeout_seconds: oversight.timeout_seconds ?? 60,
        every_steps: oversight.every_steps ?? null,
        at_kinds: oversight.at_kinds ?? false,
      };
