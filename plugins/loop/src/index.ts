export { countOf, loopCounters, type LoopCount } from "./counters.ts";
export { loop } from "./loop.ts";
