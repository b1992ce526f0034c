export const CODES = {
  task_unknown: "The task was never created",
  task_blocked: "The task waits for others",
  task_not_claimed: "Nobody holds the task",
  task_waiting: "The agent of the task was lost, and the task is free again later",
  task_other_agent: "Another agent holds the task",
  task_fence_stale: "The task was claimed again since",
  task_lease_over: "The lease of the claim is over, or nobody says what time it is",
  task_escalated: "Agents of the task were lost, and a person has to look",
  task_over: "The task is completed or has failed",
} as const;
