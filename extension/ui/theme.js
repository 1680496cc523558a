/**
 * The theme that the person chose in the options, else the system's. Panels follow DevTools instead.
 */

import { setting } from "../worker/settings.js";

export async function showTheme() {
  const theme = await setting("theme");
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
