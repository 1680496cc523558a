import L from "leaflet";
import "leaflet/dist/leaflet.css";
import icon from "leaflet/dist/images/marker-icon.png";
import { place, report } from "./page.js";

const box = place("Leaflet").appendChild(document.createElement("div"));
box.style.cssText = "width: 640px; height: 400px; background: #cde";
const map = L.map(box, { zoomAnimation: false, fadeAnimation: false, inertia: false }).setView([48.2, 16.37], 10);
const shape = L.icon({ iconUrl: icon, iconSize: [25, 41], iconAnchor: [12, 41], popupAnchor: [0, -36] });
for (const [name, at] of Object.entries({ Cathedral: [48.208, 16.373], Palace: [48.184, 16.31] })) {
  L.marker(/** @type {[number, number]} */ (at), { icon: shape, title: name, alt: name }).addTo(map).bindPopup(`${name}: open from 9 to 18`);
}
map.on("zoomend", () => report("zoom", map.getZoom()));
map.on("popupopen", ({ popup }) => report("popup", popup.getContent()));
map.on("moveend", () => report("centre", [map.getCenter().lat, map.getCenter().lng].map((one) => Math.round(one * 100) / 100)));
