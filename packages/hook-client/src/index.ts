export { folderFault, placeOf, type EngineOwner, type EnginePlace } from "./engine-place.ts";
export {
  ENGINE_MS,
  EVENT_LIMIT_BYTES,
  EVENT_MARK,
  LEAVES_TO_COLD,
  PASSED_VARIABLES,
  type HookAnswer,
} from "./protocol.ts";
export { requestEngine, type EngineReply, type EngineRequest } from "./request-engine.ts";
