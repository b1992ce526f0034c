import type { Guard, KernelApi, Sink } from "@bylaw/kernel";

/** The details of one type of event, as a plugin declares it. */
export type EventType = Parameters<KernelApi["event"]>[0];

/** Why a guard finds an event impossible now. */
export type Finding = NonNullable<ReturnType<Guard>>;

/** One log, as a sink reads it. */
export type LogReader = Parameters<Sink["open"]>[0];

/** A sink at work on one run. */
export type SinkWriter = Awaited<ReturnType<Sink["open"]>>;
