// Read votes, and compute their fingerprint.

function* readVotes(data) {
  const [schema, version, items, denominator, rounding, ...matrices] = fields(
    data, "schema", "version", "items", "denominator", "rounding", "wins", "ties");
  demand(schema === "rankagg.votes" && version === 1n, "the kind of the votes is unknown here");
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

// Return the numbers of a row as bytes, the lowest first.
function bytesOf(row, width) {
  const bytes = new Uint8Array(row.length * width);
  row.forEach((number, at) => {
    for (let k = at * width; number; k++, number >>= 8n) bytes[k] = Number(number & 255n);
  });
  return bytes;
}

// Yield the promise of the digest, whose value the caller sends back.
function* fingerprint({items, wins, ties, denominator}) {
  if (!globalThis.crypto?.subtle) throw new Error("it computes no hashes for pages that came over http: save the page and open the file");
  const parts = [];
  const add = (text) => { parts.push(new TextEncoder().encode(text)); };
  add(`rankagg.votes 1\n${items.length} ${denominator}\n`);
  for (const one of items) {
    add(typeof one === "bigint" ? `i${one}\n` : `s${new TextEncoder().encode(one).length}:${one}\n`);
  }
  for (const matrix of [wins, ties]) {
    let largest = 0n;
    for (const row of matrix) for (const number of row) if (number > largest) largest = number;
    const width = largest ? Math.ceil(largest.toString(16).length / 2) : 0;
    hold(items.length ** 2 * (width + ENTRY));
    add(`${width}\n`);
    for (const row of matrix) {
      yield 0;
      parts.push(bytesOf(row, width));
    }
  }
  const digest = yield new Blob(parts).arrayBuffer().then((bytes) => crypto.subtle.digest("SHA-256", bytes));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
