export { EVENT_TYPES } from "./proxy/tool-events.ts";
