export { gates } from "./gates.ts";
