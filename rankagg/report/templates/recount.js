"use strict";
// Offer the ballots as a file, and recount every number of "Votes by rounds" from them.
{
  const page = JSON.parse(document.getElementById("ballots").textContent);
  const link = document.getElementById("ballots-link");
  const button = document.getElementById("recount");
  const line = document.getElementById("recount-verdict");
  const need = (holds, text) => { if (!holds) throw new Error(text); };
  const blank = (text) => text.replace(/\s+/g, " ").trim();

  // Parse lines "27 1 3 2 0", a count and candidates, up to the line "0".
  const ballots = () => {
    const lines = page.text.split("\n").map((text) => text.split(" ").map(Number));
    const rows = lines.slice(1, lines.findIndex((row) => row.length === 1 && row[0] === 0));
    return rows.map(([votes, ...places]) => ({votes, at: 0, value: 1, order: places.slice(0, -1).map((k) => k - 1)}));
  };

  // Return the tied candidate that the page takes.
  const taken = (tied, round) => {
    const found = tied.filter((k) => (page.taken[round] ?? []).includes(k));
    need(tied.length === 1 || found.length === 1, `the page does not settle the tie in round ${round + 1}`);
    return tied.length === 1 ? tied[0] : found[0];
  };

  // Count votes in parts: wholes without transfers of surplus, else hundred-thousandths.
  const count = () => {
    const piles = ballots(), n = page.candidates.length, seats = Number(page.text.split(/\s/)[1]);
    const unit = page.counting === "irv" ? 1n : 100000n;
    const hopeful = new Set(page.candidates.keys()), kept = new Map(), elected = [], gone = new Set(), rounds = [];
    let waiting = [], quota;
    for (const pile of piles) { pile.votes = BigInt(pile.votes); pile.value = unit; }
    for (;;) {
      const votes = page.candidates.map((_, k) => kept.get(k) ?? 0n);
      for (const {order, at, value, votes: many} of piles) {
        if (at < order.length) votes[order[at]] += value * many;
      }
      const total = votes.reduce((sum, one) => sum + one, 0n);
      const all = piles.reduce((sum, {votes: many}) => sum + many, 0n) * unit;
      quota ??= page.counting === "irv" ? all + 1n : page.quota === "hare" ? total / BigInt(seats) : (total / (BigInt(seats + 1) * unit) + 1n) * unit;
      rounds.push({votes: votes.map((one, k) => gone.has(k) ? null : Number(one) / Number(unit)), lost: Number(all - total) / Number(unit)});
      const by = (some) => [...some].sort((a, b) => votes[b] > votes[a] ? 1 : votes[b] < votes[a] ? -1 : a - b);
      const elect = (some) => { for (const k of by(some)) { elected.push(k); hopeful.delete(k); } };
      const rest = () => seats - elected.length;
      const now = hopeful.size <= rest() ? [...hopeful] : [...hopeful].filter((k) => votes[k] >= quota);
      elect(now);
      let source, surplus = 0n;
      if (rest()) {
        waiting.push(...now.filter((k) => votes[k] > quota));
        const most = waiting.map((k) => votes[k]).reduce((a, b) => b > a ? b : a, 0n);
        if (waiting.length) {
          source = taken(waiting.filter((k) => votes[k] === most), rounds.length - 1);
          surplus = most - quota;
        } else {
          const least = [...hopeful].map((k) => votes[k]).reduce((a, b) => b < a ? b : a);
          source = taken([...hopeful].filter((k) => votes[k] === least), rounds.length - 1);
          hopeful.delete(source);
          gone.add(source);
          if (hopeful.size === rest()) elect(hopeful);
        }
      }
      if (!rest()) return {rounds, elected};
      for (const pile of piles.filter(({order, at}) => order[at] === source)) {
        if (surplus) pile.value = pile.value * surplus / votes[source];
        while (pile.at < pile.order.length && !hopeful.has(pile.order[pile.at])) pile.at += 1;
      }
      if (surplus) { kept.set(source, quota); waiting = waiting.filter((k) => k !== source); }
    }
  };

  // Compare the count with the visible table, cell by cell.
  const compare = ({rounds, elected}) => {
    const table = [...document.querySelectorAll("table")].find((one) => one.caption?.textContent === "Votes by rounds");
    const headings = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    need(headings.filter((name) => name.startsWith("round ")).length === rounds.length, `there are ${rounds.length} rounds`);
    let cells = 0;
    for (const row of table.tBodies[0].rows) {
      const name = blank(row.cells[0].textContent), k = page.candidates.map(blank).indexOf(name);
      const is = headings.indexOf("outcome"), last = row.cells[0].textContent === "exhausted" && row.cells[is].textContent === "-";
      need(last || k >= 0, `${name} is no candidate of these ballots`);
      rounds.forEach(({votes, lost}, at) => {
        const own = last ? lost : votes[k] ?? Infinity, shown = Number(row.cells[at + 1].dataset.key);
        need(own === shown || Math.abs(own - shown) < 1e-6, `${name} has ${own} in round ${at + 1}, and not ${shown}`);
        cells += 1;
      });
      need(last || elected.includes(k) === /^(elected|tied)/.test(row.cells[is].textContent), `${name} has another outcome`);
    }
    return cells;
  };

  link.href = URL.createObjectURL(new Blob([page.text], {type: "text/plain"}));
  link.hidden = false;
  button.hidden = !["irv", "scottish"].includes(page.counting);
  button.addEventListener("click", () => {
    try {
      const cells = compare(count());
      line.className = "holds";
      line.textContent = `\u2713 Recounted here from the ballots: all ${cells} numbers of the rounds agree, with ties settled as on this page.`;
    } catch (error) {
      line.className = "fails";
      line.textContent = `\u2715 The recount differs: ${error.message}.`;
    }
  });
}
