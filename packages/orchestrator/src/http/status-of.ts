/** The HTTP status of the errors that say what is wrong with a request; every other error is a failure of the server. */
const STATUS: Readonly<Record<string, number>> = {
  BYLAW_JSON_INVALID: 400,
  BYLAW_TASK_INVALID: 400,
  BYLAW_TASK_UNKNOWN: 404,
  BYLAW_EVENT_INVALID: 400,
  BYLAW_BEHAVIOR_INVALID: 400,
  BYLAW_CONSTITUTION_INVALID: 400,
  BYLAW_CONSTITUTION_FULL: 409,
  BYLAW_EVENT_REFUSED: 409,
  BYLAW_GATE_NOT_OPEN: 409,
  BYLAW_APPROVAL_MISSING: 404,
  BYLAW_APPROVAL_UNAUTHORIZED: 403,
  BYLAW_APPROVAL_UNFIT: 409,
  BYLAW_CHAIN_BROKEN: 503,
  BYLAW_WORKSPACE_TAKEN: 409,
  BYLAW_RUN_CLOSED: 503,
  BYLAW_RUN_SUPERSEDED: 503,
};

/** The status of a coded error; `undefined` for one that a client cannot do anything about. */
export const statusOf = (code: string): number | undefined =>
  Object.hasOwn(STATUS, code) ? STATUS[code] : undefined;
