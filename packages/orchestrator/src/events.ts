export { EVENT_TYPES } from "./events/event-types.ts";
export { eventStream, type StreamEnd, type StreamOptions } from "./events/event-stream.ts";
export { Feed, type Frame, type Listener } from "./events/feed.ts";
export { LogFollower, type LogFold } from "./events/log-follower.ts";
