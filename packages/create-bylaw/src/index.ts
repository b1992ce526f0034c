export { create, Refusal } from "./create.ts";
export type { Kind } from "./kinds.ts";
