export { status } from "./status.ts";
