// jQuery UI looks for jQuery in the global scope.
import $ from "jquery";
Object.assign(globalThis, { $, jQuery: $ });
export default $;
