export { createStatus, type StatusFold, type StatusOptions } from "./fold.ts";
export { statusJsonSchema } from "./json-schema.ts";
export { readStatus, type ReadAgent, type ReadStatus } from "./read-status.ts";
export {
  statusSchema,
  type AgentStatus,
  type Reliability,
  type Status,
  type Tools,
} from "./schema.ts";
export { keepStatusFile, type StatusFileOptions } from "./status-file.ts";
export { status } from "./status.ts";
export { STATUS_EVENTS as EVENT_TYPES } from "./events.ts";
