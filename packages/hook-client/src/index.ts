export {
  engineFolderFault,
  enginePlace,
  type EngineOwner,
  type EnginePlace,
} from "./engine-place.ts";
export {
  ENGINE_TIMEOUT_MS,
  EVENT_LIMIT_BYTES,
  EVENT_MARK,
  STATUS_UNANSWERED,
  PASSED_VARIABLES,
  type HookAnswer,
} from "./protocol.ts";
export { requestEngine, type EngineReply, type EngineRequest } from "./request-engine.ts";
