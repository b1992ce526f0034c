export { describeIssues } from "./issues.ts";
export { isBlank, visibleText } from "./blank.ts";
export { keysAt, type KeySchema } from "./keys-at.ts";
export { formatLocation } from "./location.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { oneLine, prose, quote, quoteAll } from "./quote.ts";
export { salvage, type Salvaged } from "./salvage.ts";
