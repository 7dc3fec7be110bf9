// The console: starts what keeps it fresh, and draws.
import { render } from "preact";
import { App } from "./app.tsx";
import { keepFocus } from "./lib/keep-focus.ts";
import { startLive } from "./lib/live.ts";
import { showFocusedLinks } from "./lib/navigation.ts";
import { applyTheme } from "./lib/preferences.ts";

applyTheme();
startLive();
keepFocus();
showFocusedLinks();
const root = document.getElementById("root");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
