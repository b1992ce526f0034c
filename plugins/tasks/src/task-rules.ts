import type { Contract } from "@bylaw/contract";

/** What of a contract tasks are given out by. */
export type TaskRules = Pick<Contract, "coordination" | "recovery">;
