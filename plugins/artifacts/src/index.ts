export { artifacts } from "./artifacts.ts";
export { artifactJudge, type ArtifactJudge } from "./judge.ts";
