export { copilot } from "./copilot.ts";
