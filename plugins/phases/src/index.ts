export { EVENT_TYPES, type DirectiveIssued, type DirectiveReport } from "./directive-events.ts";
export { openDirectives, type OpenDirective } from "./directive-state.ts";
export { directivesOf, type WorkflowDirective } from "./directives.ts";
export {
  completeDirective,
  issueDirectives,
  type DirectiveCompletion,
} from "./issue-directives.ts";
export { phases } from "./phases.ts";
