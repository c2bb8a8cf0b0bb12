// What people do with the bars: mouse, touch, keyboard, search. And what they are told about a bar.
Object.assign(Bars.prototype, {
  listen() {
    const pane = this.pane, pointers = new Map();
    let moved = 0, spread = 0;
    const local = (event) => {
      const box = pane.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    pane.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      pointers.set(event.pointerId, event.clientX);
      moved = 0; spread = 0;
      if (event.pointerType === "mouse") pane.setPointerCapture(event.pointerId);
    });
    pane.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) { if (event.pointerType === "mouse") this.hover(...local(event)); return; }
      const before = pointers.get(event.pointerId);
      pointers.set(event.pointerId, event.clientX);
      moved += Math.abs(event.clientX - before);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], now = Math.abs(a - b) || 1;
        if (spread) this.zoom(spread / now, (a + b) / 2 - pane.getBoundingClientRect().left);
        spread = now;
      } else if (moved > 3) {
        this.pan((before - event.clientX) / this.width);
        if (event.pointerType === "mouse") pane.scrollTop -= event.movementY;
        this.tip.hidden = true;
      }
    });
    const up = (event) => {
      if (pointers.delete(event.pointerId) && moved <= 3 && event.type === "pointerup") this.select(this.at(...local(event)));
      spread = 0;
    };
    pane.addEventListener("pointerup", up);
    pane.addEventListener("pointercancel", up);
    pane.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    pane.addEventListener("dblclick", (event) => {
      const hit = this.at(...local(event));
      if (hit) this.focusOn(hit.lane, hit.i); else this.reset();
    });
    pane.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.metaKey) { event.preventDefault(); this.zoom(Math.exp(event.deltaY * 0.004), local(event)[0]); }
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault(); this.pan((event.deltaX || event.deltaY) / this.width);
      }
    }, { passive: false });
    pane.addEventListener("scroll", () => this.draw());
    pane.addEventListener("keydown", (event) => this.key(event));
    if (this.map) this.listenMap();
    const section = this.root.parentElement;
    for (const button of section.querySelectorAll("button[data-do]")) {
      button.addEventListener("click", () => this.command(button.dataset.do));
    }
    const search = section.querySelector("input[type=search]");
    if (search) {
      search.addEventListener("input", () => this.search(search.value));
      search.addEventListener("keydown", (event) => {
        if (event.key === "Enter") { event.preventDefault(); this.next(event.shiftKey ? -1 : 1); }
      });
    }
  },

  listenMap() {
    const go = (event) => {
      const box = this.map.getBoundingClientRect(), half = (this.view[1] - this.view[0]) / 2;
      const at = this.full[0] + (event.clientX - box.left) / box.width * (this.full[1] - this.full[0]);
      this.show(at - half, at + half);
    };
    this.map.addEventListener("pointerdown", (event) => { this.map.setPointerCapture(event.pointerId); go(event); });
    this.map.addEventListener("pointermove", (event) => { if (event.buttons) go(event); });
  },

  command(name) {
    if (name === "in") this.zoom(0.5);
    else if (name === "out") this.zoom(2);
    else if (name === "reset") this.reset();
    else if (name === "start") this.show(this.full[0], this.options.first ?? this.full[1]);
    else if (name === "next") this.next(1);
  },

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const selected = this.selected;
    const actions = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      ArrowLeft: () => (selected ? this.beside(-1) : this.pan(-0.1)),
      ArrowRight: () => (selected ? this.beside(1) : this.pan(0.1)),
      ArrowUp: () => (selected ? this.step(-1) : (this.pane.scrollTop -= ROW * 2)),
      ArrowDown: () => (selected ? this.step(1) : (this.pane.scrollTop += ROW * 2)),
      Home: () => this.reset(), "0": () => this.reset(),
      Enter: () => (selected ? this.focusOn(selected.lane, selected.i) : this.select(this.longest())),
      " ": () => this.select(this.longest()),
      Escape: () => this.select(null),
    };
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  },

  // The longest bar in view: where the keyboard starts.
  longest() {
    let best = null;
    for (const lane of this.lanes) {
      for (const i of lane.rows[0] || []) {
        if (lane.end[i] <= this.view[0] || lane.start[i] >= this.view[1]) continue;
        if (!best || lane.end[i] - lane.start[i] > best.lane.end[best.i] - best.lane.start[best.i]) best = { lane, i };
      }
    }
    return best;
  },

  beside(by) {
    const { lane, i } = this.selected, ids = lane.rows[lane.depth[i]];
    const next = ids[ids.indexOf(i) + by];
    if (next !== undefined) this.visit(lane, next);
  },

  // Down: the first child; up: the parent. At the edge of a lane: the lane beside it.
  step(by) {
    const { lane, i } = this.selected, level = lane.depth[i] + by, ids = lane.rows[level];
    if (ids) {
      const k = firstEndingAfter(lane, ids, lane.start[i]);
      if (k < ids.length && lane.start[ids[k]] < lane.end[i]) return this.visit(lane, ids[k]);
    }
    const other = this.lanes[this.lanes.indexOf(lane) + by];
    if (!other) return undefined;
    const row = by > 0 ? other.rows[0] : other.rows[other.rows.length - 1];
    const k = Math.min(firstEndingAfter(other, row, lane.start[i]), row.length - 1);
    return k >= 0 ? this.visit(other, row[k]) : undefined;
  },

  visit(lane, i) {
    this.select({ lane, i });
    const length = this.view[1] - this.view[0];
    if (lane.end[i] < this.view[0] || lane.start[i] > this.view[1]) this.show(lane.start[i] - length / 2, lane.start[i] + length / 2);
    const y = this.top(lane, i) - this.pane.scrollTop;
    if (y < RULER || y > this.shown - ROW) this.pane.scrollTop = this.top(lane, i) - this.shown / 2;
  },

  hover(x, y) {
    const hit = this.at(x, y);
    if (!hit) { this.tip.hidden = true; return; }
    const { lane, i } = hit;
    this.tip.textContent = `${this.options.names[lane.name[i]]} · ${formatSeconds(lane.end[i] - lane.start[i])}`;
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth, offset = this.pane.offsetTop;
    this.tip.style.left = Math.max(2, Math.min(x + 12, this.width - wide - 4)) + "px";
    this.tip.style.top = offset + (y > this.shown - 50 ? y - 34 : y + 16) + "px";
  },

  search(text) {
    const wanted = text.trim().toLowerCase(), output = this.root.parentElement.querySelector("output");
    this.foundAt = -1;
    if (!wanted) { this.found = null; output.textContent = ""; this.draw(); return; }
    const names = this.options.names.map((name) => name.toLowerCase().includes(wanted));
    const hits = [];
    let total = 0;
    for (const lane of this.lanes) {
      for (let i = 0; i < lane.count; i++) {
        if (names[lane.name[i]]) { hits.push({ lane, i }); total += lane.end[i] - lane.start[i]; }
      }
    }
    this.found = { names, hits };
    output.textContent = hits.length ? `${hits.length.toLocaleString("en")} found, ${formatSeconds(total)}` : "nothing found";
    this.draw();
  },

  next(by) {
    if (!this.found || !this.found.hits.length) return;
    const { hits } = this.found;
    this.foundAt = (this.foundAt + by + hits.length) % hits.length;
    const { lane, i } = hits[this.foundAt];
    this.focusOn(lane, i);
    this.select({ lane, i });
  },

  select(hit) {
    this.selected = hit;
    this.draw();
    this.facts.replaceChildren();
    if (!hit) return;
    const { lane, i } = hit, { names, details, total } = this.options;
    const title = document.createElement("strong");
    title.textContent = names[lane.name[i]];
    const list = document.createElement("dl"), seconds = lane.end[i] - lane.start[i];
    const rows = { takes: formatSeconds(seconds), share: (seconds / total * 100).toFixed(1) + " %" };
    if (!this.options.flame) rows.starts = formatSeconds(lane.start[i]);
    if (lane.title) rows.lane = lane.title;
    rows.kind = names[lane.what[i]];
    Object.assign(rows, details[lane.detail[i]]);
    for (const [key, value] of Object.entries(rows)) {
      const pair = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = key; dd.textContent = String(value);
      pair.append(dt, dd); list.append(pair);
    }
    this.facts.append(title, list);
  },
});
