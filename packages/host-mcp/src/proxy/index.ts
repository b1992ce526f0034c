export type { ServerProgram } from "./child-server.ts";
export type { ProxyPlace } from "./call.ts";
export type { ProxyJudge, RecordedQuestion } from "./gate.ts";
export type { ServerAddress } from "./http-server.ts";
export { inspectServer, type ServerInspection } from "./inspect-server.ts";
export type { ProxyOptions } from "./mcp-proxy.ts";
export { runProxy, type McpServer, type ProxyClient } from "./proxy.ts";
export { ToolPins, type ToolDigests } from "./tool-pins.ts";
export type { ListedTool } from "./tool-table.ts";
