import type { Json } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";

/** The queue of the tasks that writers claim. */
export const CLAIMS = "crash";

/** How another process opens a store: a function of a module, and its arguments. */
export interface StoreModule {
  /** The module, as a URL: `import.meta.resolve("@bylaw/store-sqlite")`. */
  readonly module: string;
  /** The name of the function that it exports: `openSqliteStore`. */
  readonly open: string;
  readonly args: readonly Json[];
}

/** A write that was attempted. */
export interface Tried {
  readonly tried: string;
  readonly run: string;
  readonly count: number;
}

/** A write or a claim that was acknowledged. */
export type Acknowledged = {
  readonly run: string;
  /** The sequence of its first event. */
  readonly first: number;
  readonly hashes: readonly string[];
} & ({ readonly acknowledged: string } | { readonly claimed: string });

export async function openStore({ module, open, args }: StoreModule): Promise<Store> {
  const loaded = (await import(module)) as Readonly<
    Record<string, (...given: readonly Json[]) => Store | Promise<Store>>
  >;
  const opener = loaded[open];
  if (opener === undefined)
    throw new Error(`${module} exports no function \`${open}\` that opens a store`);
  return opener(...args);
}
