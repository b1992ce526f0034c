export type {
  ClaimRequest,
  Completion,
  EndOptions,
  HeldTask,
  Hold,
  NewTask,
  Task,
  TaskRules,
  Tasks,
} from "./api.ts";
export type { Blocker, Board, TaskState, TaskStatus } from "./board.ts";
export { createTasks, type TasksOptions } from "./create-tasks.ts";
export { claimFault, type TaskFault } from "./status-fault.ts";
export type { Snapshot, SnapshotRequest } from "./snapshot.ts";
export { taskBoard, taskOf } from "./task-board.ts";
export { tasks } from "./tasks.ts";
export { EVENT_TYPES } from "./events.ts";
