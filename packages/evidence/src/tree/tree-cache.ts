/** Digests of files by path, with the metadata that shows whether a file has changed. */
export interface TreeCache {
  readonly files: Map<string, { readonly state: string; readonly digest: string }>;
}

/** Creates an empty cache, for a host that keeps its own. */
export const createTreeCache = (): TreeCache => ({ files: new Map() });
