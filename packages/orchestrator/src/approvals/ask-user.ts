import {
  ask,
  canonicalJson,
  defineProjection,
  definePlugin,
  freezeJson,
  isJsonObject,
  type Json,
  type Verdict,
  type View,
} from "@bylaw/kernel";
import { treeGet, treePut, type RecordableEvent, type Tree } from "@bylaw/log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { QUESTION_ANSWERED } from "../events/event-types.ts";

/** The tool with which an agent asks a person a question. */
export const QUESTION_TOOL = "ask_user_question";

// Frozen, so that the kernel checks it only once.
const ASKED = freezeJson(
  ask("A person is asked", "Wait for the answer, and make the call again."),
) as unknown as Verdict;

interface Asker {
  readonly agent: string | null;
  readonly task: string | null;
}

/** The last answer of a person to each question of each agent and task. */
const answers = defineProjection<Tree<string>>({
  name: `${manifest.name}/answers`,
  version: 1,
  scope: "task",
  initial: null,
  reduce: (state, { event_type, details: { about, answer } }) =>
    event_type === QUESTION_ANSWERED ? treePut(state, String(about), String(answer)) : state,
});

/** Turns a question to a person into a call that needs approval. After a yes the agent repeats the call and gets the person's answer. */
export const questionsPlugin = definePlugin({
  name: `${manifest.name}/questions`,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.projection(answers);
    kernel.hooks.beforeToolCall.tap("question", ({ tool }) =>
      tool === QUESTION_TOOL ? ASKED : undefined,
    );
  },
});

/** The answer of a person to a question; `yes` if the person said nothing else. */
export const answerTo = (view: View, asker: Asker, question: Json): string =>
  treeGet(view(answers), aboutOf(asker, question)) ?? "yes";

/** The event of an answer. `id`: the id of the question. */
export const answered = (
  id: string,
  asker: Asker,
  question: Json,
  { by, answer }: { readonly by: string; readonly answer: string },
): RecordableEvent => ({
  event_type: QUESTION_ANSWERED,
  agent_id: asker.agent,
  task_id: asker.task,
  details: { question: id, about: aboutOf(asker, question), by, answer },
});

// As the tool reads it: surrounding space and an empty list of options do not make another question.
function aboutOf({ agent, task }: Asker, given: Json): string {
  const { question = "", options = [] } = isJsonObject(given) ? given : {};
  const trimmed = (one: Json): Json => (typeof one === "string" ? one.trim() : one);
  return canonicalJson([
    agent,
    task,
    trimmed(question),
    Array.isArray(options) ? options.map((one) => trimmed(one as Json)) : options,
  ]);
}
