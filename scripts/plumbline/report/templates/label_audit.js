(function () {
  "use strict";
  const main = document.getElementById("cards");
  const cards = [...main.querySelectorAll(".card")];
  const progress = document.getElementById("progress");
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem(main.dataset.key)) || {}; } catch (error) { kept = {}; }

  function verdictOf(card) {
    const chosen = card.querySelector("input[type=radio]:checked");
    return chosen ? chosen.value : "";
  }
  function told() {
    const done = cards.filter((card) => verdictOf(card)).length;
    cards.forEach((card) => card.classList.toggle("done", Boolean(verdictOf(card))));
    progress.textContent = done + " of " + cards.length + " judged";
  }
  function keep() {
    kept = {};
    cards.forEach((card) => {
      kept[card.dataset.id] = { verdict: verdictOf(card), note: card.querySelector(".note").value };
    });
    try {
      localStorage.setItem(main.dataset.key, JSON.stringify(kept));
    } catch (error) {
      progress.textContent = "This browser keeps nothing: save as CSV before you leave.";
      return;
    }
    told();
  }
  function cell(text) {
    const safe = /^[=+\-@\t\r]/.test(text) && isNaN(Number(text)) ? "'" + text : text;
    return '"' + safe.replace(/"/g, '""') + '"';
  }
  function sheet() {
    const lines = cards.map((card) => {
      const data = card.dataset;
      return [data.id, data.function, data.parameter, data.value, verdictOf(card),
        card.querySelector(".note").value].map(cell).join(",");
    });
    return [main.dataset.columns, ...lines].join("\n") + "\n";
  }

  cards.forEach((card) => {
    const own = kept[card.dataset.id];
    if (own) {
      card.querySelectorAll("input[type=radio]").forEach((box) => { box.checked = box.value === own.verdict; });
      card.querySelector(".note").value = own.note || "";
    }
  });
  main.addEventListener("change", keep);
  main.addEventListener("input", keep);
  document.getElementById("next").addEventListener("click", () => {
    const open = cards.find((card) => !verdictOf(card));
    if (open) { open.scrollIntoView(); }
  });
  document.getElementById("export").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([sheet()], { type: "text/csv" }));
    link.download = main.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  told();
}());
