export type { PostgresStoreOptions } from "./options.ts";
export { openPostgresReader } from "./reader.ts";
export { openPostgresStore } from "./store.ts";
