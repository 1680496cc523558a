/**
 * Tab groups of clients: the tabs that a client has opened stand in a group with its name and colour. Only groups that were
 * made here are changed, and only tabs that a client has opened are put into one, once, when they are its; a person may
 * move them anywhere.
 */

/** @typedef {{name: string, colour: string, session: string}} Owner */

const KEY = "groups";
/** One change at a time: two at once would make two groups. */
let changing = Promise.resolve();

/** The groups that were made here: for each window and session one. @returns {Promise<Record<string, number>>} */
async function known() {
  const { [KEY]: groups = {} } = /** @type {any} */ (await chrome.storage.session.get(KEY));
  return groups;
}

/**
 * Put a tab into the group of its owner, or take one that is nobody's out of such a group.
 * @param {number} chromeTabId
 * @param {Owner | null} owner
 */
export function groupTab(chromeTabId, owner) {
  return (changing = changing.catch(() => {}).then(() => group(chromeTabId, owner)));
}

/**
 * @param {number} chromeTabId
 * @param {Owner | null} owner
 */
async function group(chromeTabId, owner) {
  const groups = await known();
  const { windowId, groupId } = await chrome.tabs.get(chromeTabId);
  if (!owner) {
    if (Object.values(groups).includes(groupId)) await chrome.tabs.ungroup(chromeTabId);
    return;
  }
  const name = `${windowId} ${owner.session}`;
  const existing = groups[name] === undefined ? null : await chrome.tabGroups.get(groups[name]).catch(() => null);
  if (existing && existing.windowId === windowId) {
    if (groupId !== existing.id) await chrome.tabs.group({ tabIds: chromeTabId, groupId: existing.id });
    return;
  }
  const made = await chrome.tabs.group({ tabIds: chromeTabId, createProperties: { windowId } });
  await chrome.tabGroups.update(made, { title: owner.name, color: /** @type {chrome.tabGroups.Color} */ (owner.colour) });
  await chrome.storage.session.set({ [KEY]: { ...groups, [name]: made } });
}
