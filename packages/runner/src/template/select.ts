import { BylawError } from "@bylaw/kernel";
import type { Step, Template } from "./template.ts";

/** The path that a run takes through its template. */
export interface Selection {
  readonly track: string | null;
  readonly chosen: readonly string[];
}

/** Whether a step is part of the chosen path. Pure. */
export function isSelected(
  { tracks, choices, choices_any }: Step,
  { track, chosen }: Selection,
): boolean {
  if (tracks !== null && (track === null || !tracks.includes(track))) return false;
  if (!choices.every((option) => chosen.includes(option))) return false;
  return choices_any.length === 0 || choices_any.some((option) => chosen.includes(option));
}

/**
 * Completes a chosen path through a template: a track if there are tracks, and an answer to each
 * choice that is offered on it. Throws BYLAW_TEMPLATE_CHOICE_INVALID.
 */
export function selectionOf(
  { tracks, choices }: Template,
  {
    track = tracks?.default ?? null,
    chosen = [],
  }: { readonly track?: string | null; readonly chosen?: readonly string[] },
): Selection {
  const names = Object.keys(tracks?.options ?? {});
  if (tracks === null && track !== null)
    throw invalid(`The template has no tracks, so there is no track \`${shown(track)}\``);
  if (tracks !== null && (track === null || !names.includes(track)))
    throw invalid(
      track === null ? "No track is chosen" : `Unknown track \`${shown(track)}\``,
      `Choose one with --track: ${optionsOf(tracks.options)}`,
    );
  const asked = choices.filter(
    (choice) =>
      (choice.tracks === null || (track !== null && choice.tracks.includes(track))) &&
      (choice.after === null || chosen.includes(choice.after)),
  );
  for (const { id, question, multiple, options } of asked) {
    const own = Object.keys(options).filter((option) => chosen.includes(option));
    if (!multiple && own.length !== 1)
      throw invalid(
        own.length === 0
          ? `The choice \`${id}\` has no answer`
          : `The choice \`${id}\` takes one answer, not ${own.map((one) => `\`${one}\``).join(" and ")}`,
        `${question === "" ? "" : `${question} `}Choose one with --choose: ${optionsOf(options)}`,
      );
  }
  const known = new Set(asked.flatMap(({ options }) => Object.keys(options)));
  const idle = chosen.find((option) => !known.has(option));
  if (idle !== undefined)
    throw invalid(
      `No choice offers the option \`${shown(idle)}\` here`,
      known.size === 0 ? undefined : `Choose from ${[...known].join(", ")}`,
    );
  return { track, chosen: [...new Set(chosen)].toSorted() };
}

const shown = (text: string): string => text.slice(0, 80);
const optionsOf = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([name, label]) => (label === "" ? name : `${name} (${label})`))
    .join(", ");

const invalid = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_TEMPLATE_CHOICE_INVALID", message, fix });
