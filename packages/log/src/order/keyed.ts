import { drop, entriesOf, find, put, type Tree } from "./tree.ts";

/**
 * Entries by text: a tree, which is plain data and never changes, or a Map, which is changed in place and is faster, for a fold
 * of which nobody keeps an older state.
 */
export type Keyed<Value> = Tree<Value> | Map<string, Value>;

/** The value of a key. */
export function valueOf<Value>(entries: Keyed<Value>, key: string): Value | undefined {
  return entries instanceof Map ? entries.get(key) : find(entries, key);
}

/** The entries with this value for the key. */
export function withEntry<Value>(entries: Keyed<Value>, key: string, value: Value): Keyed<Value> {
  return entries instanceof Map ? entries.set(key, value) : put(entries, key, value);
}

/** The entries without the key. */
export function withoutEntry<Value>(entries: Keyed<Value>, key: string): Keyed<Value> {
  if (!(entries instanceof Map)) return drop(entries, key);
  entries.delete(key);
  return entries;
}

/** Every entry; those of a tree by the order of the keys. */
export function entriesOfKeyed<Value>(entries: Keyed<Value>): readonly (readonly [key: string, value: Value])[] {
  return [...(entries instanceof Map ? entries : entriesOf(entries))];
}
