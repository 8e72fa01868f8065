// The decided pairs of some items, as a matrix of bits.

class Case {
  constructor(n, bits = null) {
    this.n = n;
    this.words = (n + 31) >> 5;
    this.bits = bits ?? new Uint32Array(n * this.words);
  }

  has(i, j) {
    return (this.bits[i * this.words + (j >> 5)] >>> (j & 31)) & 1;
  }

  get isEmpty() {
    return this.bits.every((word) => word === 0);
  }

  // Decide more pairs and their consequences; null for a cycle.
  with(pairs) {
    const {n, words} = this;
    const bits = this.bits.slice();
    const more = new Case(n, bits);
    for (const [i, j] of pairs) bits[i * words + (j >> 5)] |= 1 << (j & 31);
    for (let k = 0; k < n; k++) {
      for (let i = 0; i < n; i++) {
        if (!more.has(i, k)) continue;
        for (let w = 0; w < words; w++) bits[i * words + w] |= bits[k * words + w];
      }
    }
    for (let i = 0; i < n; i++) if (more.has(i, i)) return null;
    return more;
  }
}

// Sum over all pairs the decided direction, or else the cheaper one.
function leastOf(price, known, zero) {
  let total = zero;
  for (let i = 0; i < price.length; i++) {
    for (let j = 0; j < i; j++) {
      const [one, other] = [price[i][j], price[j][i]];
      total += known.has(i, j) ? one : known.has(j, i) ? other : one < other ? one : other;
    }
  }
  return total;
}
