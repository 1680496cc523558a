// What the agent asks elements for, and a form may answer with one of its controls; see inherited.js.

/** What a form inherits in Chromium 156, but for event handlers, constants and `length`, which nobody asks a form for. */
const INHERITED = `
  acceptCharset accessKey action activeViewTransition addEventListener after animate append appendChild
  ariaActiveDescendantElement ariaAtomic ariaAutoComplete ariaBrailleLabel ariaBrailleRoleDescription ariaBusy
  ariaChecked ariaColCount ariaColIndex ariaColIndexText ariaColSpan ariaControlsElements ariaCurrent
  ariaDescribedByElements ariaDescription ariaDetailsElements ariaDisabled ariaErrorMessageElements ariaExpanded
  ariaFlowToElements ariaHasPopup ariaHidden ariaInvalid ariaKeyShortcuts ariaLabel ariaLabelledByElements ariaLevel
  ariaLive ariaModal ariaMultiLine ariaMultiSelectable ariaNotify ariaOrientation ariaPlaceholder ariaPosInSet
  ariaPressed ariaReadOnly ariaRelevant ariaRequired ariaRoleDescription ariaRowCount ariaRowIndex ariaRowIndexText
  ariaRowSpan ariaSelected ariaSetSize ariaSort ariaValueMax ariaValueMin ariaValueNow ariaValueText assignedSlot
  attachInternals attachShadow attributeStyleMap attributes autocapitalize autocomplete autofocus baseURI before
  blur checkValidity checkVisibility childElementCount childNodes children classList className click clientHeight
  clientLeft clientTop clientWidth cloneNode closest compareDocumentPosition computedStyleMap contains
  contentEditable currentCSSZoom customElementRegistry dataset dir dispatchEvent draggable editContext elementTiming
  elements encoding enctype enterKeyHint firstChild firstElementChild focus focusGroup focusGroupStart getAnimations
  getAttribute getAttributeNS getAttributeNames getAttributeNode getAttributeNodeNS getBoundingClientRect
  getClientRects getElementsByClassName getElementsByTagName getElementsByTagNameNS getHTML getRootNode hasAttribute
  hasAttributeNS hasAttributes hasChildNodes hasPointerCapture hidden hidePopover id inert innerHTML innerText
  inputMode insertAdjacentElement insertAdjacentHTML insertAdjacentText insertBefore isConnected isContentEditable
  isDefaultNamespace isEqualNode isSameNode lang lastChild lastElementChild localName lookupNamespaceURI
  lookupPrefix matches method moveBefore name namespaceURI nextElementSibling nextSibling noValidate nodeName
  nodeType nodeValue nonce normalize offsetHeight offsetLeft offsetParent offsetTop offsetWidth outerHTML outerText
  ownerDocument parentElement parentNode part popover prefix prepend previousElementSibling previousSibling pseudo
  querySelector querySelectorAll rel relList releasePointerCapture remove removeAttribute removeAttributeNS
  removeAttributeNode removeChild removeEventListener replaceChild replaceChildren replaceWith reportValidity
  requestFullscreen requestPointerLock requestSubmit reset role scroll scrollBy scrollHeight scrollIntoView
  scrollIntoViewIfNeeded scrollLeft scrollTo scrollTop scrollWidth setAttribute setAttributeNS setAttributeNode
  setAttributeNodeNS setHTML setHTMLUnsafe setPointerCapture shadowRoot showPopover slot spellcheck
  startViewTransition style submit tabIndex tagName target textContent title toggleAttribute togglePopover translate
  virtualKeyboardPolicy webkitMatchesSelector webkitRequestFullScreen webkitRequestFullscreen when
  writingSuggestions
`;

/** What fields and links have, and elements are asked for before it is known what they are. */
const OF_FIELDS = `
  checked control disabled files form href indeterminate label labels list max min multiple open options placeholder
  popoverTargetElement readOnly required selected selectedIndex selectedOptions selectionEnd selectionStart src type
  validity value willValidate
`;

export const FORM_PROPERTIES = new Set(`${INHERITED}${OF_FIELDS}`.trim().split(/\s+/));
