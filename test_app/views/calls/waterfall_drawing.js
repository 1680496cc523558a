/**
 * The waterfall's picture: lanes with their names at the left, a time axis on top, bars.
 */

import { clock, milliseconds } from "../../ui/components/time_text.js";
import { stateOf } from "../../model/calls.js";
import { hueOf, stepOf } from "../../model/lanes.js";

/** @typedef {import("../../model/lanes.js").Lane & {name: string}} Lane */
/**
 * @typedef {object} Scene
 * @property {Lane[]} lanes
 * @property {number} from Unix milliseconds
 * @property {number} to
 * @property {number} selected number of a call
 * @property {string[]} clients
 * @property {number} labels px at the left
 * @property {number} axis px on top, which stay there while lanes are scrolled
 * @property {number} height px of the picture
 * @property {number} scrolled px of the lanes above it
 */

const ROW_HEIGHT = 12;
const LEAST_PX = 3;
const LANE_MARGIN = 3; // px above and below its rows
const SLACK_PX = 8; // beside a bar, where it still can be pressed: it moves while a person aims at it

/**
 * Colours and fonts of the picture.
 * @typedef {object} Drawing
 * @property {CanvasRenderingContext2D} context
 * @property {Scene} scene
 * @property {number} width px of the picture
 * @property {(time: number) => number} x where a time is, in px
 * @property {ReturnType<typeof coloursOf>} colours
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Scene} scene
 */
export function drawWaterfall(canvas, scene) {
  const { from, to, labels, height } = scene;
  const width = canvas.clientWidth;
  const ratio = devicePixelRatio;
  fitTo(canvas, width * ratio, height * ratio, height);
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  const x = (/** @type {number} */ time) => labels + ((time - from) / (to - from)) * (width - labels);
  const drawing = { context, scene, width, x, colours: coloursOf(canvas) };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = "middle";
  drawAxis(drawing);
  drawLanes(drawing);
  context.fillStyle = drawing.colours.line;
  context.fillRect(labels - 6, 0, 1, height);
}

/**
 * Size the canvas, which clears it and so happens only where the size is another.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width device pixels
 * @param {number} height device pixels
 * @param {number} cssHeight px
 */
function fitTo(canvas, width, height, cssHeight) {
  if (canvas.width === Math.round(width) && canvas.height === Math.round(height)) return;
  canvas.width = Math.round(width);
  canvas.height = Math.round(height);
  canvas.style.height = `${cssHeight}px`;
}

/** The palette's colours, which a canvas cannot look up by itself. @param {HTMLCanvasElement} canvas */
function coloursOf(canvas) {
  const probe = document.createElement("span");
  canvas.parentElement?.append(probe);
  const [text, quiet, line, bad, raised] = ["--text", "--quiet", "--line", "--bad", "--raised"].map((name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return { text, quiet, line, bad, raised, ground: colourOf(getComputedStyle(canvas).backgroundColor, canvas) };
}

/** @param {Drawing} drawing */
function drawAxis({ context, scene: { from, to, labels, axis, height }, width, x, colours }) {
  const step = stepOf(to - from, (width - labels) / 90);
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x(time)), 0, 1, height);
    context.fillStyle = colours.quiet;
    const label = step < 1_000 ? `−${milliseconds(to - time)}` : clock(time);
    if (x(time) + 4 + context.measureText(label).width <= width) context.fillText(label, x(time) + 4, axis / 2);
  }
}

/** @param {Drawing} drawing */
function drawLanes(drawing) {
  const { context, scene, width } = drawing;
  const { lanes, axis, height, scrolled } = scene;
  context.save();
  context.beginPath();
  context.rect(0, axis, width, height - axis);
  context.clip();
  let top = axis - scrolled;
  lanes.forEach((lane, at) => {
    const above = top;
    top += heightOf(lane.rows);
    if (top > axis && above < height) drawLane(drawing, lane, above, at % 2 === 0); // else it is not in view
  });
  context.restore();
}

/**
 * @param {Drawing} drawing
 * @param {Lane} lane
 * @param {number} top px from the picture's top
 * @param {boolean} striped every second lane has another ground
 */
function drawLane({ context, scene, width, x, colours }, { name, bars, rows }, top, striped) {
  const { clients, labels, selected } = scene;
  const laneHeight = heightOf(rows);
  if (striped) {
    context.globalAlpha = 0.6;
    context.fillStyle = colours.raised;
    context.fillRect(0, top, width, laneHeight);
    context.globalAlpha = 1;
  }
  for (const bar of visible(bars, x, selected)) {
    const hue = hueOf(bar.call.client, clients);
    drawBar(context, bar, { x, top: top + LANE_MARGIN, left: labels, right: width, hue, colours, selected: bar.call.number === selected });
  }
  // The name is drawn over bars that extend in from the left.
  context.fillStyle = striped ? colours.raised : colours.ground;
  context.fillRect(0, top, labels - 6, laneHeight);
  context.fillStyle = colours.text;
  context.fillText(fitting(context, name, labels - 24), 12, top + laneHeight / 2);
}

/** The height of a lane, in px. @param {number} rows */
export function heightOf(rows) {
  return rows * ROW_HEIGHT + 2 * LANE_MARGIN;
}

/**
 * The call whose bar is drawn at a place, or nearest to it; of several, the one on top.
 * @param {Scene} scene
 * @param {number} width px of the picture
 * @param {number} x px from its left
 * @param {number} y px from its top
 */
export function callAt(scene, width, x, y) {
  const { from, to, labels } = scene;
  const found = x < labels ? null : laneAt(scene, y);
  if (!found) return null;
  const msPerPx = (to - from) / Math.max(1, width - labels);
  const time = from + (x - labels) * msPerPx;
  const row = Math.floor((y - found.top - LANE_MARGIN) / ROW_HEIGHT);
  let [nearest, least] = [/** @type {import("../../model/lanes.js").Bar | null} */ (null), SLACK_PX * msPerPx];
  for (const bar of found.lane.bars) {
    const distance = Math.max(bar.from - time, time - Math.max(bar.to, bar.from + LEAST_PX * msPerPx), 0);
    if (bar.row === row && distance <= least) [nearest, least] = [bar, distance];
  }
  return nearest?.call ?? null;
}

/**
 * The lane at a height, and where it begins.
 * @param {Scene} scene
 * @param {number} y px from the picture's top
 */
export function laneAt({ lanes, axis, scrolled }, y) {
  if (y < axis) return null;
  let top = axis - scrolled;
  for (const lane of lanes) {
    if (y < top + heightOf(lane.rows)) return { lane, top };
    top += heightOf(lane.rows);
  }
  return null;
}

/**
 * Without the bars of calls that succeeded behind another one's: thousands stand in a few pixels.
 * @param {readonly import("../../model/lanes.js").Bar[]} bars
 * @param {(time: number) => number} x
 * @param {number} selected
 */
export function visible(bars, x, selected) {
  /** @type {number[]} how far each row is filled, in px */
  const filled = [];
  return bars.filter(({ call, from, to, row }) => {
    const end = Math.max(x(to), x(from) + LEAST_PX);
    const hidden = Math.round(end) <= filled[row] && call.outcome === "ok" && call.number !== selected;
    filled[row] = Math.max(filled[row] ?? -Infinity, Math.round(end));
    return !hidden;
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("../../model/lanes.js").Bar} bar
 * @param {{
 *   x: (time: number) => number, top: number, left: number, right: number, hue: number, colours: Drawing["colours"], selected: boolean
 * }} how
 */
function drawBar(context, { call, from, started, to, row }, { x, top, left, right, hue, colours, selected }) {
  const { bad, quiet, text } = colours;
  const state = stateOf(call);
  const y = top + row * ROW_HEIGHT + 1;
  const height = ROW_HEIGHT - 3;
  const begin = Math.max(left, x(from));
  const beyond = right + height; // far out there a bar of some minutes would have millions of strokes
  const run = Math.min(beyond, Math.max(left, x(started ?? to)));
  const end = Math.min(beyond, Math.max(x(to), begin + LEAST_PX));
  if (run > begin + 0.5) {
    context.save();
    context.globalAlpha = 0.5;
    context.strokeStyle = quiet;
    context.lineWidth = 1;
    context.beginPath();
    context.rect(begin, y, run - begin, height);
    context.clip();
    for (let at = begin - height; at < run; at += 4) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.stroke();
    context.restore();
  }
  if (started !== null) {
    context.fillStyle = { failed: bad, cancelled: quiet }[/** @type {string} */ (state)] ?? `hsl(${hue} 62% 52%)`;
    context.globalAlpha = call.outcome === undefined ? 0.75 : 1;
    drawRun(context, run, y, Math.max(LEAST_PX, end - run), height);
    context.globalAlpha = 1;
  } else if (state === "failed" || state === "cancelled") {
    context.fillStyle = state === "failed" ? bad : quiet;
    context.fillRect(end - LEAST_PX, y, LEAST_PX, height);
  }
  if (!selected) return;
  context.strokeStyle = text;
  context.lineWidth = 1.5;
  context.strokeRect(begin - 1.5, y - 1.5, end - begin + 3, height + 3);
}

/**
 * With round corners where there is room for them; there may be thousands without, and a path costs much more than a rectangle.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function drawRun(context, x, y, width, height) {
  if (width < 2 * LEAST_PX) return context.fillRect(x, y, width, height);
  context.beginPath();
  context.roundRect(x, y, width, height, 2);
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} width
 */
function fitting(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, 40);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

/**
 * @param {string} colour
 * @param {HTMLElement} element
 */
function colourOf(colour, element) {
  const host = /** @type {ShadowRoot} */ (element.getRootNode()).host;
  return colour === "rgba(0, 0, 0, 0)" ? getComputedStyle(host).backgroundColor : colour;
}
