export { openDoor, type ToolDoor } from "./door.ts";
export { bridgeStdio, callThrough, serveStdio, type DoorKey, type StdioOptions } from "./stdio.ts";
export type { ToolOffer } from "./tool-server.ts";
