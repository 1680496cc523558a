import { Checkbox, Dialog, DropdownMenu, Select, Slider, Switch, Tabs } from "radix-ui";
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { place, report } from "./page.js";

const app = place("Radix", `<style>[role=slider] { display: block; width: 16px; height: 16px; background: navy }</style>`);

function Rename() {
  const [name, setName] = useState("");
  return h(
    Dialog.Root,
    null,
    h(Dialog.Trigger, null, "Rename…"),
    h(
      Dialog.Portal,
      null,
      h(Dialog.Overlay, { style: { position: "fixed", inset: 0, background: "#0008" } }),
      h(
        Dialog.Content,
        { style: { position: "fixed", top: 80, left: 80, background: "white", padding: 20 } },
        h(Dialog.Title, null, "Rename the file"),
        h(Dialog.Description, null, "Choose a short name."),
        h("label", null, "Name ", h("input", { value: name, onChange: (event) => setName(event.target.value) })),
        h(Dialog.Close, { onClick: () => report("name", name) }, "Save"),
      ),
    ),
  );
}

function Size() {
  return h(
    Select.Root,
    { onValueChange: (value) => report("size", value) },
    h(Select.Trigger, { "aria-label": "Size" }, h(Select.Value, { placeholder: "Pick a size" })),
    h(
      Select.Portal,
      null,
      h(
        Select.Content,
        null,
        h(Select.Viewport, null, ["Small", "Medium", "Large"].map((one) => h(Select.Item, { key: one, value: one }, h(Select.ItemText, null, one)))),
      ),
    ),
  );
}

function Menu() {
  const item = (name) => h(DropdownMenu.Item, { key: name, onSelect: () => report("menu", name) }, name);
  return h(
    DropdownMenu.Root,
    null,
    h(DropdownMenu.Trigger, null, "File"),
    h(DropdownMenu.Portal, null, h(DropdownMenu.Content, null, ["New", "Open", "Print"].map(item))),
  );
}

function Settings() {
  return h(
    "div",
    null,
    h(Switch.Root, { "aria-label": "Wi-Fi", onCheckedChange: (on) => report("wifi", on), style: { width: 40, height: 20 } }, h(Switch.Thumb)),
    h(Checkbox.Root, { "aria-label": "Remember me", onCheckedChange: (on) => report("remember", on), style: { width: 20, height: 20 } }),
    h(
      Slider.Root,
      { defaultValue: [30], onValueChange: ([value]) => report("brightness", value), style: { display: "block", position: "relative", width: 200, height: 20 } },
      h(Slider.Track, { style: { display: "block", height: 4, background: "#ccc" } }, h(Slider.Range)),
      h(Slider.Thumb, { "aria-label": "Brightness" }),
    ),
    h(
      Tabs.Root,
      { defaultValue: "a", onValueChange: (value) => report("tab", value) },
      h(Tabs.List, null, h(Tabs.Trigger, { value: "a" }, "Account"), h(Tabs.Trigger, { value: "b" }, "Billing")),
      h(Tabs.Content, { value: "a" }, "Your account"),
      h(Tabs.Content, { value: "b" }, "Your invoices"),
    ),
  );
}

createRoot(app.appendChild(document.createElement("div"))).render(h("div", null, h(Rename), h(Size), h(Menu), h(Settings)));
