// Keys that insert the contents of the person's clipboard, which may hold anything: they need the level "full", as in
// the hub (`pastes` in kapture/page/input/keys.py).

const [CONTROL, META, SHIFT] = [2, 4, 8]; // bits of `modifiers` of CDP's `Input.dispatchKeyEvent`
const [V, INSERT] = [86, 45]; // Windows virtual key codes, by which Blink finds the editing command

/**
 * Whether the browser may paste on this key. It reads what a key is from several parameters: any of them counts.
 * @param {any} params of `Input.dispatchKeyEvent`
 */
export function pastes({ type, key, code, modifiers = 0, windowsVirtualKeyCode, nativeVirtualKeyCode, commands = [] } = {}) {
  if (commands.some((/** @type {unknown} */ command) => /^paste/i.test(String(command)))) return true;
  if (type === "keyUp") return false;
  const is = (/** @type {string} */ name, /** @type {string} */ place, /** @type {number} */ number) =>
    String(key).toLowerCase() === name || code === place || windowsVirtualKeyCode === number || nativeVirtualKeyCode === number;
  if (is("v", "KeyV", V)) return Boolean(modifiers & (CONTROL | META));
  return is("paste", "Paste", -1) || (is("insert", "Insert", INSERT) && Boolean(modifiers & SHIFT));
}
