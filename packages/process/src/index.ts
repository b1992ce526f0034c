export {
  canContain,
  containmentObstacle,
  type Containment,
  type ContainmentObstacle,
} from "./contain.ts";
export { isRoot, ownerOf, NOBODY, type User } from "./contain-user.ts";
export { programEnvironment, type EnvironmentOptions } from "./environment.ts";
export { canLimit, type Limits } from "./limits.ts";
export type { Output, OutputLimit } from "./output.ts";
export type { ProgramEnd, ProgramStart } from "./program.ts";
export { runProgram } from "./run-program.ts";
export { killByEnvironment } from "./orphan-processes.ts";
