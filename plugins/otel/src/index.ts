export { otel } from "./otel.ts";
