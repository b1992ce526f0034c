export { isBlank, visibleText } from "./blank.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { oneLine, prose, quote, quoteAll } from "./quote.ts";
