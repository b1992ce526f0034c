export { didYouMean, nearest } from "./nearest.ts";
