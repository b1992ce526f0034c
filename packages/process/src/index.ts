export { canContain, obstacleTo, type Containment, type Obstacle } from "./contain.ts";
export { isRoot, ownerOf, UNPRIVILEGED, type User } from "./contain-user.ts";
export { programEnvironment, type EnvironmentOptions } from "./environment.ts";
export { canLimit, type Limits } from "./limits.ts";
export type { Output, OutputLimit } from "./output.ts";
export type { ProgramEnd, ProgramStart } from "./program.ts";
export { runProgram } from "./run-program.ts";
export { endMarked } from "./orphan-processes.ts";
