import { definePlugin, type KernelApi } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import type { ToolChange } from "./tool-table.ts";

/** The event of a tool that appeared at a server, or changed, after its tools were accepted. */
const TOOL_CHANGED = "mcp_tool_changed";

/** The event types that a proxy declares. */
export const EVENT_TYPES: readonly Parameters<KernelApi["event"]>[0][] = [
  {
    name: TOOL_CHANGED,
    details: z.strictObject({
      server: z.string().max(200),
      tool: z.string().max(200),
      /** The digest of the definition. Empty if it cannot be read. */
      digest: z.string().max(200),
      state: z.enum(["new", "changed"]),
      /** Whether the tool is offered nevertheless. */
      offered: z.boolean(),
    }),
  },
];

/** Declares the events of a proxy. It votes on no decision. */
export const proxyEvents = definePlugin({
  name: "@bylaw/host-mcp/events",
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    for (const type of EVENT_TYPES) kernel.event(type);
  },
});

/** The event of a changed tool. */
export const toolChanged = (
  server: string,
  { tool, digest, state, offered }: ToolChange,
): {
  readonly event_type: string;
  readonly details: Readonly<Record<string, string | boolean>>;
} => ({
  event_type: TOOL_CHANGED,
  details: { server, tool: tool.slice(0, 200), digest, state, offered },
});
