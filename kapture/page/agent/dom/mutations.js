// What a page reports as mutations and has not changed: attributes that are set again to what they are.

/** Everything, with what `hasChanged` needs to know. */
export const ANY_CHANGE = { childList: true, characterData: true, attributes: true, attributeOldValue: true, subtree: true };

/** Whether any of these is a change. @param {MutationRecord[]} records */
export function hasChanged(records) {
  return records.some(({ type, target, attributeName, attributeNamespace, oldValue }) => {
    if (type !== "attributes" || attributeName === null) return true;
    return /** @type {Element} */ (target).getAttributeNS(attributeNamespace, attributeName) !== oldValue;
  });
}
