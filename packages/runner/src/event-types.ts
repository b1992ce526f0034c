import type { EventType } from "@bylaw/log";

import { WAKE_EVENTS } from "./wakes/events.ts";
import { WORKFLOW_EVENTS } from "./workflow/events.ts";

/** The event types that a runner records: of workflows, and of the drivers that wake them. */
export const EVENT_TYPES: readonly EventType[] = [...WORKFLOW_EVENTS, ...WAKE_EVENTS];
