import {
  COORDINATOR_TYPES,
  RUN_TYPES,
  createCatalogue,
  type Catalogue,
  type CatalogueMode,
  type EventType,
} from "@bylaw/log";
import { EVENT_TYPES as HOST } from "@bylaw/host/events";
import { EVENT_TYPES as MCP } from "@bylaw/host-mcp/events";
import { EVENT_TYPES as SERVICE } from "@bylaw/orchestrator/events";
import { EVENT_TYPES as CHECKPOINT } from "@bylaw/plugin-checkpoint";
import { EVENT_TYPES as CONSENSUS } from "@bylaw/plugin-consensus";
import { EVENT_TYPES as CONSTITUTION } from "@bylaw/plugin-constitution";
import { EVENT_TYPES as GATES } from "@bylaw/plugin-gates";
import { EVENT_TYPES as MONITORING } from "@bylaw/plugin-monitoring";
import { EVENT_TYPES as PHASES } from "@bylaw/plugin-phases";
import { EVENT_TYPES as REASONS } from "@bylaw/plugin-reasons";
import { EVENT_TYPES as STATUS } from "@bylaw/plugin-status";
import { EVENT_TYPES as TASKS } from "@bylaw/plugin-tasks";
import { EVENT_TYPES as TOKENS } from "@bylaw/plugin-tokens";
import { EVENT_TYPES as TRIGGER } from "@bylaw/plugin-trigger";
import { EVENT_TYPES as VIBECHECK } from "@bylaw/plugin-vibecheck";
import { EVENT_TYPES as WORKFLOW } from "@bylaw/runner";

/** The event types that Bylaw's packages declare, besides those of every run and those of a coordinator. */
const DECLARED: readonly EventType[] = [
  ...[HOST, MCP, SERVICE, WORKFLOW, CHECKPOINT, CONSENSUS, CONSTITUTION, GATES, MONITORING],
  ...[PHASES, REASONS, STATUS, TASKS, TOKENS, TRIGGER, VIBECHECK],
].flat();

const BUILT_IN: ReadonlySet<string> = new Set(
  [...COORDINATOR_TYPES, ...RUN_TYPES].map(({ name }) => name),
);

/**
 * A catalogue of Bylaw's own event types and those of a configuration. If both declare a type, that of the configuration counts,
 * because it wrote the log. But no configuration can redefine the types that every run records.
 */
export function catalogueOf(mode: CatalogueMode, configured: readonly EventType[] = []): Catalogue {
  const types = new Map([...DECLARED, ...configured].map((type) => [type.name, type]));
  return createCatalogue({
    mode,
    types: [...types.values()].filter(({ name }) => !BUILT_IN.has(name)),
  });
}
