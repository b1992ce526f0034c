export { EVENT_TYPES, checkpoint } from "./checkpoint.ts";
export { openCheckpoints, type OpenCheckpoint } from "./paused.ts";
export { resumeCheckpoint, type Resumption } from "./resume.ts";
