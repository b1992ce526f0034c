/** The placeholders that an argument may contain in braces. */
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
 * Fills the placeholders of an argument; `{{` and `}}` stand for braces. Filled-in values are not
 * searched for placeholders.
 */
export const fillPlaceholders = (text: string, values: Placeholders): string =>
  text.replace(/\{\{|\}\}|\{([a-z_]+)\}/g, (whole, key: string | undefined) => {
    if (key === undefined) return whole.slice(1);
    return Object.hasOwn(values, key) ? values[key as keyof Placeholders] : whole;
  });
