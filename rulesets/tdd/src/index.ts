export { fivePhases, tdd, type TddOptions } from "./tdd.ts";
