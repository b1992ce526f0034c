export { openRestateDriver, type RestateDriverOptions } from "./restate-driver.ts";
