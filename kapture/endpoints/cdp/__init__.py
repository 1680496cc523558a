"""The CDP endpoint: WebSockets at `/cdp` that look like a browser, for Playwright, Puppeteer and other CDP clients.

The browser that a script sees has one browser context, and in it the connected tabs that are granted `full`
(`shown_tabs`). The hub answers for the browser itself (`browser_methods`): `Target`, and what can be answered of
`Browser` and of the cookies in `Storage`. Everything else belongs to a tab: each page session that a script attaches is
a CDP session of its own in the real browser (`Backend.script_session`), and carries methods and events within the
grant, each judged by the same rules as the command `cdp` (`page_session`). A tab of the extension has one session,
which script and hub use in turn, and the script's sessions share (`kapture.backends.shared_session`).

A script holds each tab to which it is attached (`held_tab`, `kapture.hub.holding`) until it detaches or its socket
ends. `script` is one connection, with its sessions (`attachments`) and its messages in order. Sessions of frames and
workers keep the ids that the browser gave them; the ids of the others are made here.

Puppeteer attaches to targets of the type `tab`, and to the page from there: each tab is shown as both, if the client
asks for `tab`.
"""
