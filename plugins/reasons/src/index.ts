export { reasons } from "./reasons.ts";
