/**
 * The icons of buttons: SVG paths in a square of 16.
 */

const LOCK = "M4.7 7h6.6a1.2 1.2 0 0 1 1.2 1.2v4.1a1.2 1.2 0 0 1-1.2 1.2H4.7a1.2 1.2 0 0 1-1.2-1.2V8.2A1.2 1.2 0 0 1 4.7 7z";

export const ICON_PATHS = {
  lock: `${LOCK}M5.5 7V5a2.5 2.5 0 0 1 5 0v2`,
  openLock: `${LOCK}M5.5 7V4.6a2.5 2.5 0 0 1 4.8-.9`,
  cross: "M4 4l8 8M12 4l-8 8",
  pencil: "M3 13l.7-2.9L10.6 3.2a1.3 1.3 0 0 1 2.2 2.2L5.9 12.3 3 13z",
  up: "M8 13V3.5M4 7l4-4 4 4",
  down: "M8 3v9.5M4 9l4 4 4-4",
  back: "M10 3L5 8l5 5",
  grip: "M5.5 4v.01M5.5 8v.01M5.5 12v.01M10.5 4v.01M10.5 8v.01M10.5 12v.01",
};
