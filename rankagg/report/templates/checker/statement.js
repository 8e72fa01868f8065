// Check the statements of a certificate against votes.

function readConstraints(data, n) {
  const [above, first, last, counts] = fields(data, "above", "first", "last", "counts");
  const lengths = [above, first, last, counts].map((one) => list(one, "constraints").length);
  demand(lengths.some((length) => length > 0), "there are no constraints");
  const pairs = above.map((pair) => positions(pair, n, 2));
  const [firsts, lasts] = [first, last].map((some) => new Set(positions(some, n)));
  const quotas = counts.map((count) => {
    const [some, within, least] = fields(count, "items", "within", "at_least");
    const items = positions(some, n);
    const place = Number(integer(within, 1n, BigInt(n)));
    return {items, place, least: integer(least, 1n, BigInt(Math.min(items.length, place)))};
  });
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (firsts.has(i) && !firsts.has(j) || !lasts.has(i) && lasts.has(j)) pairs.push([i, j]);
    }
  }
  const known = new Case(n).with(pairs);
  demand(known, "the constraints contradict each other");
  return {quotas, known, row: (data) => readRow(data, n, quotas)};
}

// Return the arcs of a row, and the least number of them in an order.
function readRow(data, n, quotas) {
  const [sides] = fields(data, "ahead");
  demand(list(sides, "sides").length === 2, "a row has two sides");
  const [upper, lower] = sides.map((side) => new Set(positions(side, n)));
  demand(upper.size && lower.size && ![...upper].some((i) => lower.has(i)), "two sides are apart, and not empty");
  hold(upper.size * lower.size * 4 * ENTRY);
  const steps = quotas.map(({items, place, least}) => ({
    most: place - Number(least) + items.filter((i) => lower.has(i)).length,
    inside: Number(least) - items.filter((i) => !upper.has(i)).length,
  }));
  let least = 0; // each lower item, from the first, has this many upper items before it
  for (let at = 0; at < lower.size; at++) {
    least += Math.max(0, ...steps.filter(({most}) => most <= at).map(({inside}) => inside));
  }
  return {arcs: [...upper].flatMap((i) => [...lower].map((j) => [i, j])), least: BigInt(least)};
}

// Return whether an order satisfies the constraints.
function keeps(order, {quotas, known}) {
  const at = new Array(known.n);
  order.forEach((i, place) => { at[i] = place; });
  for (let i = 0; i < known.n; i++) {
    for (let j = 0; j < known.n; j++) if (known.has(i, j) && at[i] >= at[j]) return false;
  }
  return quotas.every(({items, place, least}) => items.filter((i) => at[i] < place).length >= least);
}

// Yield numbers of nodes, or promises whose values are sent back; return the proved result. Throw
// Refused with the reason if the proof fails, or BeyondBudget.
function* check(votesText, certificateText, seconds = SECONDS, bytes = BYTES) {
  memoryLimit = bytes;
  const ends = performance.now() + 1000 * seconds;
  const steps = checked(votesText, certificateText);
  let step = steps.next();
  while (!step.done) {
    if (performance.now() > ends) throw new BeyondBudget(`it takes more than ${seconds} s`);
    step = steps.next(yield step.value);
  }
  return step.value;
}

function* checked(votesText, certificateText) {
  const votes = yield* readVotes(yield* parse(votesText, "the block of votes"));
  const data = yield* parse(certificateText, "the certificate");
  demand(data instanceof Map && data.get("schema") === "rankagg.certificate"
    && data.get("version") === 1n,
    "the kind of the certificate is unknown here");
  const [, , status, statedCost, statedBound, tolerance, tieCost, mark, named, order, scaledCost,
    scaledBound, denominator, unit, proofs, ...constraints] = fields(
    data, "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost", "fingerprint",
    "items", "order", "scaled_cost", "scaled_lower_bound", "denominator", "weight_denominator", "proofs",
    ...(data.has("constraints") ? ["constraints"] : []));
  demand(unit === UNIT, "weights are over another number");
  const {items, wins, ties} = votes;
  const n = items.length;
  demand(labels(named).length === n && named.every((one, i) => one === items[i]),
    "the certificate names other items than the votes");
  demand(mark === (yield* fingerprint(votes)), "the certificate is for other votes");
  const [share, whole] = fraction(tieCost);
  demand(share <= whole, "a tied vote costs more than 1");
  demand(integer(denominator) === votes.denominator * whole, "the denominator is another");
  const [off, under] = votes.rounding;
  const pairs = BigInt(n) * BigInt(n - 1);
  demand(fraction(tolerance) && tolerance === printed(off * pairs, under), "the tolerance is another");
  const ranking = positions(order, n, n);

  const cost = wins.map((_, i) => wins.map((row) => row[i] * whole));
  let tied = 0n;
  ties.forEach((row, i) => row.slice(0, i).forEach((number) => { tied += number * share; }));
  let total = tied;
  for (let a = 0; a < n; a++) for (let b = a + 1; b < n; b++) total += cost[ranking[a]][ranking[b]];
  demand(integer(scaledCost) === total,
    `the ranking costs ${printed(total, denominator)}, and ${printed(scaledCost, denominator)} is stated`);
  let held = {known: new Case(n)};
  if (constraints.length) {
    held = readConstraints(constraints[0], n);
    demand(keeps(ranking, held), "the ranking breaks a constraint");
  }

  let proved = tied + leastOf(cost, held.known, 0n), cases = 0;
  const taken = new Set();
  for (const proof of list(proofs, "proofs")) {
    const [some, rows, nodes] = fields(proof, "positions", "rows", "nodes");
    const here = positions(some, n);
    demand(!here.some((one) => taken.has(one)), "two proofs share an item");
    here.forEach((one) => taken.add(one));
    const part = new Part(cost, here, held.known);
    yield* part.derive(rows, held.row);
    proved += (yield* part.bound(nodes)) - leastOf(part.cost, part.root, 0n);
    cases += nodes.length;
  }
  demand(integer(scaledBound) <= proved,
    `the proof shows that no ranking costs less than ${printed(proved, denominator)}, `
    + `and ${printed(scaledBound, denominator)} is stated`);
  demand(scaledBound <= total, "the stated bound is above the cost");
  demand(status === (scaledBound === total ? "optimal" : "gap"), "the status is another");
  demand(statedCost === printed(total, denominator) && statedBound === printed(scaledBound, denominator),
    "cost or bound is printed wrong");
  return {
    status, cases, items, order: ranking, cost: [total, denominator], bound: [scaledBound, denominator],
    tieCost: [share, whole], tolerance: fraction(tolerance), isHeld: constraints.length > 0,
  };
}
