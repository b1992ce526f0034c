import { resolve } from "node:path";
import { userInfo } from "node:os";
import { inspectServer } from "@bylaw/host-mcp/proxy";
import { hasOperators, operatorsFile, unauthorized } from "@bylaw/orchestrator/approvals";
import { answererOf, confirmed } from "../approve/authority.ts";
import { write } from "../io/output.ts";
import { count, plain } from "../io/text.ts";
import type { NamedServer } from "./server-options.ts";

/** Shows a person the tools and instructions of a server and pins their digests. Throws BYLAW_APPROVAL_UNAUTHORIZED for anybody else. */
export async function acceptTools(
  { name, server, limit, pins }: NamedServer,
  config: string | undefined,
  token: string | undefined,
): Promise<void> {
  const file = config ?? resolve("bylaw.config");
  const by = hasOperators(operatorsFile(file)) ? undefined : userInfo().username;
  const { ask } = answererOf(file, by, token);
  const { tools, instructions, digests } = await inspectServer(server, limit);
  const pinned = pins.read();
  const shown: readonly (readonly [string, unknown, string | undefined])[] = [
    ...(instructions === undefined ? [] : [["(instructions)", instructions, undefined] as const]),
    ...tools.map((tool) => [tool.name, tool.definition, tool.fault] as const),
  ];
  for (const [tool, text, fault] of shown) {
    const before = pinned.get(tool);
    const state =
      fault ?? (before === undefined ? "new" : before === digests.get(tool) ? "same" : "changed");
    process.stderr.write(`${plain(`${tool}: ${state}`)}\n`);
    if (state === "new" || state === "changed")
      process.stderr.write(`  ${plain(JSON.stringify(text))}\n`);
  }
  if (ask && !(await confirmed("These will be accepted. Type yes to continue: ")))
    throw unauthorized("The answer was not `yes`", "Nothing was accepted");
  pins.pin(digests);
  await write(`Accepted ${count(digests.size, "definition")} of \`${name}\`\n`);
}
