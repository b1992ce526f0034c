export const CODES = {
  task_unknown: "The task was never created",
  task_blocked: "The task waits for others",
  task_not_claimed: "Nobody holds the task",
  task_waiting: "The agent of the task was lost, and the task is free again later",
  task_other_agent: "Another agent holds the task",
  task_fence_stale: "The task has been claimed again",
  task_lease_over: "The lease of the claim is over, or the time is unknown",
  task_escalated: "Agents of the task were lost, and a person must decide",
  task_over: "The task is completed or has failed",
} as const;
