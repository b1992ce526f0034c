export { recommended } from "./recommended.ts";
