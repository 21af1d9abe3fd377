"use strict";
// Nothing a model wrote passes through here: plans stand in the page as text, and are told apart by their place.
const { sample: SAMPLE, metrics } = document.body.dataset;
const METRICS = metrics.split(" ");
const PREFIX = `plumbline study ${SAMPLE} `;
const LAST = `plumbline study ${SAMPLE}`;
const byId = (id) => document.getElementById(id);
const pages = [...document.querySelectorAll("article")];
const squares = [...document.querySelectorAll("#map button")];
const fieldsets = (page) => [...page.querySelectorAll("fieldset")];

let annotator = "";
let answers = {}; // by what was shown: {agree: {metric: 1 | 0}, reason: {metric: text}, notes: text}
let place = 0;
let marked = 0;
let unexported = 0;
let kept = true;

// what is kept in this browser

function storedNames() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

function stored(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) || {};
  } catch {
    return {};
  }
}

function keep() {
  try {
    localStorage.setItem(PREFIX + annotator, JSON.stringify({ answers, place, unexported }));
    localStorage.setItem(LAST, annotator);
    kept = true;
    warn("");
  } catch {
    kept = false;
    warn("This browser keeps nothing for this file. Export before you close it, and import the file to go on.");
  }
  showProgress();
}

function warn(text) {
  byId("alarm").textContent = text;
  byId("alarm").hidden = !text;
}

const answerOf = (page) => (answers[page.dataset.shown] ||= { agree: {}, reason: {}, notes: "" });
const given = (page) => METRICS.filter((m) => m in (answers[page.dataset.shown]?.agree ?? {})).length;
const isDone = (page) => given(page) === METRICS.length;

// what is shown

function show(next, focus = true) {
  if (!pages.length) return;
  place = Math.min(Math.max(next, 0), pages.length - 1);
  pages.forEach((page, i) => { page.hidden = i !== place; });
  squares.forEach((square, i) => {
    if (i === place) square.setAttribute("aria-current", "true");
    else square.removeAttribute("aria-current");
  });
  squares[place].scrollIntoView({ block: "nearest" });
  fill(pages[place]);
  mark(firstOpen(pages[place], 0));
  window.scrollTo(0, 0);
  if (focus) pages[place].querySelector("h2").focus({ preventScroll: true });
  if (annotator) keep();
}

function fill(page) {
  const answer = answerOf(page);
  for (const set of fieldsets(page)) {
    const { metric } = set.dataset;
    for (const input of set.querySelectorAll("input")) input.checked = answer.agree[metric] === Number(input.value);
    const text = set.querySelector("textarea");
    if (text.value !== (answer.reason[metric] ?? "")) text.value = answer.reason[metric] ?? "";
    decorate(set, answer);
  }
  const notes = page.querySelector(".notes textarea");
  if (notes.value !== answer.notes) notes.value = answer.notes;
}

function decorate(set, answer) {
  const { metric } = set.dataset;
  set.classList.toggle("answered", metric in answer.agree);
  const unexplained = answer.agree[metric] === 0 && !(answer.reason[metric] ?? "").trim();
  set.classList.toggle("unexplained", unexplained);
  set.querySelector("textarea").placeholder = unexplained ? "Why do you disagree?" : "Reason";
}

function firstOpen(page, from) {
  const answer = answerOf(page);
  const order = METRICS.map((_, i) => (from + i) % METRICS.length);
  return order.find((i) => !(METRICS[i] in answer.agree)) ?? Math.min(from, METRICS.length - 1);
}

function mark(next, scroll = false) {
  marked = next;
  const sets = fieldsets(pages[place]);
  sets.forEach((set, i) => set.classList.toggle("marked", i === marked));
  if (scroll) sets[marked].scrollIntoView({ block: "nearest" });
}

function showProgress() {
  const scores = pages.reduce((sum, page) => sum + given(page), 0);
  const done = pages.filter(isDone).length;
  const silent = pages.reduce((sum, page) => {
    const { agree = {}, reason = {} } = answers[page.dataset.shown] ?? {};
    return sum + METRICS.filter((m) => agree[m] === 0 && !(reason[m] ?? "").trim()).length;
  }, 0);
  byId("progress").value = scores;
  let told = `${done} of ${pages.length} plans, ${scores} of ${pages.length * METRICS.length} scores`;
  if (silent) told += ` · ${silent} disagreement${silent === 1 ? "" : "s"} without a reason`;
  if (done === pages.length && pages.length) told += " · all done: export the file and send it back";
  byId("told").textContent = told;
  const changes = `${unexported} change${unexported === 1 ? "" : "s"} not exported`;
  byId("saved").textContent = `${kept ? "Kept in this browser" : "Not kept"} · ${unexported ? changes : "nothing to export"}`;
  squares.forEach((square, i) => {
    const state = isDone(pages[i]) ? "done" : given(pages[i]) ? "begun" : "";
    square.className = state;
    square.setAttribute("aria-label", `Plan ${i + 1}, ${state || "open"}`);
  });
}

// what the annotator does

function choose(set, value) {
  const answer = answerOf(pages[place]);
  if (value === null) delete answer.agree[set.dataset.metric];
  else answer.agree[set.dataset.metric] = value;
  unexported += 1;
  fill(pages[place]);
  keep();
}

function nextOpen() {
  const order = pages.map((_, i) => (place + 1 + i) % pages.length);
  show(order.find((i) => !isDone(pages[i])) ?? place);
}

for (const page of pages) {
  for (const [i, set] of fieldsets(page).entries()) {
    set.addEventListener("focusin", () => mark(i));
    set.addEventListener("change", (event) => {
      if (event.target.type === "radio") choose(set, Number(event.target.value));
    });
    set.querySelector(".clear").addEventListener("click", () => choose(set, null));
  }
  page.addEventListener("input", (event) => {
    const { field } = event.target.dataset;
    if (!field) return;
    const answer = answerOf(page);
    const set = event.target.closest("fieldset");
    if (field === "notes") answer.notes = event.target.value;
    else answer.reason[set.dataset.metric] = event.target.value;
    if (set) decorate(set, answer);
    unexported += 1;
    keep();
  });
  for (const button of page.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => {
      if (button.dataset.step === "open") nextOpen();
      else show(place + Number(button.dataset.step));
    });
  }
}
for (const square of squares) square.addEventListener("click", () => show(Number(square.dataset.place)));

const KEYS = {
  a: (sets) => { choose(sets[marked], 1); mark(firstOpen(pages[place], marked), true); },
  d: (sets) => { choose(sets[marked], 0); mark(firstOpen(pages[place], marked), true); },
  x: (sets) => choose(sets[marked], null),
  r: (sets) => sets[marked].querySelector("textarea").focus(),
  m: () => pages[place].querySelector(".notes textarea").focus(),
  t: () => { const tools = pages[place].querySelector(".tools"); tools.open = !tools.open; },
  u: () => nextOpen(),
  n: () => show(place + 1),
  p: () => show(place - 1),
  "?": () => byId("keys").showModal(),
};
KEYS.ArrowRight = KEYS.n;
KEYS.ArrowLeft = KEYS.p;

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("textarea, input:not([type=radio])");
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (!pages.length || (event.target.type === "radio" && event.key.startsWith("Arrow"))) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; // also with caps lock
  const action = METRICS[Number(key) - 1] ? () => mark(Number(key) - 1, true) : KEYS[key];
  if (!action) return;
  event.preventDefault();
  action(fieldsets(pages[place]));
});

// who annotates

function become(name) {
  annotator = name;
  const state = stored(name);
  answers = state.answers ?? {};
  unexported = state.unexported ?? 0;
  byId("who").textContent = name;
  show(state.place ?? 0);
  showProgress();
}

function askName() {
  const earlier = byId("earlier");
  earlier.querySelectorAll("button").forEach((button) => button.remove());
  for (const name of storedNames()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => { byId("start").close(); become(name); });
    earlier.append(button);
  }
  earlier.hidden = !earlier.querySelector("button");
  byId("name").value = "";
  byId("start").showModal();
}

byId("start").addEventListener("cancel", (event) => { if (!annotator) event.preventDefault(); });
byId("start").querySelector("form").addEventListener("submit", (event) => {
  const name = byId("name").value.trim();
  if (name) become(name);
  else event.preventDefault();
});
byId("who").addEventListener("click", askName);
byId("help").addEventListener("click", () => byId("keys").showModal());
window.addEventListener("beforeunload", (event) => { if (!kept && unexported) event.preventDefault(); });
window.addEventListener("storage", (event) => { // the same annotator in another tab
  if (event.key !== PREFIX + annotator || !event.newValue) return;
  ({ answers, unexported } = JSON.parse(event.newValue));
  fill(pages[place]);
  showProgress();
});

let last = null;
try {
  last = localStorage.getItem(LAST);
} catch {
  warn("This browser keeps nothing for this file. Export before you close it, and import the file to go on.");
}
if (last) become(last);
else askName();
