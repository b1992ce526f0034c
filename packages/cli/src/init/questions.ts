import { confirm, isCancel, multiselect, select } from "@clack/prompts";
import type { InitRuleset } from "./files.ts";
import { SUMMARIES } from "./proposal.ts";

/** Asks which rules to begin with. Undefined if the person cancelled. */
export async function askRuleset(initialValue: InitRuleset): Promise<InitRuleset | undefined> {
  const answer = await select<InitRuleset>({
    message: "Which rules do you want to begin with?",
    initialValue,
    options: (["everyday", "recommended", "none"] as const).map((value) => ({
      value,
      label: value,
      hint: SUMMARIES[value],
    })),
  });
  return isCancel(answer) ? undefined : answer;
}

/** Asks which other tasks agents may run. Undefined if the person cancelled. */
export async function askTasks(tasks: readonly string[]): Promise<readonly string[] | undefined> {
  const answer = await multiselect<string>({
    message: "These tasks are asked about. Which may agents run without a question?",
    options: tasks.map((value) => ({ value, label: value })),
    required: false,
  });
  return isCancel(answer) ? undefined : answer;
}

/** Asks whether to write the files. */
export async function askToWrite(files: readonly string[]): Promise<boolean> {
  return (await confirm({ message: `Write ${files.join(" and ")}?` })) === true;
}
