import type { z } from "zod";
import { nearest } from "./nearest.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The usable part of data that a schema rejects. */
export interface Salvaged<T> {
  /** The usable data. `undefined` if too little is left. */
  readonly data: T | undefined;
  /** Every issue of the data. A misspelled key is not reported again as a missing one. */
  readonly issues: readonly Issue[];
  /** Whether the value at a path was removed or replaced. Further checks of such a value are meaningless. */
  readonly isReplaced: (path: Path) => boolean;
  /** Whether a missing value was replaced, so that checks of the whole may be wrong. */
  readonly isGuessed: boolean;
}

// Each round repairs the issues that the previous round uncovered, one level deeper.
const ROUNDS = 16;

/**
 * Parses data as far as possible, so that one run finds every mistake. Wrong values and unknown keys are removed, a misspelled
 * key is read as the nearest known one, and missing values get a stand-in. `keysAt` returns the keys that the object at a path
 * may have.
 */
export function salvage<T>(
  schema: Pick<z.ZodType<T>, "safeParse">,
  data: unknown,
  keysAt: (path: Path) => readonly string[],
): Salvaged<T> {
  let result = schema.safeParse(data);
  if (result.success)
    return { data: result.data, issues: [], isReplaced: () => false, isGuessed: false };
  const mender = new Mender(structuredClone(data), keysAt);
  const unknown = result.error.issues.filter(({ code }) => code === "unrecognized_keys");
  if (unknown.length > 0) {
    for (const issue of unknown) mender.mend(issue);
    result = schema.safeParse(mender.data);
  }
  const issues = [...unknown, ...(result.error?.issues ?? [])];
  for (let round = 0; round < ROUNDS && !result.success; round += 1) {
    for (const issue of result.error.issues) mender.mend(issue);
    result = schema.safeParse(mender.data);
  }
  const { isGuessed } = mender;
  return { data: result.data, issues, isReplaced: (path) => mender.isReplaced(path), isGuessed };
}

class Mender {
  readonly data: unknown;
  isGuessed = false;
  readonly #keysAt: (path: Path) => readonly string[];
  /** How often each path was replaced. */
  readonly #tries = new Map<string, number>();

  constructor(data: unknown, keysAt: (path: Path) => readonly string[]) {
    this.data = data;
    this.#keysAt = keysAt;
  }

  isReplaced(path: Path): boolean {
    return path.some((_, index) => this.#tries.has(keyOf(path.slice(0, index + 1))));
  }

  mend(issue: Issue): void {
    if (issue.code === "unrecognized_keys") this.#respell(issue.path, issue.keys);
    else this.#replace(issue.path, issue);
  }

  #respell(path: Path, keys: readonly string[]): void {
    const owner = this.#at(path);
    const known = this.#keysAt(path);
    for (const key of owner === undefined ? [] : keys) {
      const near = nearest(key, known);
      if (near !== undefined && !Object.hasOwn(owner ?? {}, near)) put(owner, near, owner?.[key]);
      delete owner?.[key];
    }
  }

  #replace(path: Path, issue: Issue | undefined): void {
    const last = path.at(-1);
    const owner = this.#at(path.slice(0, -1));
    if (last === undefined || owner === undefined) return;
    const count = this.#tries.get(keyOf(path)) ?? 0;
    this.#tries.set(keyOf(path), count + 1);
    const given = Object.hasOwn(owner, last) ? owner[last] : undefined;
    const instead = issue === undefined ? undefined : standIn(issue, given);
    const removable = given !== undefined && !Array.isArray(owner);
    // Other parts may refer to an object that was removed because of one of its fields.
    if (issue === undefined) this.isGuessed = true;
    if (count > 1 || (instead === undefined && !removable))
      this.#replace(path.slice(0, -1), undefined);
    else if (count === 0 && removable && !isRecord(instead)) delete owner[last];
    else {
      this.isGuessed = true;
      put(owner, last, instead);
    }
  }

  #at(path: Path): Record<PropertyKey, unknown> | undefined {
    let value: unknown = this.data;
    for (const step of path) {
      if (!isRecord(value) || !Object.hasOwn(value, step)) return undefined;
      value = value[step];
    }
    return isRecord(value) ? value : undefined;
  }
}

const keyOf = (path: Path): string => JSON.stringify(path);

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === "object" && value !== null;

// A plain assignment to `__proto__` would change the prototype of the object.
const put = (owner: object | undefined, key: PropertyKey, value: unknown): void => {
  if (owner === undefined) return;
  Object.defineProperty(owner, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
};

const PLAIN: Readonly<Record<string, () => unknown>> = {
  string: () => "unknown",
  number: () => 1,
  int: () => 1,
  boolean: () => false,
  array: () => [],
  object: () => ({}),
  record: () => ({}),
};

function standIn(issue: Issue, given: unknown): unknown {
  if (issue.code === "invalid_type") return PLAIN[issue.expected]?.();
  if (issue.code === "invalid_value") return issue.values[0];
  if (issue.code === "too_small" && typeof given === "number") return Number(issue.minimum);
  if (issue.code === "too_big" && typeof given === "number") return Number(issue.maximum);
  return typeof given === "string" ? "unknown" : undefined;
}
