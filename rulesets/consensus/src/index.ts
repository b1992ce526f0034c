export { consensus } from "./consensus.ts";
