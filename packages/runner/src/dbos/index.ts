export { openDbosDriver, type DbosDriverOptions } from "./dbos-driver.ts";
