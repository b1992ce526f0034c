import { removeTemporaryFolders } from "@bylaw/testing";
import { afterAll } from "vitest";

afterAll(removeTemporaryFolders);
