// What classes and file names say of an icon. Nothing here touches the document.

/** Prefixes of icon fonts and sprites. */
const PREFIX =
  /^(?:fa[bdlrs]?|bi|mdi|ti|ri|ph|bx[ls]?|las?|pi|glyphicon|icons?|ico|lucide|feather|octicon|codicon|anticon|el-icon|uil?|typcn|ion|tabler-icon|svg|sprite)-+(.+)$/;

/** How else classes name what a button is for. */
const AFFIXES = [/^(.+?)-+(?:icon|ico|btn|button)$/, /^(?:btn|button|action|js)-+(.+)$/];

/** Words that say how something looks, and not what it is. */
const LOOKS =
  /^(?:\d.*|[a-z]{1,2}|x?xs|lg|xl|xxl|small|medium|large|tiny|big|fw|spin|pulse|solid|regular|light|thin|duotone|brands|outlined?|rounded|round|sharp|fill(?:ed)?|stroke|wrapper|container|inner|outer|root|base|svg|icons?|btn|button|primary|secondary|success|danger|warning|info|dark|default|ghost|text|block|group|outline-.*|inline|img|image|toolbar|nav|size-.*|color-.*|bg-.*|style-.*|active|disabled|hover|focus|selected|circle|square|stack.*|inverse|white|black|muted|only|label|tooltip)$/;

/** Words that say what a button is for, when they stand alone. */
const PURPOSES =
  /^(?:add|attach|back|bell|bold|bookmark|calendar|camera|cancel|cart|check|clear|clock|close|collapse|copy|decrement|decrease|delete|down|download|edit|emoji|expand|eye|favorite|filter|flag|forward|fullscreen|gear|hamburger|heart|help|hide|home|increment|increase|italic|kebab|left|like|link|location|lock|login|logout|mail|menu|minimize|maximize|minus|more|mute|next|notifications?|ok|pause|pencil|phone|pin|play|plus|prev|previous|print|profile|redo|refresh|reload|remove|right|save|search|send|settings|share|show|sort|star|stop|toggle|trash|underline|undo|unlock|up|upload|user|volume|zoom-in|zoom-out)$/;

/** Classes that tools make up. */
const MADE_UP = /^(?:css|sc|jss|mui|chakra|svelte|ng|ember|astro|emotion|styled|_)-|__|[:[\]/!@]|[a-z]\d[a-z0-9]{2,}|\d[a-z]\d/;

/**
 * What a class says of an icon: `fa-trash-o` → `trash-o`, `CloseIcon` → `close`. Undefined when it says nothing.
 * @param {string} token
 */
export function iconWord(token) {
  const kebab = kebabOf(token);
  if (kebab.length > 40 || MADE_UP.test(token) || MADE_UP.test(kebab)) return undefined;
  for (const pattern of [PREFIX, ...AFFIXES]) {
    const word = pattern.exec(kebab)?.[1];
    if (word && !LOOKS.test(word)) return word;
  }
  return PURPOSES.test(kebab) ? kebab : undefined;
}

/**
 * What an address says of a picture: `/img/Trash.3fa9c1.svg?v=2` → `trash`, `#icon-edit` → `edit`.
 * @param {string} address
 */
export function fileWord(address) {
  if (address.startsWith("data:") || address.startsWith("blob:")) return undefined;
  const last = address.replace(/[?].*$/, "").split(/[#/:]/).filter(Boolean).pop() ?? "";
  let name = last.replace(/\.(?:svg|png|gif|jpe?g|webp|avif|ico)$/i, "").replace(/[._-][0-9a-f]{6,}$/i, "");
  try {
    name = decodeURIComponent(name);
  } catch {
    // It is no encoded text.
  }
  const kebab = kebabOf(name);
  const word = PREFIX.exec(kebab)?.[1] ?? AFFIXES[0].exec(kebab)?.[1] ?? kebab;
  return /\p{L}/u.test(word) && word.length <= 40 ? word : undefined;
}

/** @param {string} word */
function kebabOf(word) {
  return word
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[_\s]+/g, "-")
    .toLowerCase();
}
