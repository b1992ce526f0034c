export { askTool, type ToolQuestion, type ToolReply } from "./ask-tool.ts";
export { openDoor, type ToolDoor } from "./door.ts";
export { bridgeStdio, callThrough, serveStdio, type DoorKey, type StdioOptions } from "./stdio.ts";
export type { ToolOffer } from "./tool-server.ts";
