export { openSqliteStore } from "./open.ts";
export type { SqliteOptions } from "./options.ts";
