import { join } from "node:path";
import { codeFilesIn, definePluginHost, type HostPlace } from "@bylaw/host";

const CODE = `\
export const Bylaw = async ({ directory }) => {
  const eventOf = (event, { tool, sessionID, callID }, args) => ({
    ...{ event, tool, args, id: callID, session: sessionID, cwd: directory },
  });
  return {
    "tool.execute.before": async (call, { args }) => {
      const reason = await refusalOf(eventOf("tool_call", call, args));
      if (reason !== undefined) throw new Error(reason);
    },
    "tool.execute.after": async (call, { metadata }) => {
      const told = { ...eventOf("tool_result", call, call.args), exit_code: metadata?.exit };
      await refusalOf({ ...told, ok: (metadata?.exit ?? 0) === 0 });
    },
  };
};
`;

const folderOf = ({ home, env }: HostPlace): string =>
  join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");

// The places of a project's settings, and of its code, which is loaded after ours.
const SETTINGS = ["opencode.json", "opencode.jsonc"];
const FOLDERS = ["plugin", "plugins", "tool", "tools"];

/** opencode, as measured with 1.18.33. Code of a project runs after Bylaw's. */
export const opencode = definePluginHost({
  name: "opencode",
  title: "opencode",
  capabilities: { version: "1.18.33", exit_code: true, project_off: "runs" },
  plugins: (place) => join(folderOf(place), "plugin"),
  others: (_, project) =>
    [project, join(project, ".opencode")]
      .flatMap((folder) => SETTINGS.map((name) => join(folder, name)))
      .concat(FOLDERS.flatMap((name) => codeFilesIn(join(project, ".opencode", name))))
      .map((file) => ({ scope: "project", file })),
  code: CODE,

  switchedOff(settings) {
    if ("text" in settings) return "code that runs next to Bylaw and can change a call";
    return "plugin" in settings ? "`plugin`, which loads code that can change a call" : undefined;
  },
});
