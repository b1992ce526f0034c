/** What may stand in braces in an argument. */
export const PLACEHOLDERS = [
  "prompt",
  "run",
  "session",
  "step",
  "agent",
  "attempt",
  "visit",
  "control_file",
  "workspace",
] as const;

/** The value of each placeholder. */
export type Placeholders = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>;

/**
 * An argument with its placeholders filled; `{{` and `}}` stand for braces. What is filled in is
 * not looked at again.
 */
export const fillPlaceholders = (text: string, values: Placeholders): string =>
  text.replace(/\{\{|\}\}|\{([a-z_]+)\}/g, (whole, key: string | undefined) => {
    if (key === undefined) return whole.slice(1);
    return Object.hasOwn(values, key) ? values[key as keyof Placeholders] : whole;
  });
