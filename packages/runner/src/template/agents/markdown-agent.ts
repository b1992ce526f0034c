import { basename } from "node:path";
import { BylawError, isJsonObject, type Json } from "@bylaw/kernel";
import { nearest, quote } from "@bylaw/wording";
import { findingOf } from "../problems.ts";
import { name as nameSchema } from "../schema.ts";
import { parseSource } from "../source.ts";
import { faulty, type AgentsRead } from "./given-agent.ts";

const DESCRIBES: ReadonlySet<string> = new Set(["name", "description", "color"]);
const BY_COMMAND = ["model", "effort", "maxTurns", "temperature", "mode", "background", "memory"];
// In Bylaw, policies limit agents. A person who relies on these keys must be warned.
const BY_POLICY = ["tools", "disallowedTools", "permissionMode", "permission", "mcpServers"];
const OTHERS = ["hooks", "skills", "isolation", "initialPrompt"];
const KNOWN = [...DESCRIBES, ...BY_COMMAND, ...BY_POLICY, ...OTHERS];

/** Whether a text begins with front matter. */
export const hasFrontMatter = (text: string): boolean => /^---[ \t]*\r?\n/.test(text);

/** Reads an agent that is a page of Markdown: its front matter names it, and the rest is its prompt. */
export function readMarkdownAgent(file: string, text: string): AgentsRead {
  const [whole, front = "", body = ""] =
    /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*)|$)/.exec(text) ?? [];
  if (whole === undefined)
    return faulty(
      file,
      "The agent has no front matter",
      "Begin the file with `---`, `name: …`, `---`",
    );
  let values: Readonly<Record<string, Json>>;
  try {
    values = valuesOf(file, front);
  } catch (error) {
    if (!(error instanceof BylawError)) throw error;
    return faulty(file, `The front matter cannot be read: ${error.message}`);
  }
  const { name = basename(file, ".md") } = values;
  if (!nameSchema.safeParse(name).success)
    return faulty(
      file,
      `The agent's name ${quote(String(name))} must be letters, digits, \`.\`, \`_\` and \`-\`, at most 100`,
    );
  const lines = front.split("\n");
  const findings = Object.keys(values)
    .filter((key) => !DESCRIBES.has(key))
    .map((key) => {
      const line = lines.findIndex((one) => one.startsWith(key)) + 2;
      const problem = { path: [key], message: warningOf(key), severity: "warning" } as const;
      return findingOf(file, { place: () => ({ line, column: 1 }) }, problem);
    });
  return { agents: { [String(name)]: { run: null, prompt: body.trim(), env: [] } }, findings };
}

function warningOf(key: string): string {
  if (BY_COMMAND.includes(key)) return `\`${key}\` has no effect: the command of the agent sets it`;
  if (BY_POLICY.includes(key))
    return `\`${key}\` has no effect: policies say what the agent may do`;
  const near = KNOWN.includes(key) ? undefined : nearest(key, KNOWN);
  return `${quote(key)} has no effect${near === undefined ? "" : `. Did you mean \`${near}\`?`}`;
}

// Descriptions with colons often make the front matter invalid YAML. Then each line is read as a key and its text.
function valuesOf(file: string, front: string): Readonly<Record<string, Json>> {
  try {
    const { value } = parseSource(`${file}.yaml`, front);
    if (isJsonObject(value)) return value;
    if (value === null) return {};
  } catch (error) {
    if (!(error instanceof BylawError) || !error.message.startsWith("Not valid YAML")) throw error;
  }
  const pairs = front.split(/\r?\n/).flatMap((line) => {
    const [, key, text = ""] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    return key === undefined ? [] : [[key, text.trim().replace(/^(["'])(.*)\1$/, "$2")] as const];
  });
  const twice = pairs.find(([key], index) => pairs.findIndex(([one]) => one === key) < index);
  if (twice !== undefined)
    throw new BylawError({
      code: "BYLAW_TEMPLATE_INVALID",
      message: `\`${twice[0]}\` is given twice`,
    });
  return Object.fromEntries(pairs);
}
