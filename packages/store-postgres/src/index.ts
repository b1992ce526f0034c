export type { PostgresStoreOptions } from "./options.ts";
export { openPostgresStore } from "./store.ts";
