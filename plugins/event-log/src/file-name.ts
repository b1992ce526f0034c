export { runPath as logPath, runFileName, pathTemplateFault as templateFault } from "@bylaw/log";
