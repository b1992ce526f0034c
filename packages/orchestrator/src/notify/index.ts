export { tellOperators } from "./tell-operators.ts";
