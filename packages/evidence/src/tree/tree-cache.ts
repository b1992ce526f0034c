/** Digests of files by path, with what tells that a file has not changed. */
export interface TreeCache {
  readonly files: Map<string, { readonly state: string; readonly digest: string }>;
}

/** An empty cache, for a host that keeps its own. */
export const createTreeCache = (): TreeCache => ({ files: new Map() });
