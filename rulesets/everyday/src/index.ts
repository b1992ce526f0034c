export { everyday } from "./everyday.ts";
