export { askTool, type ToolQuestion, type ToolReply } from "./ask-tool.ts";
export { startLocalServer, type LocalMcpServer, type LocalServerOptions } from "./local-server.ts";
export {
  bridgeStdio,
  callRemoteTool,
  serveStdio,
  type McpAccess,
  type StdioOptions,
} from "./stdio.ts";
export type { ToolOffer } from "./tool-server.ts";
