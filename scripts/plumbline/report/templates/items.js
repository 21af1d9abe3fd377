"use strict";
(() => {
  const PAGE = 50;
  const { states, items, texts } = JSON.parse(document.querySelector("#data").textContent);
  const body = document.querySelector("#items tbody");
  const [words, path, label, back, on, where] =
    ["words", "path", "label", "back", "on", "where"].map((id) => document.getElementById(id));
  let found = items;
  let first = 0;

  // everything that comes from the data goes through textContent
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const brief = (text, most) => (text.length > most ? `${text.slice(0, most)} …` : text);
  const searched = items.map((item) =>
    [texts[item.function], texts[item.parameter], item.value, texts[item.by], item.id].join(" ").toLowerCase());

  const marked = (source) => {
    const text = element("pre", undefined, "source");
    if (source.left > 0) text.append(element("span", `[${source.left} characters] `, "soft"));
    text.append(source.before, element("mark", source.match), source.after);
    if (source.rest > 0) text.append(element("span", ` [${source.rest} more]`, "soft"));
    return text;
  };

  const same = (one, other) => one && one.every((part, place) => part === other[place]);

  const shown = (part) => {
    if (part.shown === 0) return "not shown by Plain";
    return part.shown < part.length ? `${part.shown} of ${part.length} characters shown` : "shown";
  };

  const details = (item) => {
    const box = element("div", undefined, "history");
    box.append(element("p", item.id, "soft"));
    const value = element("p");
    value.append(element("b", `${texts[item.parameter]} = `), item.value, element("span", ` (${item.kind})`, "soft"));
    box.append(value);
    if (item.found && !item.found.place) {
      box.append(element("h3", "schema"), marked(item.found));
    } else if (!item.found) {
      box.append(element("p", "No text of the history and no default of the schema holds this value."));
    }
    for (const part of states[item.state]) {
      box.append(element("h3", `${part.title} · ${shown(part)}`));
      if (item.found && same(item.found.place, part.place)) {
        box.append(marked(item.found));
      } else {
        const text = element("pre", texts[part.head], "source");
        const rest = part.length - texts[part.head].length;
        if (rest > 0) text.append(element("span", ` [${rest} more]`, "soft"));
        box.append(text);
      }
    }
    return box;
  };

  const toggle = (row, button, item) => {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) {
      row.nextElementSibling.remove();
      return;
    }
    const under = element("tr");
    const cell = element("td");
    cell.colSpan = 6;
    cell.append(details(item));
    under.append(cell);
    row.after(under);
    const mark = under.querySelector("mark");
    if (mark) mark.scrollIntoView({ block: "nearest" });
  };

  const draw = () => {
    body.replaceChildren();
    for (const item of found.slice(first, first + PAGE)) {
      const row = element("tr");
      const head = element("th", undefined, "first");
      head.scope = "row";
      const button = element("button", brief(item.value, 60) || "(empty)", "open");
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => toggle(row, button, item));
      head.append(button);
      const flags = [item.path, item.short ? "short" : "", item.cut ? "cut off" : ""].filter(Boolean).join(", ");
      row.append(head, ...[texts[item.function], texts[item.parameter], item.label, flags, texts[item.by]]
        .map((text) => element("td", text)));
      body.append(row);
    }
    const last = Math.min(first + PAGE, found.length);
    where.textContent = found.length ? `${first + 1} to ${last} of ${found.length} items` : "no item";
    back.disabled = first === 0;
    on.disabled = last >= found.length;
  };

  const choose = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = items.filter((item, place) =>
      (!path.value || item.path === path.value) &&
      (!label.value || item.label === label.value) &&
      wanted.every((word) => searched[place].includes(word)));
    first = 0;
    draw();
  };

  words.addEventListener("input", choose);
  [path, label].forEach((control) => control.addEventListener("change", choose));
  back.addEventListener("click", () => { first = Math.max(0, first - PAGE); draw(); });
  on.addEventListener("click", () => { first += PAGE; draw(); });
  draw();
})();
