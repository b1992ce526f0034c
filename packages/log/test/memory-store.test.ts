import { createMemoryStore } from "../src/index.ts";
import { describeStore } from "./store-conformance.ts";

describeStore("the memory store", ({ now }) => ({ store: createMemoryStore({ now }) }));
