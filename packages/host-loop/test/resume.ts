// A separate process that makes a call again with a person's answer.
import { text } from "node:stream/consumers";
import { guardFunctions, type ToolUse } from "../src/index.ts";
import { openKit } from "./kit.ts";

const { file, use, approved } = JSON.parse(await text(process.stdin)) as {
  readonly file: string;
  readonly use: ToolUse;
  readonly approved: boolean;
};
const write = ({ path }: { readonly path: string }) => `wrote ${path}`;
const { call } = guardFunctions({ write }, await openKit(file));
console.log(JSON.stringify(await call(use, { approved, by: "ada" })));
