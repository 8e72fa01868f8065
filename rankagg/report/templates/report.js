"use strict";
// Without this script the page is complete; with it a click on a heading sorts its table.
for (const table of document.querySelectorAll("table.sortable")) {
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
}
