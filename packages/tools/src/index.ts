export { callTool, toolNamed, type CallToolOptions } from "./call-tool.ts";
export { defineTool, type ToolDefinition } from "./define-tool.ts";
export type { CallContext, RunContext, Tool, ToolAnnotations, ToolAnswer } from "./tool.ts";
