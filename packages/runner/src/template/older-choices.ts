import { nameOf } from "./older-names.ts";
import type { OlderGroup } from "./older-schema.ts";
import type { TemplateText } from "./schema.ts";

type Choices = NonNullable<TemplateText["choices"]>;

/** The options of a question, with valid names. */
export const optionsOf = (
  options: OlderGroup["conditions"],
): Readonly<Record<string, { readonly label?: string }>> =>
  Object.fromEntries(
    Object.entries(options).map(([id, { label }]) => [
      nameOf(id),
      label === undefined ? {} : { label },
    ]),
  );

/** The questions to ask before the workflow begins, with the follow-up questions of their options. */
export function choicesOf(groups: readonly OlderGroup[]): Choices {
  const choices: Record<string, Choices[string]> = {};
  const add = (id: string, group: OlderGroup, after: string | undefined): void => {
    const { question, multiSelect, tracks = [], conditions, children = {} } = group;
    choices[id] = {
      ...(question === undefined ? {} : { question }),
      ...(multiSelect === true ? { multiple: true } : {}),
      ...(tracks.length === 0 ? {} : { tracks: tracks.map(nameOf) }),
      ...(after === undefined ? {} : { after }),
      options: optionsOf(conditions),
    };
    for (const [option, child] of Object.entries(children))
      add(`${id}.${nameOf(option)}`.slice(0, 100), child, nameOf(option));
  };
  for (const [index, group] of groups.entries())
    add(nameOf(group.id ?? `choice-${index + 1}`), group, undefined);
  return choices;
}
