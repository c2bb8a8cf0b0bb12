// Zoomable bars on a canvas: the timeline and the flame graphs. Made for hundreds of thousands of bars: rows are
// sorted, the visible part is found by bisection, and bars below half a pixel are skipped a pixel at a time.
const ROW = 17, HEAD = 20, GAP = 8, RULER = 22, SMALLEST_VIEW = 2e-6;

function formatSeconds(value) {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0) + " s";
  if (size >= 10) return value.toFixed(1) + " s";
  if (size >= 1) return value.toFixed(2) + " s";
  if (size >= 0.1) return (value * 1e3).toFixed(0) + " ms";
  if (size >= 0.01) return (value * 1e3).toFixed(1) + " ms";
  if (size >= 1e-5) return (value * 1e3).toFixed(2) + " ms";
  return size < 5e-8 ? "0 s" : (value * 1e6).toFixed(1) + " µs";
}

// The first position in a row whose bar ends after `time`.
function firstEndingAfter(lane, row, time) {
  let low = 0, high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.end[row[middle]] <= time) low = middle + 1; else high = middle;
  }
  return low;
}

function unpackLane(title, kind, packed) {
  const count = packed.s.length;
  const lane = {
    title, kind, count, start: new Float64Array(count), end: new Float64Array(count),
    depth: packed.l, name: packed.n, what: packed.k, colour: packed.c, detail: packed.x, rows: [],
  };
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += packed.s[i];
    lane.start[i] = at / 1e6;
    lane.end[i] = (at + packed.d[i]) / 1e6;
    (lane.rows[packed.l[i]] ||= []).push(i);
  }
  for (let i = 0; i < lane.rows.length; i++) lane.rows[i] ||= [];
  return lane;
}

class Bars {
  constructor(root, lanes, options) {
    this.root = root; this.lanes = lanes; this.options = options;
    this.full = [options.from, Math.max(options.to, options.from + 1e-6)];
    this.view = [...this.full];
    this.selected = null; this.hovered = null; this.found = null; this.foundAt = -1;
    this.pane = root.querySelector(".pane");
    this.canvas = this.pane.querySelector("canvas");
    this.map = root.querySelector(".map");
    this.tip = root.querySelector(".tip");
    this.facts = root.parentElement.querySelector(".facts");
    this.spacer = document.createElement("div");
    this.layout();
    this.pane.append(this.spacer);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(root);
    this.resize();
  }

  layout() {
    let y = RULER;
    for (const lane of this.lanes) {
      lane.top = y;
      y += (lane.title ? HEAD : 0) + Math.max(1, lane.rows.length) * ROW + GAP;
    }
    this.height = y;
    const shown = Math.min(this.height, this.options.height || 430);
    this.pane.style.height = shown + "px";
    this.shown = shown;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.root.clientWidth;
    if (!this.width) return;
    for (const [canvas, height] of [[this.canvas, this.shown], [this.map, 30]]) {
      if (!canvas) continue;
      canvas.width = Math.round(this.width * ratio); canvas.height = Math.round(height * ratio);
      canvas.style.height = height + "px";
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.spacer.style.height = Math.max(0, this.height - this.shown) + "px";
    this.draw();
  }

  // --- geometry
  x(time) { return (time - this.view[0]) / (this.view[1] - this.view[0]) * this.width; }
  time(x) { return this.view[0] + x / this.width * (this.view[1] - this.view[0]); }
  show(from, to) {
    const length = Math.min(Math.max(to - from, SMALLEST_VIEW), this.full[1] - this.full[0]);
    from = Math.min(Math.max(from, this.full[0]), this.full[1] - length);
    this.view = [from, from + length];
    this.draw();
  }
  zoom(factor, x = this.width / 2) {
    const at = this.time(x), length = (this.view[1] - this.view[0]) * factor;
    this.show(at - x / this.width * length, at + (1 - x / this.width) * length);
  }
  pan(share) {
    const by = (this.view[1] - this.view[0]) * share;
    this.show(this.view[0] + by, this.view[1] + by);
  }
  reset() { this.show(...this.full); this.pane.scrollTop = 0; }
  focusOn(lane, i) {
    const length = Math.max(lane.end[i] - lane.start[i], SMALLEST_VIEW);
    this.show(lane.start[i] - length * 0.15, lane.end[i] + length * 0.15);
    const y = this.top(lane, i) - this.pane.scrollTop;
    if (y < RULER || y > this.shown - ROW) this.pane.scrollTop = this.top(lane, i) - this.shown / 2;
  }
  top(lane, i) { return lane.top + (lane.title ? HEAD : 0) + lane.depth[i] * ROW; }

  at(x, y) {
    const row = y + this.pane.scrollTop;
    if (y < RULER) return null;
    for (const lane of this.lanes) {
      const level = Math.floor((row - lane.top - (lane.title ? HEAD : 0)) / ROW);
      const ids = lane.rows[level];
      if (level < 0 || !ids) continue;
      const k = firstEndingAfter(lane, ids, this.time(x - 1.5));
      if (k < ids.length && lane.start[ids[k]] <= this.time(x + 1.5)) return { lane, i: ids[k] };
    }
    return null;
  }

  // --- drawing
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const g = this.canvas.getContext("2d"), theme = this.options.theme();
    const began = performance.now();
    g.clearRect(0, 0, this.width, this.shown);
    g.font = "11px system-ui, sans-serif"; g.textBaseline = "middle";
    const scroll = this.pane.scrollTop;
    let drawn = 0;
    for (const lane of this.lanes) {
      let y = lane.top - scroll;
      if (lane.title) {
        if (y > -HEAD && y < this.shown) {
          g.fillStyle = theme.soft; g.fillText(lane.title, 6, y + HEAD / 2);
        }
        y += HEAD;
      }
      for (let level = 0; level < lane.rows.length; level++, y += ROW) {
        if (y < RULER - ROW || y > this.shown) continue;
        drawn += this.paintRow(g, lane, lane.rows[level], y, theme);
      }
    }
    if (this.selected) this.outline(g, this.selected, theme.ink, 2);
    this.paintRuler(g, theme);
    this.paintMap(theme);
    this.lastPaint = performance.now() - began;
    this.drawn = drawn;
  }

  paintRow(g, lane, ids, y, theme) {
    const [from, to] = this.view, scale = this.width / (to - from);
    const matches = this.found && this.found.names;
    let drawn = 0;
    for (let k = firstEndingAfter(lane, ids, from); k < ids.length;) {
      const i = ids[k];
      if (lane.start[i] >= to) break;
      const left = Math.max(0, (lane.start[i] - from) * scale);
      const width = Math.min(this.width, (lane.end[i] - from) * scale) - left;
      const dim = matches && !matches[lane.name[i]];
      g.globalAlpha = dim ? 0.22 : 1;
      g.fillStyle = theme.colours[lane.colour[i]];
      g.fillRect(left, y + 1, Math.max(width - (width > 3 ? 0.6 : 0), 0.6), ROW - 2);
      drawn++;
      if (width > 26) {
        const label = this.options.names[lane.name[i]];
        const room = Math.floor((width - 8) / 5.9);
        g.fillStyle = theme.text[lane.colour[i]];
        g.fillText(label.length > room ? label.slice(0, Math.max(1, room - 1)) + "…" : label, left + 4, y + ROW / 2 + 0.5);
      }
      // Bars too small to see: go on at the next pixel, unless a search must not miss one.
      if (width < 0.5 && !matches) k = Math.max(k + 1, firstEndingAfter(lane, ids, from + (left + 1) / scale));
      else k++;
    }
    g.globalAlpha = 1;
    return drawn;
  }

  outline(g, { lane, i }, colour, thickness) {
    const left = this.x(lane.start[i]), right = this.x(lane.end[i]), y = this.top(lane, i) - this.pane.scrollTop;
    g.strokeStyle = colour; g.lineWidth = thickness;
    g.strokeRect(left, y + 1, Math.max(right - left, 2), ROW - 2);
  }

  paintRuler(g, theme) {
    g.fillStyle = theme.card; g.fillRect(0, 0, this.width, RULER);
    const length = this.view[1] - this.view[0], rough = length / Math.max(2, this.width / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    // The first step's own label has its place; what would lie under it is left out.
    const first = this.options.first, label = "first step done";
    const marked = first != null && first > this.view[0] && first < this.view[1];
    const wide = g.measureText(label).width, line = marked ? Math.round(this.x(first)) + 0.5 : 0;
    const from = line + 5 + wide > this.width ? line - 5 - wide : line + 5;
    g.fillStyle = theme.soft; g.strokeStyle = theme.line; g.lineWidth = 1;
    for (let t = Math.ceil(this.view[0] / step) * step; t < this.view[1]; t += step) {
      const x = Math.round(this.x(t)) + 0.5, text = formatSeconds(Math.abs(t) < step / 1e6 ? 0 : t);
      g.beginPath(); g.moveTo(x, RULER - 5); g.lineTo(x, RULER); g.stroke();
      const end = x + 3 + g.measureText(text).width;
      if (!marked || end + 6 < Math.min(from, line) || x > Math.max(from + wide, line) + 4) g.fillText(text, x + 3, RULER / 2);
    }
    if (marked) {
      g.strokeStyle = theme.accent; g.setLineDash([4, 3]);
      g.beginPath(); g.moveTo(line, 0); g.lineTo(line, this.shown); g.stroke(); g.setLineDash([]);
      g.fillStyle = theme.accent; g.fillText(label, from, RULER / 2);
    }
  }

  paintMap(theme) {
    if (!this.map) return;
    const g = this.map.getContext("2d"), [from, to] = this.full, scale = this.width / (to - from);
    g.clearRect(0, 0, this.width, 30);
    const lane = this.lanes[0], ids = lane ? lane.rows[0] || [] : [];
    for (let k = 0; k < ids.length;) {
      const left = (lane.start[ids[k]] - from) * scale, width = (lane.end[ids[k]] - lane.start[ids[k]]) * scale;
      g.fillStyle = theme.colours[lane.colour[ids[k]]];
      g.fillRect(left, 4, Math.max(width, 0.6), 22);
      k = width < 0.5 ? Math.max(k + 1, firstEndingAfter(lane, ids, from + (left + 1) / scale)) : k + 1;
    }
    const left = (this.view[0] - from) * scale, right = (this.view[1] - from) * scale;
    g.fillStyle = theme.veil;
    g.fillRect(0, 0, left, 30); g.fillRect(right, 0, this.width - right, 30);
    g.strokeStyle = theme.ink; g.lineWidth = 1.5;
    g.strokeRect(left + 0.75, 0.75, Math.max(right - left - 1.5, 2), 28.5);
  }
}
