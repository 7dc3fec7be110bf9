// For `node --import`: runs TypeScript as the build makes it. tsx gives every closure its name anew and leaves node's
// globals as they are, which costs a store check a tenth of its time.
import { register } from "node:module";

register("./as-built-hooks.js", import.meta.url);
