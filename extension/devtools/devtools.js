chrome.devtools.panels.create("Kapture", "icons/kapture-16.png", "ui/panel.html");
