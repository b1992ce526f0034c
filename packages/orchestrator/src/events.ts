export { EVENT_TYPES } from "./events/event-types.ts";
