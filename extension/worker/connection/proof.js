/**
 * The mutual proof: both ends show that they hold the hub's key without sending it (docs/PROTOCOL.md, "Proof").
 *
 * The signed texts differ by direction, so a MAC cannot be reflected.
 */

const encoder = new TextEncoder();

/**
 * @param {Uint8Array} bytes
 * @returns {string} base64url without padding
 */
export function toBase64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {string} text base64url without padding
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function fromBase64url(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new Error("not base64url");
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @returns {string} 32 random bytes, base64url */
export function newNonce() {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * Import the hub's key; it can sign and verify but not be exported.
 * @param {string} text base64url of 32 bytes
 * @returns {Promise<CryptoKey>}
 */
export async function importKey(text) {
  const bytes = fromBase64url(text);
  if (bytes.length !== 32) throw new Error("the key is not 32 bytes long");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

/**
 * The tab's MAC in answer to the hub's challenge.
 * @param {CryptoKey} key
 * @param {string} hubNonce
 * @param {string} tabNonce
 * @returns {Promise<string>}
 */
export async function tabMac(key, hubNonce, tabNonce) {
  const text = encoder.encode(`kapture-tab-v1\n${hubNonce}\n${tabNonce}`);
  return toBase64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, text)));
}

/**
 * Whether the other end holds the key. WebCrypto compares in constant time.
 * @param {CryptoKey} key
 * @param {string} hubNonce
 * @param {string} tabNonce
 * @param {string} mac
 * @returns {Promise<boolean>}
 */
export async function hubMacHolds(key, hubNonce, tabNonce, mac) {
  let bytes;
  try {
    bytes = fromBase64url(mac);
  } catch {
    return false;
  }
  const text = encoder.encode(`kapture-hub-v1\n${tabNonce}\n${hubNonce}`);
  return crypto.subtle.verify("HMAC", key, bytes, text);
}
