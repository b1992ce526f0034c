export { directivesOf, type WorkflowDirective } from "./directives.ts";
export { phases } from "./phases.ts";
