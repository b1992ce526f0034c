export { coordinator } from "./coordinator.ts";
