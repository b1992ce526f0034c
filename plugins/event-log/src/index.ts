export { eventLog } from "./event-log.ts";
export { redactSecrets } from "./redactor.ts";
export type { Head } from "./heads.ts";
export {
  verifyHeads,
  type HeadFinding,
  type HeadsInput,
  type HeadsReport,
  type Link,
} from "./verify-heads.ts";
