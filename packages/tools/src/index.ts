export { callTool, toolNamed, type CallToolOptions } from "./call-tool.ts";
export { defineTool, type ToolDefinition } from "./define-tool.ts";
export type { CallContext, RunContext, Tool, ToolAnnotations, ToolAnswer } from "./tool.ts";
export type {
  FileLimits,
  ProgramOptions,
  Question,
  WorkspaceToolsOptions,
} from "./workspace/options.ts";
export type { WebOptions } from "./workspace/options.ts";
export { workspaceTools } from "./workspace/workspace-tools.ts";
