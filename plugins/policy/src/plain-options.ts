import type { PolicyOptions } from "./options.ts";

/** Copies a valid value; undefined for any other. */
type Copy<T> = (value: unknown) => T | undefined;

const text: Copy<string> = (value) =>
  typeof value === "string" && value !== "" ? value : undefined;
const flag: Copy<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

const list =
  <T>(item: Copy<T>): Copy<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const copies = Array.from(value, item);
    return copies.every((copy) => copy !== undefined) ? copies : undefined;
  };

// Copies an object with these fields. If `fields` is one copier, the names are free and it applies to every value.
const record =
  <T>(fields: Copy<unknown> | Readonly<Record<string, Copy<unknown>>>): Copy<T> =>
  (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
    const copy: Record<string, unknown> = {};
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === "symbol" || key === "__proto__") return undefined;
      const field =
        typeof fields === "function"
          ? fields
          : Object.hasOwn(fields, key)
            ? fields[key]
            : undefined;
      copy[key] = field?.((value as Record<string, unknown>)[key]);
      if (copy[key] === undefined) return undefined;
    }
    return copy as T;
  };

const texts = list(text);
const plain = record<Partial<PolicyOptions>>({
  files: texts,
  compiled: texts,
  text,
  workspace: text,
  operator: flag,
  discover: (value) =>
    value === "all" || value === "admin" || value === "none" ? value : undefined,
  tools: record({
    shell: record(text),
    network: record(text),
    files: record(record({ read: texts, write: texts, patches: texts, globs: texts, cwd: flag })),
  }),
});

/**
 * The parsed options if they are plainly valid, as the schema returns them. Undefined for all others, which the schema must judge.
 * Loading the schema takes longer than these checks.
 */
export function plainOptions(given: unknown): PolicyOptions | undefined {
  const options = plain(given === undefined ? {} : given);
  return options && { discover: "admin", operator: false, tools: {}, ...options };
}
