"use strict";
// Sort and filter tables. Without this script the page is complete, or states the rows it leaves out.
{
  const rowsOf = (table) => [...table.tBodies].flatMap((body) => [...body.rows]);

  // Return all rows of a table; later rows are a text until they are needed.
  const drawn = (table) => {
    const figure = table.closest("figure");
    const later = figure.querySelector("script.later");
    if (later) table.insertAdjacentHTML("beforeend", JSON.parse(later.textContent));
    for (const part of figure.querySelectorAll(".later")) part.remove();
    return rowsOf(table);
  };

  // Return the sort key of a cell; unknown numbers stay below in both directions.
  const keyOf = (cell) => {
    if ("key" in cell.dataset) return Number(cell.dataset.key);
    if (!cell.matches(".score, .place")) return cell.textContent;
    const number = parseFloat(cell.textContent.replaceAll(",", "").replaceAll("\u2212", "-"));
    return Number.isNaN(number) ? Infinity : number;
  };

  // Let the headings sort all rows.
  const sortable = (table, headings, all, changed) => {
    let original;
    for (const heading of headings) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        original ??= all();
        const descending = heading.getAttribute("aria-sort") === "ascending";
        const k = heading.cellIndex;
        const compare = (one, two) => {
          const a = keyOf(one.cells[k]), b = keyOf(two.cells[k]);
          if (a === Infinity || b === Infinity) return (a === Infinity) - (b === Infinity);
          const order = typeof a === "number" ? a - b : a.localeCompare(b, undefined, {numeric: true});
          return descending ? -order : order;
        };
        table.tBodies[0].append(...[...original].sort(compare));
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        changed?.(heading);
      });
    }
  };

  // Return a field that keeps the rows with all its words, in any order.
  const filter = (table, all, text, changed) => {
    let rows, texts;
    const tools = document.createElement("label");
    const field = document.createElement("input");
    const count = document.createElement("output");
    tools.className = "find";
    field.type = "search";
    tools.append("Find ", field, count);
    field.setAttribute("aria-label", `Find ${table.dataset.filter}`);
    field.addEventListener("input", () => {
      rows ??= all();
      texts ??= rows.map((row) => text(row).toLowerCase());
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = new Set(rows.filter((_, k) => words.every((word) => texts[k].includes(word))));
      count.textContent = words.length ? `${found.size} of ${rows.length}` : "";
      changed(words.length ? found : null);
    });
    return tools;
  };

  // Return a choice of one name or all.
  const choiceOf = (title, names, chosen) => {
    const label = document.createElement("label");
    const choice = document.createElement("select");
    label.className = "find";
    choice.append(new Option("all", ""), ...names.map((name, k) => new Option(name, k)));
    label.append(`${title} `, choice);
    choice.addEventListener("change", () => chosen(names[choice.selectedIndex - 1] ?? null));
    return label;
  };

  // Let readers choose the columns of one category; columns without one stay.
  const choosable = (table) => {
    const headings = [...table.tHead.rows[0].cells];
    const names = [...new Set(headings.map((heading) => heading.dataset.category).filter(Boolean))];
    if (names.length < 2) return;
    const places = headings.filter((one) => one.classList.contains("places"));
    table.closest("figure").prepend(choiceOf("Category", names, (name) => {
      drawn(table);
      headings.forEach((heading, k) => {
        const gone = name !== null && heading.dataset.category && heading.dataset.category !== name;
        for (const row of table.rows) row.cells[k].hidden = Boolean(gone);
        const sorts = name === null ? k === 0 && places.length > 0 : !gone && places.includes(heading);
        while (sorts && heading.getAttribute("aria-sort") !== "ascending") heading.firstChild.click();
      });
    }));
  };

  const tables = [...document.querySelectorAll("table.sortable")];
  for (const table of tables) {
    const all = () => drawn(table);
    sortable(table, [...table.tHead.rows[0].cells], all);
    choosable(table);
    const later = table.closest("figure").querySelector("p.later");
    if (later) {
      const more = document.createElement("button");
      more.type = "button";
      more.textContent = "Show all";
      more.addEventListener("click", all);
      later.append(" ", more);
    }
    if (!table.dataset.filter) continue;
    const show = (found) => { for (const row of rowsOf(table)) row.hidden = found !== null && !found.has(row); };
    table.closest("figure").prepend(filter(table, all, (row) => row.textContent, show));
  }

  // Fold the first figure until a reader shows all rows or filters them.
  const foldable = (ranking) => {
    const fold = Number(ranking.dataset.fold || 0);
    let folded = fold > 0, found = null, isSorted = false, homes;
    const chosen = new Map();
    const tools = document.querySelector(".above .tools");
    const more = document.createElement("button");
    const all = () => {
      const rows = drawn(ranking);
      homes ??= [...ranking.tBodies].map((body) => [body, body.className, [...body.rows]]);
      return rows;
    };
    const isKept = (row) => (found === null || found.has(row))
      && [...chosen].every(([k, name]) => row.cells[k].textContent === name);
    const draw = () => {
      const isNarrowed = found !== null || chosen.size > 0;
      const rows = rowsOf(ranking);
      rows.forEach((row, k) => { row.hidden = isNarrowed ? !isKept(row) : folded && k >= fold; });
      // Filtered rows of two groups would look like one group.
      for (const [body, look] of homes ?? []) body.className = isNarrowed || isSorted ? "" : look;
      more.hidden = !folded || isNarrowed;
      const count = tools.querySelector("output");
      if (count) count.textContent = isNarrowed ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
    };
    const headings = [...ranking.tHead.rows[0].cells];
    if (ranking.matches(".with-cards")) {
      const place = headings[0];
      place.firstElementChild.className = "";
      sortable(ranking, headings.filter((one) => one.matches(".place, .name, .score, .card")), all, (heading) => {
        isSorted = heading !== place || heading.getAttribute("aria-sort") !== "ascending";
        if (!isSorted) for (const [body, , rows] of homes) body.append(...rows);
        draw();
      });
    }
    headings.forEach((heading, k) => {
      if (!heading.dataset.choices) return;
      tools.append(choiceOf(heading.textContent, JSON.parse(heading.dataset.choices), (name) => {
        all();
        if (name === null) chosen.delete(k);
        else chosen.set(k, name);
        draw();
      }));
    });
    if (ranking.dataset.filter) {
      const text = (row) => [row.querySelector("th"), ...row.querySelectorAll(".card")].map((cell) => cell.textContent).join(" ");
      tools.append(filter(ranking, all, text, (kept) => { found = kept; draw(); }));
    }
    addEventListener("drawrows", () => { all(); draw(); });
    if (!fold) return;
    const later = ranking.closest("figure").querySelector("p.later");
    if (later) later.hidden = true;
    more.type = "button";
    more.className = "more";
    more.textContent = `Show all ${ranking.dataset.rows}`;
    more.addEventListener("click", () => {
      folded = false;
      const next = all()[fold].querySelector("th");
      draw();
      next.tabIndex = -1;
      next.focus();
    });
    (ranking.closest(".scroll") ?? ranking).after(more);
    draw();
  };
  const ranking = document.getElementById("ranking");
  if (ranking) foldable(ranking);
  // Prints have all rows.
  addEventListener("drawrows", () => tables.forEach(drawn));
  addEventListener("beforeprint", () => dispatchEvent(new Event("drawrows")));
}
