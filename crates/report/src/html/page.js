"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("script");
  const all = (what, from = document) => Array.from(from.querySelectorAll(what));
  const one = (what, from = document) => from.querySelector(what);
  const steps = all("#interleaving tr.one");
  const said = one("#said");
  let now = -1;

  // The source beside the steps.
  const showSource = (row) => {
    const panel = one("#source-here");
    const link = row && one("a.place", row);
    if (!panel) return;
    const target = link && document.getElementById(link.hash.slice(1));
    panel.replaceChildren();
    if (!target) {
      panel.textContent = "The source of this step is not known.";
      return;
    }
    const title = document.createElement("p");
    title.textContent = link.textContent;
    const excerpt = target.parentElement.cloneNode(true);
    all("[id]", excerpt).forEach((line) => {
      line.classList.toggle("here", line.id === target.id);
      line.removeAttribute("id");
    });
    panel.append(title, excerpt);
    const here = one(".here", excerpt);
    if (here) excerpt.scrollTop = Math.max(0, here.offsetTop - excerpt.clientHeight / 2);
  };

  const go = (to, scroll = true) => {
    if (!steps.length) return;
    now = Math.min(Math.max(to, 0), steps.length - 1);
    steps.forEach((row, i) => {
      row.classList.toggle("now", i === now);
      if (i === now) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    if (scroll) steps[now].scrollIntoView({ block: "center" });
    showSource(steps[now]);
    const { index } = steps[now].dataset;
    const at = index ? "Step " + (Number(index) + 1) + " of " + one("#interleaving").dataset.steps : "The end";
    said.textContent = at + ": " + steps[now].dataset.words;
  };

  // Switches of the interleaving, for going from one to the next.
  const nextSwitch = (by) => {
    for (let i = now + by; i >= 0 && i < steps.length; i += by) {
      if (i === 0 || steps[i].dataset.thread !== steps[i - 1].dataset.thread) return go(i);
    }
    go(by > 0 ? steps.length - 1 : 0);
  };

  const commands = {
    first: () => go(0), previous: () => go(now - 1), next: () => go(now + 1), last: () => go(steps.length - 1),
    "previous-switch": () => nextSwitch(-1), "next-switch": () => nextSwitch(1),
    theme: () => {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const shown = root.dataset.theme || (dark ? "dark" : "light");
      root.dataset.theme = shown === "dark" ? "light" : "dark";
    },
  };
  all("[data-do]").forEach((button) => button.addEventListener("click", () => commands[button.dataset.do]()));
  const keys = { j: "next", ArrowDown: "next", k: "previous", ArrowUp: "previous", n: "next-switch", p: "previous-switch",
    Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|select|textarea)$/i.test(event.target.tagName);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "/" && !typing) { event.preventDefault(); one("#find")?.focus(); return; }
    if (typing || !keys[event.key] || !steps.length) return;
    event.preventDefault();
    commands[keys[event.key]]();
  });
  steps.forEach((row, i) => row.addEventListener("click", (event) => {
    if (!event.target.closest("a, summary, details, button")) go(i, false);
  }));
  all("a[data-step]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    // A step that only repeats another is not shown: the next that is.
    const to = steps.findIndex((row) => Number(row.dataset.index ?? Infinity) >= Number(link.dataset.step));
    go(to < 0 ? steps.length - 1 : to);
  }));

  // Search: every word must be in the step.
  const find = one("#find");
  if (find) {
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      let first = -1, count = 0;
      steps.forEach((row, i) => {
        const text = row.textContent.toLowerCase();
        const hit = words.length > 0 && words.every((word) => text.includes(word));
        row.classList.toggle("found", hit);
        if (hit) { count += 1; if (first < 0) first = i; }
      });
      one("#hits").textContent = words.length ? count + (count === 1 ? " step" : " steps") : "";
      if (first >= 0) steps[first].scrollIntoView({ block: "center" });
    });
    find.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      const hits = steps.map((row, i) => (row.classList.contains("found") ? i : -1)).filter((i) => i >= 0);
      if (hits.length) go(hits.find((i) => i > now) ?? hits[0]);
    });
  }

  // A switch earlier or later: what really ran.
  all("fieldset.moving").forEach((box) => {
    const ends = JSON.parse(box.dataset.ends);
    const slider = one("input[type=range]", box);
    const shifts = ends.map((e) => e.shift).sort((a, b) => a - b);
    // The next that was run on either side of where the slider is, if there is one.
    const beside = {
      earlier: () => shifts.findLast((shift) => shift < Number(slider.value)),
      later: () => shifts.find((shift) => shift > Number(slider.value)),
    };
    const buttons = all("[data-move]", box);
    const show = () => {
      const shift = Number(slider.value);
      const end = ends.find((e) => e.shift === shift);
      const out = one("output", box);
      out.textContent = end ? end.words : "not run";
      out.className = end ? end.ink : "faint";
      slider.setAttribute("aria-valuetext", out.textContent);
      const ribbon = one(".ribbon", box);
      ribbon.replaceChildren(...(end ? end.order : []).map(([thread, count]) => {
        const part = document.createElement("span");
        part.textContent = "T" + thread + " ×" + count;
        return part;
      }));
      buttons.forEach((button) => { button.disabled = beside[button.dataset.move]() === undefined; });
    };
    slider.addEventListener("input", show);
    buttons.forEach((button) => button.addEventListener("click", () => {
      slider.value = beside[button.dataset.move]();
      show();
    }));
    show();
  });

  if (steps.length) {
    const of = (what) => steps.findIndex((row) => row.matches(what));
    const failing = Math.max(of(".last[data-opens]"), of(".last"));
    go(failing < 0 ? 0 : failing, false);
  }
})();
