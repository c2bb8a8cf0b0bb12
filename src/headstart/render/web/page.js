// Unpacks the data and puts the pictures in their places. The page is complete without it, apart from them.
async function unpack() {
  const text = document.getElementById("data").textContent.trim();
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const v = parseInt(hex.slice(i, i + 2), 16) / 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function readTheme(colours) {
  const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
  const bars = colours.map((name) => get("--p-" + name) || "#888888");
  return {
    ink: get("--ink"), soft: get("--soft"), line: get("--line"), card: get("--card"), accent: get("--accent"),
    bad: get("--bad"), good: get("--good"), memory: get("--p-model-build"), memoryFill: get("--p-model-build") + "33",
    warm: get("--p-tracing") + "26", band: get("--p-steady-steps") + "40", veil: get("--bg") + "b8",
    colours: bars, text: bars.map((c) => (luminance(c) > 0.179 ? "#000000" : "#ffffff")),
  };
}

async function start() {
  const chosen = localStorageGet("headstart-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
  let data;
  try { data = await unpack(); } catch (error) {
    for (const part of document.querySelectorAll(".needs-script")) part.hidden = true;
    const note = document.getElementById("broken");
    note.hidden = false; note.textContent = `The pictures need a newer browser (${error.message}). The tables are complete.`;
    return;
  }
  let theme = readTheme(data.colours);
  const charts = [], pictures = [];
  const shared = { names: data.names, details: data.details, theme: () => theme };
  const lanes = data.processes.flatMap((process) => process.lanes.map((lane) =>
    unpackLane(data.processes.length > 1 ? `${process.title}: ${lane.title}` : lane.title, lane.kind, lane)));
  const put = (id, content, options) => {
    const section = document.getElementById(id);
    if (!section) return null;
    if (!content.some((lane) => lane.count)) { section.hidden = true; return null; }
    const made = new Bars(section.querySelector(".bars"), content, { ...shared, ...options });
    pictures.push(made);
    return made;
  };
  const timeline = put("timeline", lanes, { from: 0, to: Math.max(data.wall, ...lanes.map((l) => l.end[l.count - 1] || 0)), first: data.first, total: data.wall });
  const flames = {};
  for (const name of ["imports", "traces"]) {
    const lane = unpackLane("", "flame", data.flames[name]);
    const ends = (lane.rows[0] || []).map((i) => lane.end[i]);
    const from = 0, to = Math.max(0, ...ends);
    flames[name] = put("flame-" + name, [lane], { from, to, total: to - from, flame: true, height: 360 });
  }
  const plot = () => {
    for (const chart of charts.splice(0)) chart.destroy();
    const steps = document.getElementById("steps-chart"), memory = document.getElementById("memory-chart");
    if (steps && data.steps.durations.length > 1) charts.push(stepChart(steps, data.steps, theme));
    else if (steps) steps.hidden = true;
    if (memory && data.memory.length > 1) charts.push(memoryChart(memory, data.memory, data.first, theme));
    else if (memory) memory.closest(".card").hidden = true;
  };
  plot();
  const repaint = () => { theme = readTheme(data.colours); for (const picture of pictures) picture.draw(); plot(); };
  document.getElementById("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorageSet("headstart-theme", next);
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if (localStorageGet("headstart-theme")) return;
    document.documentElement.dataset.theme = event.matches ? "dark" : "light";
    repaint();
  });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    for (const chart of charts) chart.setSize(chartSize(chart.root.parentElement));
  });
  window.headstart = { timeline, flames, charts, data };
  document.documentElement.dataset.ready = "yes";
}

// Some browsers refuse storage to files opened from disk.
function localStorageGet(key) { try { return localStorage.getItem(key); } catch { return null; } }
function localStorageSet(key, value) { try { localStorage.setItem(key, value); } catch { /* not kept */ } }

document.documentElement.dataset.theme = localStorageGet("headstart-theme") ||
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
start();
