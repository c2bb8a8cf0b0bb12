// Step times and memory, drawn by uPlot (see uPlot.LICENSE).
function chartSize(root) { return { width: Math.max(260, root.clientWidth), height: 260 }; }

function axis(theme, label, values) {
  return {
    label, labelSize: 18, labelFont: "12px system-ui, sans-serif", font: "11px system-ui, sans-serif", stroke: theme.soft,
    grid: { stroke: theme.line, width: 1 }, ticks: { stroke: theme.line, width: 1 }, values, size: values ? 62 : 40,
  };
}

const times = (u, splits) => splits.map((v) => (v == null ? "" : formatSeconds(v)));

function stepChart(root, steps, theme) {
  const { durations, stride, warmup, median, ci, slope, epochs, count } = steps;
  const x = durations.map((_, i) => 1 + i * stride);
  const top = Math.max(...durations), bottom = Math.min(...durations.filter((d) => d > 0));
  const log = top > 20 * bottom;
  const band = (u) => {
    const g = u.ctx, { left, top: y0, width, height } = u.bbox;
    g.save();
    g.beginPath(); g.rect(left, y0, width, height); g.clip();
    if (warmup) {
      g.fillStyle = theme.warm;
      const edge = u.valToPos(warmup + 0.5, "x", true);
      g.fillRect(left, y0, edge - left, height);
    }
    if (median != null && ci) {
      g.fillStyle = theme.band;
      const high = u.valToPos(ci[1], "y", true), low = u.valToPos(ci[0], "y", true);
      const from = u.valToPos(warmup + 0.5, "x", true);
      g.fillRect(from, high, left + width - from, Math.max(low - high, 2));
    }
    g.strokeStyle = theme.line; g.lineWidth = devicePixelRatio;
    for (const start of epochs.slice(1)) {
      const at = u.valToPos(start + 0.5, "x", true);
      g.setLineDash([3, 4]); g.beginPath(); g.moveTo(at, y0); g.lineTo(at, y0 + height); g.stroke();
    }
    g.restore();
  };
  const line = (u) => {
    if (median == null) return;
    const g = u.ctx, from = warmup + 1, mid = (from + count) / 2, rise = steps.growing && slope ? slope : 0;
    g.save();
    g.strokeStyle = steps.growing ? theme.bad : theme.good; g.lineWidth = 2 * devicePixelRatio;
    g.beginPath();
    g.moveTo(u.valToPos(from, "x", true), u.valToPos(Math.max(median + rise * (from - mid), bottom), "y", true));
    g.lineTo(u.valToPos(count, "x", true), u.valToPos(median + rise * (count - mid), "y", true));
    g.stroke();
    g.restore();
  };
  return new uPlot({
    ...chartSize(root),
    scales: { x: { time: false, range: [0.5, count + 0.5] }, y: { distr: log ? 3 : 1, range: log ? undefined : (u, a, b) => [0, b * 1.08] } },
    axes: [axis(theme, "step"), axis(theme, log ? "time, logarithmic" : "time", times)],
    series: [{ label: "step" }, {
      label: "time", stroke: theme.accent, width: 1, paths: () => null, value: (u, v) => (v == null ? "" : formatSeconds(v)),
      points: { show: true, size: durations.length > 800 ? 3 : 5, fill: theme.accent, width: 0 },
    }],
    cursor: { drag: { x: true, y: false } },
    hooks: { drawAxes: [band], draw: [line] },
  }, [x, durations], root);
}

function memoryChart(root, series, first, theme) {
  const gigabytes = (v) => (v >= 1e9 ? (v / 1e9).toFixed(1) + " GB" : (v / 1e6).toFixed(0) + " MB");
  const mark = (u) => {
    if (first == null) return;
    const g = u.ctx, at = u.valToPos(first, "x", true);
    g.save(); g.strokeStyle = theme.accent; g.lineWidth = devicePixelRatio; g.setLineDash([4, 3]);
    g.beginPath(); g.moveTo(at, u.bbox.top); g.lineTo(at, u.bbox.top + u.bbox.height); g.stroke(); g.restore();
  };
  return new uPlot({
    ...chartSize(root),
    scales: { x: { time: false }, y: { range: (u, a, b) => [0, b * 1.08] } },
    axes: [axis(theme, "seconds since the start"), axis(theme, "resident", (u, s) => s.map(gigabytes))],
    series: [{ label: "at", value: (u, v) => (v == null ? "" : formatSeconds(v)) }, {
      label: "resident", stroke: theme.memory, fill: theme.memoryFill, width: 2, points: { show: false },
      value: (u, v) => (v == null ? "" : gigabytes(v)),
    }],
    cursor: { drag: { x: true, y: false } },
    hooks: { draw: [mark] },
  }, [series.map((p) => p[0]), series.map((p) => p[1])], root);
}
