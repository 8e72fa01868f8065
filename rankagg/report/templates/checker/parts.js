// The bound of one part: costs of placing row before column, among the items of one proof.

// Choose doubles, which are faster, if they are exact, else BigInts.
function kindFor(largest) {
  return largest <= SAFE ? {of: Number, zero: 0, one: 1} : {of: BigInt, zero: 0n, one: 1n};
}

function absolute(number) {
  return number < 0n ? -number : number;
}

function ceiling(top, bottom) { // of top / bottom, for a positive bottom
  return top > 0n ? (top + bottom - 1n) / bottom : -(-top / bottom);
}

class Part {
  constructor(cost, positions, known) {
    demand(positions.length >= 2, "a part has two positions or more");
    this.where = new Map(positions.map((position, at) => [position, at]));
    this.cost = positions.map((a) => positions.map((b) => cost[a][b]));
    this.m = positions.length;
    hold(this.m ** 2 * 3 * ENTRY);
    const inside = [];
    this.step = 0n;
    this.all = 0n; // the cost of all directions
    for (let i = 0; i < this.m; i++) {
      for (let j = 0; j < this.m; j++) {
        if (i === j) continue;
        if (known.has(positions[i], positions[j])) inside.push([i, j]);
        this.all += this.cost[i][j];
        if (i < j) this.step = gcd(this.step, this.cost[i][j] - this.cost[j][i]);
      }
    }
    const nothing = new Case(this.m);
    this.floor = leastOf(this.cost, nothing, 0n);
    this.root = nothing.with(inside);
    this.isFree = inside.length === 0;
    this.rows = [];
  }

  // Return places inside of the part.
  places(data, length = null) {
    const found = positions(data, Number.MAX_SAFE_INTEGER, length).map((one) => this.where.get(one));
    demand(!found.includes(undefined), "a position is outside of its part");
    return found;
  }

  // Return the least possible cost of an order from a bound times UNIT.
  lift(bound) {
    if (this.step === 0n) return this.floor;
    const steps = ceiling(BigInt(bound) - this.floor * UNIT, this.step * UNIT);
    return this.floor + (steps > 0n ? steps : 0n) * this.step;
  }

  // Return the largest bound times UNIT that lifts to less than a threshold, or null.
  lastBelow(threshold) {
    if (threshold <= this.floor) return null;
    if (this.step === 0n) return Infinity;
    return (this.floor + (ceiling(threshold - this.floor, this.step) - 1n) * this.step) * UNIT;
  }

  // -- rows that follow from others: counts of arcs, and lower bounds

  *derive(rows, given) {
    let held = 0;
    for (const row of list(rows, "rows")) {
      const [terms, divisor] = fields(row, "terms", "divisor");
      demand(list(terms, "terms").length, "a row has no terms");
      integer(divisor, 1n, COUNT);
      const counts = new Map(); // from i * m + j
      let least = 0n;
      for (const term of terms) {
        yield 0;
        demand(list(term, "a term").length === 2, "a term is a number and a row");
        const times = integer(term[0], 1n, COUNT);
        const source = this.source(term[1], given);
        for (const [arc, count] of source.counts) counts.set(arc, (counts.get(arc) ?? 0n) + times * count);
        least += times * source.least;
      }
      for (const [arc, count] of counts) { // an order uses exactly one of i -> j and j -> i
        const back = (arc % this.m) * this.m + Math.floor(arc / this.m);
        const other = counts.get(back) ?? 0n;
        const both = count < other ? count : other;
        if (both === 0n) continue;
        counts.set(arc, count - both);
        counts.set(back, other - both);
        least -= both;
      }
      const rounded = [...counts].filter(([, count]) => count !== 0n)
        .map(([arc, count]) => [arc, ceiling(count, divisor)]);
      least = ceiling(least, divisor);
      demand([least, ...rounded.map(([, count]) => count)].every((count) => absolute(count) <= COUNT),
        "a row counts too much");
      hold(held += rounded.length * 2 * ENTRY);
      this.rows.push({counts: rounded, least});
    }
  }

  source(data, given) {
    const arcs = (pairs) => pairs.map(([i, j]) => [i * this.m + j, 1n]);
    if (Array.isArray(data)) {
      const items = this.places(data);
      demand(items.length >= 2, "a cycle has two positions or more");
      if (items.length === 2) return {counts: arcs([items]), least: 0n};
      return {counts: arcs(items.map((i, at) => [i, items[(at + 1) % items.length]])), least: 1n};
    }
    if (data instanceof Map) {
      demand(given, "a row of constraints where there are none");
      this.isFree = false; // moves of items can break constraints
      const row = given(data);
      const inside = row.arcs.map((arc) => arc.map((position) => this.where.get(position)));
      demand(!inside.flat().includes(undefined), "a row of the constraints is outside of the part");
      return {counts: arcs(inside), least: row.least};
    }
    return this.rows[Number(integer(data, 0n, BigInt(this.rows.length) - 1n))];
  }

  // -- the tree of cases

  // Return the least bound of all cases; every node is used once.
  *bound(nodes) {
    demand(list(nodes, "nodes").length, "a proof has no nodes");
    if (nodes[0] instanceof Map && nodes[0].has("enumeration")) {
      demand(fields(nodes[0], "enumeration")[0] === true, "an enumeration is true");
      demand(nodes.length === 1 && this.m <= 20, "an enumeration is the only node, for at most 20 items");
      demand(this.isFree, "an enumeration is not possible under constraints");
      return yield* this.enumerate();
    }
    const cases = new Map([[0, this.root]]); // null where a case contradicts itself
    const parents = new Set([0]);
    let least = null, chain = 0;
    for (const [at, node] of nodes.entries()) {
      yield 1;
      hold(cases.size * this.m * (this.m / 8 + ENTRY));
      demand(parents.has(at) && node instanceof Map, "a node is no child of one before it");
      const known = cases.get(at);
      cases.delete(at);
      const below = [];
      let own = null;
      if (node.has("pair")) {
        const [pair, before, after] = fields(node, "pair", "before", "after");
        const [i, j] = this.places(pair, 2);
        below.push([before, known?.with([[i, j]]) ?? null], [after, known?.with([[j, i]]) ?? null]);
      } else if (node.has("threshold")) {
        const [cycles, rows, threshold, rest] = fields(node, "cycles", "rows", "threshold", "rest");
        own = integer(threshold);
        const priced = yield* this.priced(cycles, rows, known);
        below.push([rest, known && this.fixed(known, priced, own)]);
      } else if (node.has("exchange") || node.has("cut")) {
        demand(at === chain && this.isFree, "an exchange or a cut is not possible here");
        const pairs = yield* node.has("exchange") ? this.exchanged(node, known) : this.parted(node, known);
        const rest = known.with(pairs);
        demand(rest, "pairs of every optimum contradict each other");
        chain = Number(integer(node.get("rest"), 0n, BigInt(nodes.length)));
        below.push([node.get("rest"), rest]);
      } else {
        const priced = yield* this.priced(...fields(node, "cycles", "rows"), known);
        own = this.lift(priced.total);
      }
      if (known && own !== null && (least === null || own < least)) least = own;
      for (const [child, left] of below) {
        const next = Number(integer(child, BigInt(at) + 1n, BigInt(nodes.length) - 1n));
        demand(!parents.has(next), "a node has two parents");
        parents.add(next);
        cases.set(next, left);
      }
    }
    demand(least !== null, "every case contradicts itself");
    return least;
  }

  // Subtract the weights of cycles and rows from prices; return these and the bound times UNIT.
  *priced(cycles, rows, known) {
    const {m} = this;
    demand(list(cycles, "cycles").length <= m * (m - 1) * (m - 2) / 3, "there are too many cycles");
    const taken = [];
    let paid = 0n, largest = 0n;
    for (const cycle of cycles) {
      demand(list(cycle, "a cycle").length === 4, "a cycle is three positions and a weight");
      const [a, b, c] = this.places(cycle.slice(0, 3));
      const weight = integer(cycle[3], 1n);
      paid += weight;
      largest += 3n * weight;
      taken.push([a * m + b, weight], [b * m + c, weight], [c * m + a, weight]);
      if (taken.length % 999 === 0) yield 0;
    }
    for (const row of list(rows, "weighted rows")) {
      demand(list(row, "a weighted row").length === 2, "a weighted row is a row and a weight");
      const {counts, least} = this.rows[Number(integer(row[0], 0n, BigInt(this.rows.length) - 1n))];
      const weight = integer(row[1], 1n);
      hold((taken.length + counts.length) * 2 * ENTRY);
      paid += weight * least;
      largest += weight * absolute(least);
      for (const [arc, count] of counts) {
        taken.push([arc, weight * count]);
        largest += weight * absolute(count);
      }
      yield 0;
    }
    // Two prices, their difference and a total are far below this.
    const kind = kindFor(4n * (largest + this.all * UNIT));
    const price = this.cost.map((row) => row.map((cost) => kind.of(cost * UNIT)));
    for (const [arc, off] of taken) price[Math.floor(arc / m)][arc % m] -= kind.of(off);
    const total = kind.of(paid) + (known ? leastOf(price, known, kind.zero) : kind.zero);
    return {price, total};
  }

  // Fix the pairs whose dearer side reaches the threshold.
  fixed(known, {price, total}, threshold) {
    const last = this.lastBelow(threshold);
    if (last === null || total > last) return null;
    const fixed = [];
    for (let i = 0; i < this.m; i++) {
      for (let j = 0; j < this.m; j++) {
        if (i === j || known.has(i, j) || known.has(j, i)) continue;
        const excess = price[i][j] - price[j][i];
        if (excess >= 0 && total + excess > last) fixed.push([j, i]);
      }
    }
    return known.with(fixed);
  }

  // -- pairs that every optimum has

  gains(times) {
    const kind = kindFor(8n * (times + 1n) * (this.all + 1n));
    const gain = this.cost.map((row, i) => row.map((cost, j) => kind.of(this.cost[j][i] - cost)));
    return {kind, gain};
  }

  *exchanged(node, known) {
    const [data, ...multipliers] = fields(node, "exchange", "up", "down", "rest");
    const [up, down] = multipliers.slice(0, 2).map((one) => integer(one, 0n, COUNT));
    const pairs = this.pairs(data);
    const {kind, gain} = this.gains(up + down);
    const [rise, fall] = [kind.of(up), kind.of(down)];
    for (const [x, y] of pairs) {
      yield 0;
      let total = (rise + fall) * gain[x][y];
      for (let k = 0; k < this.m; k++) {
        if (k === x || k === y || known.has(k, y) || known.has(x, k)) continue;
        const gained = rise * gain[x][k] + fall * gain[k][y];
        if (gained < 0) total += gained;
      }
      demand(total > 0, "an optimum may have a pair in the other order");
    }
    return pairs;
  }

  *parted(node, known) {
    const [data, across] = fields(node, "above", "cut", "rest");
    const upper = new Set(this.places(data));
    const pairs = this.pairs(across);
    const {gain} = this.gains(1n);
    const lost = [];
    for (const u of upper) {
      for (let v = 0; v < this.m; v++) {
        if (!upper.has(v) && !known.has(u, v) && gain[u][v] < 0) lost.push([u, v]);
      }
    }
    for (const [x, y] of pairs) {
      yield 0;
      demand(upper.has(x) && !upper.has(y), "a pair is not across its cut");
      const between = Array.from({length: this.m}, (_, k) => !known.has(k, y) && !known.has(x, k));
      let total = gain[x][y];
      for (const [u, v] of lost) if (between[u] && between[v]) total += gain[u][v];
      demand(total > 0, "an optimum may have a pair in the other order");
    }
    return pairs;
  }

  pairs(data) {
    demand(list(data, "pairs").length, "there are no pairs");
    return data.map((pair) => this.places(pair, 2));
  }

  // -- all orders

  // Return the least cost of all orders, by sets of items and their last item.
  *enumerate() {
    const {m} = this;
    const kind = kindFor(4n * this.all);
    hold(2 ** m * (kind.zero === 0 ? 8 : ENTRY));
    const best = kind.zero === 0 ? new Float64Array(2 ** m) : new Array(2 ** m).fill(0n);
    // Costs of placing a set before k, for the lower and the upper half of the items.
    const half = m >> 1, mask = 2 ** half - 1;
    const sums = (from, count, k) => {
      const sum = [kind.zero];
      for (let i = 0; i < count; i++) {
        const cost = from + i === k ? kind.zero : kind.of(this.cost[from + i][k]);
        for (let s = 0; s < 2 ** i; s++) sum.push(sum[s] + cost);
      }
      return sum;
    };
    const low = [], high = [];
    for (let k = 0; k < m; k++) {
      low.push(sums(0, half, k));
      high.push(sums(half, m - half, k));
    }
    for (let some = 1; some < 2 ** m; some++) {
      if (some % 4096 === 0) yield 0;
      let least = null;
      for (let k = 0; k < m; k++) {
        if (!(some >> k & 1)) continue;
        const cost = best[some ^ 1 << k] + low[k][some & mask] + high[k][some >> half];
        if (least === null || cost < least) least = cost;
      }
      best[some] = least;
    }
    return BigInt(best[best.length - 1]);
  }
}
