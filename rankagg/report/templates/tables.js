"use strict";
// Without this script the page is complete; with it tables can be sorted and looked through.
{
  const sortable = (table) => {
    const body = table.tBodies[0];
    const original = [...body.rows];
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const descending = heading.getAttribute("aria-sort") === "ascending";
        const k = heading.cellIndex;
        const key = (row) => {
          const cell = row.cells[k];
          return "key" in cell.dataset ? Number(cell.dataset.key) : cell.textContent;
        };
        // Unknown values stay below, whichever way it goes.
        const compare = (one, two) => {
          const a = key(one), b = key(two);
          if (a === Infinity || b === Infinity) return (a === Infinity) - (b === Infinity);
          const order = typeof a === "number" ? a - b : a.localeCompare(b, undefined, {numeric: true});
          return descending ? -order : order;
        };
        body.append(...[...original].sort(compare));
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      });
    }
  };

  // A field that leaves the rows which hold all its words, in any order.
  const filter = (table, text, changed) => {
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
    const texts = rows.map((row) => text(row).toLowerCase());
    const tools = document.createElement("label");
    const field = document.createElement("input");
    const told = document.createElement("output");
    tools.className = "find";
    field.type = "search";
    tools.append("Find ", field, told);
    field.setAttribute("aria-label", `Find ${table.dataset.filter}`);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = texts.map((text) => words.every((word) => text.includes(word)));
      told.textContent = words.length ? `${found.filter(Boolean).length} of ${rows.length}` : "";
      changed(rows, words.length ? found : null);
    });
    return tools;
  };

  // A choice of the columns of one category; those without a category stay.
  const choosable = (table) => {
    const headings = [...table.tHead.rows[0].cells];
    const names = [...new Set(headings.map((heading) => heading.dataset.category).filter(Boolean))];
    if (names.length < 2) return;
    const label = document.createElement("label");
    const choice = document.createElement("select");
    label.className = "find";
    choice.append(new Option("all", ""), ...names.map((name) => new Option(name)));
    label.append("Category ", choice);
    choice.addEventListener("change", () => headings.forEach((heading, k) => {
      const gone = choice.value && heading.dataset.category && heading.dataset.category !== choice.value;
      for (const row of table.rows) row.cells[k].hidden = Boolean(gone);
      const sorts = choice.value ? !gone && heading.classList.contains("places") : k === 0 && headings.some((one) => one.classList.contains("places"));
      while (sorts && heading.getAttribute("aria-sort") !== "ascending") heading.firstChild.click();
    }));
    table.closest("figure").prepend(label);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    sortable(table);
    choosable(table);
    if (!table.dataset.filter) continue;
    const show = (rows, found) => rows.forEach((row, k) => { row.hidden = found !== null && !found[k]; });
    table.closest("figure").prepend(filter(table, (row) => row.textContent, show));
  }

  // The first figure shows its first rows until somebody asks for all, or looks for some.
  const foldable = (ranking) => {
    const fold = Number(ranking.dataset.fold || 0);
    let folded = fold > 0, found = null;
    const bodies = [...ranking.tBodies].map((body) => [body, body.className]);
    const lines = bodies.flatMap(([body]) => [...body.rows]);
    const more = document.createElement("button");
    const draw = () => {
      lines.forEach((row, k) => { row.hidden = found === null ? folded && k >= fold : !found[k]; });
      // What is left of two groups would stand together as one.
      for (const [body, look] of bodies) body.className = found === null ? look : "";
      more.hidden = !folded || found !== null;
    };
    if (ranking.dataset.filter) {
      const tools = filter(ranking, (row) => row.querySelector("th").textContent, (_, kept) => { found = kept; draw(); });
      document.querySelector(".above .tools").append(tools);
    }
    if (!fold) return;
    more.type = "button";
    more.className = "more";
    more.textContent = `Show all ${lines.length}`;
    more.addEventListener("click", () => {
      folded = false;
      draw();
      const next = lines[fold].querySelector("th");
      next.tabIndex = -1;
      next.focus();
    });
    ranking.after(more);
    draw();
  };
  const ranking = document.getElementById("ranking");
  if (ranking) foldable(ranking);
}
