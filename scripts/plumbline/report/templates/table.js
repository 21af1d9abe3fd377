"use strict";
(() => {
  const table = document.querySelector("table.sorted");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const plain = (text) => text.toLowerCase().replaceAll("\u2212", "-");
  const texts = rows.map((row) => plain(Array.from(row.cells, (cell) => cell.textContent).join(" ")));

  // missing values come last in both directions
  const compare = (column, numeric, sign) => (one, other) => {
    const [a, b] = [one, other].map((row) => row.cells[column].dataset.value);
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return sign * (numeric ? Number(a) - Number(b) : words.compare(a, b));
  };

  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((each) => each.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const sorted = [...rows].sort(compare(column, head.classList.contains("number"), up ? 1 : -1));
      body.append(...sorted);
    });
  });

  const box = document.querySelector("#filter");
  const count = document.querySelector("#count");
  box.addEventListener("input", () => {
    const wanted = plain(box.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !wanted.every((word) => texts[place].includes(word));
      shown += !row.hidden;
    });
    count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  });
})();
