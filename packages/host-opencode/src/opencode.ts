import { join } from "node:path";
import { codeFilesIn, definePluginHost, type HostPlace } from "@bylaw/host";

const REPORTS = ["SessionStart", "UserPromptSubmit", "SubagentStart", "SubagentStop"];

const CODE = `\
export const Bylaw = async ({ client, directory }) => {
  const parents = new Map();
  // A sub-agent has a session of its own. Throws if opencode does not know the session, so that no call runs in another one.
  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const { data } = await client.session.get({ path: { id } });
      parents.set(id, data.parentID);
    }
    return parents.get(id);
  };
  const placeOf = async (id) => {
    let session = id;
    for (let parent; (parent = await parentOf(session)) !== undefined;) session = parent;
    return { session, cwd: directory, ...(session === id ? {} : { agent: id }) };
  };
  const eventOf = async (event, { tool, sessionID, callID }, args) => ({
    ...{ event, tool, args, id: callID, ...(await placeOf(sessionID)) },
  });
  return {
    "tool.execute.before": async (call, { args }) => {
      const reason = await refusalOf(await eventOf("tool_call", call, args));
      if (reason !== undefined) throw new Error(reason);
    },
    "tool.execute.after": async (call, { metadata }) => {
      const report = await eventOf("tool_result", call, call.args);
      const exit_code = metadata?.exit;
      await refusalOf({ ...report, exit_code, ok: (exit_code ?? 0) === 0 });
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const prompt = parts.map(({ text = "" }) => text).join("\\n");
      const place = await placeOf(sessionID);
      await refusalOf({ event: "UserPromptSubmit", id: message.id, prompt, ...place });
    },
    event: async ({ event: { type, properties } }) => {
      if (type === "session.created") {
        const { id, agent: agent_type } = properties.info;
        const place = await placeOf(id);
        const event = place.agent === undefined ? "SessionStart" : "SubagentStart";
        await refusalOf({ event, id, agent_type, ...place });
      } else if (type === "session.idle") {
        const place = await placeOf(properties.sessionID);
        if (place.agent !== undefined) await refusalOf({ event: "SubagentStop", ...place });
      }
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
  capabilities: {
    version: "1.18.33",
    exit_code: true,
    project_off: "runs",
    session_events: REPORTS,
  },
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
