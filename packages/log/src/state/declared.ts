import type { Guard, KernelApi, Sink } from "@bylaw/kernel";

/** One event type with its details, as a plugin declares it. */
export type EventType = Parameters<KernelApi["event"]>[0];

/** Why a guard refuses an event. */
export type Finding = NonNullable<ReturnType<Guard>>;

/** One log, as a sink reads it. */
export type LogReader = Parameters<Sink["open"]>[0];

/** A sink that is open for one run. */
export type SinkWriter = Awaited<ReturnType<Sink["open"]>>;
