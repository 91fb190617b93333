/* Zoom for pictures: they scroll by themselves. */

const STEP = 1.25;
const [LEAST, MOST] = [0.1, 4];

/** Shows pictures as large as they were made to be shown before. */
export function fitPictures(within) {
  for (const figure of within.querySelectorAll('figure.picture')) apply(figure);
}

/** Does what a button says. */
export function zoomOf(button) {
  const figure = button.closest('figure');
  const svg = figure.querySelector('svg');
  if (!svg) return;
  const zoom = Number(figure.dataset.zoomed ?? 1);
  const whole = figure.querySelector('.scroll').clientWidth / svg.viewBox.baseVal.width;
  const next = { in: zoom * STEP, out: zoom / STEP, fit: Math.min(1, whole), real: 1 }[button.dataset.zoom];
  figure.dataset.zoomed = String(Math.min(MOST, Math.max(LEAST, next)));
  apply(figure);
}

function apply(figure) {
  const svg = figure.querySelector('svg');
  if (!svg || figure.dataset.zoomed === undefined) return;
  svg.style.width = `${svg.viewBox.baseVal.width * Number(figure.dataset.zoomed)}px`;
  svg.style.height = 'auto';
}
