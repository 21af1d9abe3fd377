// files: what annotators send back, and take from one machine to another

const COLUMNS = [
  "id", "topology", ...METRICS.map((m) => `prog_${m}`), ...METRICS.map((m) => `agree_${m}`),
  "notes", ...METRICS.map((m) => `reason_${m}`), "annotator", "shown",
];
const score = (page, metric) => page.querySelector(`[data-metric=${metric}] .score`).lastChild.data;

function download(text, type, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  const slug = annotator.normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "").toLowerCase();
  link.download = `annotations.${slug || "annotator"}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  unexported = 0;
  if (kept) keep();
  showProgress();
}

// a spreadsheet takes what begins like this for a formula
const guarded = (cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
const unguarded = (cell) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

function rowOf(page) {
  const { id, topology, shown } = page.dataset;
  const answer = answers[shown] ?? { agree: {}, reason: {}, notes: "" };
  const row = { id, topology, notes: answer.notes, annotator, shown };
  for (const metric of METRICS) {
    row[`prog_${metric}`] = score(page, metric);
    row[`agree_${metric}`] = String(answer.agree[metric] ?? "");
    row[`reason_${metric}`] = answer.reason[metric] ?? "";
  }
  return row;
}

function asCsv() {
  const lines = pages.map(rowOf).map((row) => COLUMNS.map((name) => quoted(guarded(row[name]))).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

function asJson() {
  const entries = pages.map((page) => {
    const row = rowOf(page);
    const { id, topology, shown, notes } = row;
    const of = (kind, value) => Object.fromEntries(METRICS.map((m) => [m, value(row[`${kind}_${m}`])]));
    return JSON.stringify({
      id, topology, shown,
      prog: of("prog", Number),
      agree: of("agree", (mark) => (mark === "" ? null : Number(mark))),
      reason: of("reason", String),
      notes,
    });
  });
  const head = `"annotator": ${JSON.stringify(annotator)},\n"sample": ${JSON.stringify(SAMPLE)},\n`;
  return `{${head}"annotations": [\n${entries.join(",\n")}\n]}\n`;
}

function csvRows(text) {
  const rows = [[""]];
  let inQuotes = false;
  for (let i = 0; i < text.length; i += 1) {
    const row = rows.at(-1);
    const c = text[i];
    if (inQuotes && c === '"' && text[i + 1] === '"') { row[row.length - 1] += '"'; i += 1; }
    else if (c === '"') inQuotes = !inQuotes;
    else if (!inQuotes && c === ",") row.push("");
    else if (!inQuotes && c === "\n") rows.push([""]);
    else if (inQuotes || c !== "\r") row[row.length - 1] += c;
  }
  return rows.filter((row) => row.some((cell) => cell.trim()));
}

function entriesOfCsv(text) {
  const [heading = [], ...rows] = csvRows(text.replace(/^\ufeff/, ""));
  const names = heading.map((name) => name.trim());
  if (!names.includes("id") || !METRICS.every((m) => names.includes(`agree_${m}`))) throw new Error("it has no columns id and agree_…");
  return rows.map((cells) => {
    const row = new Map(names.map((name, i) => [name, unguarded(cells[i] ?? "")]));
    const of = (kind) => Object.fromEntries(METRICS.map((m) => [m, row.get(`${kind}_${m}`) ?? ""]));
    return { id: row.get("id").trim(), shown: (row.get("shown") ?? "").trim(), agree: of("agree"), reason: of("reason"), notes: row.get("notes") ?? "" };
  });
}

function entriesOfJson(text) {
  const { annotations } = JSON.parse(text);
  if (!Array.isArray(annotations)) throw new Error("it has no list `annotations`");
  return annotations;
}

function readEntry(entry) {
  const answer = { agree: {}, reason: {}, notes: typeof entry.notes === "string" ? entry.notes : "" };
  for (const metric of METRICS) {
    const mark = String(entry.agree?.[metric] ?? "").trim();
    if (mark === "0" || mark === "1") answer.agree[metric] = Number(mark);
    else if (mark) throw new Error(`${entry.id}: agree_${metric} is "${mark}"; it holds 1, 0 or nothing`);
    const reason = entry.reason?.[metric];
    if (typeof reason === "string" && reason) answer.reason[metric] = reason;
  }
  return answer;
}

function merged(text) {
  const entries = text.trimStart().startsWith("{") ? entriesOfJson(text) : entriesOfCsv(text);
  const known = new Map(pages.map((page) => [page.dataset.id, page.dataset.shown]));
  const taken = structuredClone(answers);
  const result = { taken, scores: 0, changed: 0, strange: [] };
  for (const entry of entries) {
    const shown = known.get(entry.id);
    if (!shown || (entry.shown && entry.shown !== shown)) { result.strange.push(entry.id); continue; }
    const next = readEntry(entry);
    const before = (taken[shown] ||= { agree: {}, reason: {}, notes: "" });
    for (const [metric, mark] of Object.entries(next.agree)) {
      result.scores += 1;
      result.changed += metric in before.agree && before.agree[metric] !== mark;
    }
    Object.assign(before.agree, next.agree);
    Object.assign(before.reason, next.reason);
    before.notes = next.notes || before.notes;
  }
  return result;
}

byId("export-csv").addEventListener("click", () => download(asCsv(), "text/csv;charset=utf-8", "csv"));
byId("export-json").addEventListener("click", () => download(asJson(), "application/json", "json"));
byId("import").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", async () => {
  const [file] = byId("file").files;
  if (!file) return;
  try {
    const { taken, scores, changed, strange } = merged(await file.text());
    byId("file").value = "";
    if (changed && !confirm(`The file says otherwise than you on ${changed} scores. Take those of the file?`)) return;
    answers = taken;
    unexported += scores;
    fill(pages[place]);
    keep();
    const left = strange.length ? ` ${strange.length} lines are of no plan of this sheet, or of another one than is shown here: ${strange.slice(0, 5).join(", ")}.` : "";
    warn(`${scores} scores taken from ${file.name}.${left}`);
  } catch (error) {
    byId("file").value = "";
    warn(`${file.name} was not taken: ${error.message}`);
  }
});
