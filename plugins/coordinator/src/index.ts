export { coordinator } from "./coordinator.ts";
export { coordinatorOrder } from "./life/order.ts";
export { coordinatorState, coordinatorTasks, type Coordination } from "./life/projection.ts";
export { COORDINATOR_RULES, type CoordinatorRule } from "./life/rules.ts";
export type { TaskState, TaskStatus } from "./life/task.ts";
export { readCoordinatorEvent } from "./read-event.ts";
export { COORDINATOR_TOOLS } from "./tools.ts";
