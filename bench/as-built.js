// For `node --import`: runs TypeScript as fast as the build's. tsx wraps every closure to keep its name, and leaves
// node's globals as they are, which costs a store check a tenth of its time.
import { register } from "node:module";

register("./as-built-hooks.js", import.meta.url);
