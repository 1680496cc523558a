// The hub serves extension/ui/ to the Console as ./ui/: imported first, this lets Node find it there too.
import { register } from "node:module";

const hook = `
const [shown, real] = ["/test_app/ui/", "/extension/ui/"];
export async function resolve(specifier, context, next) {
  const url = new URL(specifier, context.parentURL ?? "file:///");
  const meant = specifier.startsWith(".") && url.pathname.includes(shown) ? url.href.replace(shown, real) : specifier;
  return next(meant, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
