// The button, and the line with its result. The visible ranks (data-rank) and items (data-item)
// must be in the proved order.

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

// Return a number of votes as text, exact unless it begins with "about".
function inVotes([top, bottom]) {
  const vote = document.getElementById("check-proof")?.dataset.vote || "vote";
  const [over, under = 1n] = printed(top, bottom).split("/").map(BigInt);
  if (under === 1n) return `${grouped(over)} ${vote}${over === 1n ? "" : "s"}`;
  if (1000n % under === 0n) {
    const digits = String(over % under * 1000n / under).padStart(3, "0").replace(/0+$/, "");
    return `${grouped(over / under)}.${digits} ${vote}s`;
  }
  if (under <= 1000n) return `${grouped(over)}/${under} ${vote}s`;
  return `about ${Number((Number(over * 10n ** 6n / under) / 1e6).toPrecision(6))} ${vote}s`;
}

function verdict({status, cost, bound, tieCost, tolerance, isHeld}) {
  const [least, own] = [inVotes(bound), inVotes(cost)];
  const costs = tieCost[0] > 0n;
  const ties = costs ? ` (a tied vote costs ${printed(...tieCost)})` : "";
  const off = tolerance[0] > 0n ? `, all to within ${inVotes(tolerance)}` : "";
  const held = isHeld ? " under the constraints" : "";
  if (status === "optimal") {
    return `The proof holds: no ranking${held} ${costs ? "costs less" : "contradicts fewer"} than ${least}${ties}, `
      + `and this one ${costs ? "costs" : "contradicts"} ${own.replace(/ [a-z]+$/, "")}${off}.`;
  }
  return `The bound holds: this ranking ${costs ? "costs" : "contradicts"} ${own}${ties}, `
    + `and none${held} ${costs ? "less" : "fewer"} than ${least.replace(/ [a-z]+$/, "")}${off}.`;
}

// Run a generator in short steps, so that the page responds.
async function run(steps, showNodes) {
  let since = performance.now(), nodes = 0, sent;
  for (;;) {
    const {done, value} = steps.next(sent);
    if (done) return value;
    sent = value instanceof Promise ? await value : undefined;
    nodes += sent ? 0 : value;
    if (performance.now() - since > 50) {
      showNodes(nodes);
      await new Promise((resume) => { setTimeout(resume); });
      since = performance.now();
    }
  }
}

function block(id) {
  const found = document.querySelectorAll(`script[type="application/json"][id="${id}"]`);
  demand(found.length === 1, `the page has ${found.length ? "two elements" : "no element"} "${id}"`);
  return found[0].textContent;
}

// Return a text as displayed, with blanks collapsed.
function seen(text) {
  return String(text).replaceAll("\0", "").replace(/\s+/g, " ").trim();
}

// Escape control characters as Python does.
function written(label) {
  return String(label).replace(/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g, (sign) => {
    const code = sign.charCodeAt(0);
    const known = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}[sign];
    return known ?? (code < 256 ? "\\x" : "\\u") + code.toString(16).padStart(code < 256 ? 2 : 4, "0");
  });
}

function compareRows({items, order}) {
  // Draw the later rows first.
  dispatchEvent(new Event("drawrows"));
  const names = [...document.querySelectorAll("[data-item]")];
  demand(names.length === items.length, `the page shows ${names.length} items, and the proof has ${items.length}`);
  const ranks = new Set();
  for (const name of names) {
    const rank = seen(name.closest("tr")?.querySelector("[data-rank]")?.textContent ?? "");
    const at = /^[1-9][0-9]*$/.test(rank) ? Number(rank) - 1 : -1;
    const proved = seen(written(items[order[at]] ?? "nothing"));
    demand(!ranks.has(rank), `the page shows two items in place ${rank}`);
    demand(at in order && seen(name.textContent) === proved,
      `the page shows "${seen(name.textContent)}" in place ${rank}, and the proof has "${proved}" there`);
    ranks.add(rank);
  }
}

function offerFiles(line) {
  const files = document.createElement("p");
  files.id = "proof-files";
  files.append("A manipulated page can contain a manipulated script. To check without it, save ");
  for (const [at, name] of ["certificate", "votes"].entries()) {
    const link = document.createElement("a");
    const text = document.getElementById(`proof-${name}`).textContent;
    link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
    link.download = `${name}.json`;
    link.textContent = link.download;
    files.append(...(at ? [" and "] : []), link);
  }
  files.append(", and give both to check_certificate.py from the documentation of rankagg.");
  line.after(files);
}

function prepare() {
  const [button, line] = ["check-proof", "proof-verdict"].map((id) => document.getElementById(id));
  if (!button || !line) return;
  const show = (look, text) => {
    line.className = look;
    line.textContent = text;
  };
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    show("", "Checking …");
    let next = performance.now() + 2000;
    const start = performance.now();
    try {
      const proved = await run(check(block("proof-votes"), block("proof-certificate")), (nodes) => {
        if (performance.now() < next) return;
        next = performance.now() + 2000;
        show("", `Checking: ${grouped(nodes)} cases so far …`);
      });
      compareRows(proved);
      const seconds = ((performance.now() - start) / 1000).toFixed(2);
      show("holds", `✓ ${verdict(proved)} Checked here in exact integers, ${seconds} s.`);
      if (!document.getElementById("proof-files")) offerFiles(line);
    } catch (error) {
      if (error instanceof Refused) show("fails", `✕ The proof does not hold: ${error.message}.`);
      else if (error instanceof BeyondBudget) show("fails", `The proof was not checked within the budget: ${error.message}. The program check_certificate.py of rankagg takes a larger budget.`);
      else show("fails", `The proof was not checked: this browser could not do it (${error.message}).`);
    }
    button.disabled = false;
  });
}

prepare();
