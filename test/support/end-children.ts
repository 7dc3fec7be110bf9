// Ends the child processes of a file with the file: the next one may run in the same process.
import { afterAll } from "vitest";
import { endChildren } from "./children.ts";

afterAll(endChildren);
