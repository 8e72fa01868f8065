// The votes, and their fingerprint.

function* readVotes(data) {
  const [schema, version, items, denominator, rounding, ...matrices] = fields(
    data, "schema", "version", "items", "denominator", "rounding", "wins", "ties");
  demand(schema === "rankagg.votes" && version === 1n, "the votes are not of a kind that is known here");
  const n = labels(items).length;
  hold(n * n * 4 * ENTRY);
  integer(denominator, 1n, SCALED);
  const off = fraction(rounding);
  demand(isDouble(off), "no double holds the rounding");
  let common = denominator;
  for (const matrix of matrices) {
    demand(list(matrix, "votes").length === n, "votes are no square");
    for (const [i, row] of matrix.entries()) {
      yield 0;
      demand(list(row, "votes").length === n, "votes are no square");
      for (const number of row) {
        integer(number, 0n, SCALED);
        demand(number <= 10n ** 100n * denominator, "there are more than 10^100 votes");
        if (common !== 1n) common = gcd(common, number);
      }
      demand(row[i] === 0n, "votes compare an item with itself");
    }
  }
  const [wins, ties] = common === 1n ? matrices
    : matrices.map((matrix) => matrix.map((row) => row.map((number) => number / common)));
  demand(ties.every((row, i) => row.every((number, j) => number === ties[j][i])), "ties are not symmetric");
  return {items, wins, ties, denominator: denominator / common, rounding: off};
}

// SHA-256 (FIPS 180-4); a page that was not fetched over TLS has none of the browser's own.
class Sha256 {
  constructor() {
    const primes = [];
    for (let p = 2; primes.length < 64; p++) if (primes.every((q) => p % q)) primes.push(p);
    // The first bits behind the point of square and cube roots.
    const bits = (p, power) => {
      let low = 0n, high = 2n ** 40n;
      while (high - low > 1n) {
        const middle = (low + high) / 2n;
        if (middle ** power <= BigInt(p) << (32n * power)) low = middle;
        else high = middle;
      }
      return Number(low & 0xffffffffn) | 0;
    };
    this.constants = Int32Array.from(primes, (p) => bits(p, 3n));
    this.state = Int32Array.from(primes.slice(0, 8), (p) => bits(p, 2n));
    this.words = new Int32Array(64);
    this.block = new Uint8Array(64);
    this.length = 0;
  }

  add(text) {
    this.addBytes(new TextEncoder().encode(text));
  }

  addBytes(bytes) {
    for (let from = 0; from < bytes.length;) {
      const filled = this.length % 64;
      const some = bytes.subarray(from, from + 64 - filled);
      this.block.set(some, filled);
      from += some.length;
      this.length += some.length;
      if (this.length % 64 === 0) this.mix();
    }
  }

  mix() {
    const {words: w, constants, state} = this;
    const view = new DataView(this.block.buffer);
    const turn = (x, by) => (x >>> by) | (x << (32 - by));
    for (let t = 0; t < 64; t++) {
      if (t < 16) w[t] = view.getInt32(4 * t);
      else {
        const [x, y] = [w[t - 15], w[t - 2]];
        w[t] = w[t - 16] + w[t - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3))
          + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g))
        + constants[t] + w[t]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0;
      d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] += word; });
  }

  digest() {
    const length = BigInt(this.length) * 8n;
    const end = new Uint8Array(((119 - this.length % 64) % 64) + 9);
    end[0] = 128;
    new DataView(end.buffer).setBigUint64(end.length - 8, length);
    this.addBytes(end);
    return [...this.state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

// The numbers of a row, each of so many bytes, the lowest first.
function bytesOf(row, width) {
  const bytes = new Uint8Array(row.length * width);
  row.forEach((number, at) => {
    for (let k = at * width; number; k++, number >>= 8n) bytes[k] = Number(number & 255n);
  });
  return bytes;
}

function* fingerprint({items, wins, ties, denominator}) {
  const hash = new Sha256();
  hash.add(`rankagg.votes 1\n${items.length} ${denominator}\n`);
  for (const one of items) {
    const length = new TextEncoder().encode(one).length;
    hash.add(typeof one === "bigint" ? `i${one}\n` : `s${length}:${one}\n`);
  }
  for (const matrix of [wins, ties]) {
    let largest = 0n;
    for (const row of matrix) for (const number of row) if (number > largest) largest = number;
    const width = largest ? Math.ceil(largest.toString(16).length / 2) : 0;
    hash.add(`${width}\n`);
    for (const row of matrix) {
      yield 0;
      hash.addBytes(bytesOf(row, width));
    }
  }
  return hash.digest();
}
