import { join } from "node:path";
import { codeFilesIn, definePluginHost, type HostPlace } from "@bylaw/host";

// Each of these makes pi load code of the project, or changes the meaning of a shell line.
const LOADS = ["extensions", "packages", "shellPath", "shellCommandPrefix"];

const REPORTS = ["SessionStart", "SessionEnd", "UserPromptSubmit"];

const CODE = `\
export default function bylaw(pi) {
  const eventOf = (event, { toolName, toolCallId, input }, { cwd, sessionManager }) => ({
    ...{ event, tool: toolName, args: input, id: toolCallId },
    ...{ session: sessionManager.getSessionId(), cwd },
  });
  pi.on("tool_call", async (call, context) => {
    const reason = await refusalOf(eventOf("tool_call", call, context));
    return reason === undefined ? undefined : { block: true, reason };
  });
  const report = async (event, { sessionManager, cwd }, fields) => {
    await refusalOf({ event, session: sessionManager.getSessionId(), cwd, ...fields });
  };
  pi.on("session_start", ({ reason }, context) => report("SessionStart", context, { source: reason }));
  pi.on("session_shutdown", ({ reason }, context) => report("SessionEnd", context, { reason }));
  pi.on("before_agent_start", ({ prompt }, context) => report("UserPromptSubmit", context, { prompt }));
  pi.on("tool_result", async (result, context) => {
    await refusalOf({ ...eventOf("tool_result", result, context), ok: !result.isError });
  });
}
`;

const folderOf = ({ home, env }: HostPlace): string =>
  env["PI_CODING_AGENT_DIR"] ?? join(home, ".pi/agent");

/** pi, as measured with 0.73.1. Code of a project runs next to Bylaw's. */
export const pi = definePluginHost({
  name: "pi",
  title: "pi",
  capabilities: {
    version: "0.73.1",
    exit_code: false,
    project_off: "runs",
    session_events: REPORTS,
  },
  plugins: (place) => join(folderOf(place), "extensions"),
  others: (place, project) => [
    { scope: "user", file: join(folderOf(place), "settings.json") },
    { scope: "project", file: join(project, ".pi/settings.json") },
    ...codeFilesIn(join(project, ".pi/extensions")).map(
      (file) => ({ scope: "project", file }) as const,
    ),
  ],
  code: CODE,

  switchedOff(settings, scope) {
    if (scope === "project") {
      if ("text" in settings) return "code that runs next to Bylaw and can change a call";
      const found = LOADS.find((key) => key in settings);
      return found === undefined ? undefined : `\`${found}\`, which can change what a call does`;
    }
    const { extensions } = settings;
    const leavesOut = (one: unknown): boolean => typeof one === "string" && /^[!-]/.test(one);
    return Array.isArray(extensions) && extensions.some(leavesOut)
      ? "`extensions` that exclude some"
      : undefined;
  },
});
