export {
  defineExamples,
  type Example,
  type ExampleFactory,
  type ExampleSet,
  type OptionsOf,
  type PastEvent,
} from "./example.ts";
export {
  describeExamples,
  runExamples,
  type ExampleResult,
  type TestRunner,
} from "./run-examples.ts";
export { freePort } from "./free-port.ts";
export { pathRules } from "./path-rules.ts";
export { pluginOf } from "./plugin-of.ts";
export { readCases } from "./read-cases.ts";
export { startPostgres, type PostgresOptions, type PostgresServer } from "./postgres.ts";
export { behavior, response, toolCall, transition, type SubjectSketch } from "./subjects.ts";
export { printedLines, type PrintedLines, type StartedChild } from "./printed-lines.ts";
export { runChild } from "./run-child.ts";
export { removeTemporaryFolders, temporaryFolder } from "./temporary-folder.ts";
export { voteOf } from "./vote-of.ts";
export { describeStore } from "./store/conformance.ts";
export type { StoreClock, StoreFactory, StoreUnderTest } from "./store/kit.ts";
export type { StoreModule } from "./store/crash-lines.ts";
export { crashStore, type CrashOptions, type CrashReport } from "./store/crash-store.ts";
export { killWriters, type KillOptions } from "./store/kill-writers.ts";
