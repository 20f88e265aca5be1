// The plots of numbers.
import uPlot from 'uplot';

// Plots are drawn one in each frame, and again where their numbers or their width change.
const drawn = new WeakMap();
let queue = [];
export function plots(main) {
  for (const x of main.querySelectorAll('.plot')) {
    if (drawn.get(x)?.of !== x.dataset.plot && !queue.includes(x)) queue.push(x);
  }
  if (queue.length) requestAnimationFrame(next);
}
function next() {
  const x = queue.shift();
  if (x?.isConnected) draw(x);
  if (queue.length) requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(next)));
}

function draw(x) {
  const p = JSON.parse(x.dataset.plot);
  const css = getComputedStyle(document.documentElement);
  const color = (name) => css.getPropertyValue(name).trim();
  const axis = {stroke: color('--quiet'), grid: {stroke: color('--edge'), width: 1}, ticks: {show: false}, font: '12px system-ui, sans-serif'};
  const at = p.x.map((_, i) => i);
  const n = p.series.length;
  // A plot of names has little room below: the table has them all.
  const label = (u, splits) => splits.map((i) => {
    const text = Number.isInteger(i) && p.x[i] || '';
    return /^\d{4}-\d\d-\d\d$/.test(text) ? text.slice(5) : text.length > 14 ? text.slice(0, 13) + '…' : text;
  });
  drawn.get(x)?.plot.destroy();
  x.replaceChildren();
  const bars = (i) => uPlot.paths.bars({size: [0.8 / n, 60], align: n === 1 ? 0 : i - (n - 1) / 2 < 0 ? -1 : 1});
  const plot = new uPlot({
    width: x.clientWidth, height: 200, legend: {show: n > 1, live: false}, cursor: {show: false},
    scales: {x: {time: false, range: [-0.6, p.x.length - 0.4]}, y: {range: (u, lo, hi) => [0, hi > 0 ? hi * 1.1 : 1]}},
    axes: [{...axis, values: label, incrs: [1, 2, 5, 7, 10, 14, 30]}, {...axis, size: 64, incrs: whole(p) ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 1e9, 1e10] : undefined, values: (u, v) => v.map((k) => k >= 1e9 ? k / 1e9 + 'G' : k >= 1e6 ? k / 1e6 + 'M' : k >= 1e3 ? k / 1e3 + 'k' : k)}],
    series: [{}, ...p.series.map((s, i) => ({label: s.name, stroke: color('--plot-' + (i + 1)), fill: p.lines ? undefined : color('--plot-' + (i + 1)), width: p.lines ? 2 : 0, paths: p.lines ? undefined : bars(i), points: {show: p.lines && p.x.length < 12}}))],
  }, [at, ...p.series.map((s) => s.values)], x);
  drawn.set(x, {of: x.dataset.plot, plot});
}

const whole = (p) => p.series.every((s) => s.values.every(Number.isInteger));

let width = innerWidth;
function again() {
  for (const x of document.querySelectorAll('.plot')) drawn.has(x) && (drawn.get(x).of = '');
  plots(document);
}
addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; again(); } });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
