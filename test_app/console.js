/**
 * The Console: what goes on in every tab, and any command run by hand.
 */

import { App } from "./model/app.js";
import { AppView } from "./views/app.js";

const app = new App();
const view = new AppView();
view.app = app;
document.body.replaceChildren(view);
app.start();
