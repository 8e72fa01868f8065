// Read JSON without loss, and validate its structure.

const UNIT = 2n ** 20n; // weights are over this
const COUNT = 2n ** 31n - 1n;
const LARGEST = 10n ** 1000n - 1n;
const SCALED = 10n ** 300n - 1n;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

class Refused extends Error {}

// Thrown if a check exceeds its budget, whether the proof holds or not.
class BeyondBudget extends Error {}

function demand(holds, words) {
  if (!holds) throw new Refused(words);
}

const SECONDS = 60, BYTES = 2 ** 30;
const ENTRY = 60; // bytes of a large integer and its place in a list

let memoryLimit = BYTES;

// Check a size before allocating it.
function hold(bytes) {
  if (bytes > memoryLimit) throw new BeyondBudget(`it takes more than ${memoryLimit / 2 ** 20} MiB`);
}

const TOKEN = /[ \t\n\r]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9][0-9]*))(?![0-9.eE])|(true|false|null))/y;
const DEPTH = 64; // the format has no more than ten

function* parse(text, name) {
  const open = [];
  let at = 0, key, state = "value", root;

  function put(value) {
    const holder = open.at(-1);
    if (holder === undefined) root = value;
    else if (holder instanceof Map) holder.set(key, value);
    else holder.push(value);
    state = open.length ? "next" : "end";
  }
  function enter(holder) {
    demand(open.length < DEPTH, `${name} is nested too deep`);
    put(holder);
    open.push(holder);
    state = holder instanceof Map ? "first key" : "first value";
  }
  function leave() {
    open.pop();
    state = open.length ? "next" : "end";
  }

  function fail() {
    const context = text.slice(at, at + 20).trim();
    throw new Refused(`${name} cannot be read as integers, texts and lists: ${context ? `"${context}"` : "something is missing"}`);
  }

  for (let tokens = 1; state !== "end"; tokens++) {
    if (tokens % 4096 === 0) yield 0;
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) fail();
    at = TOKEN.lastIndex;
    const [, mark, string, number, word] = found;
    const holder = open.at(-1);
    const isKey = state === "key" || state === "first key";
    if (state === "next" && mark === ",") state = holder instanceof Map ? "key" : "value";
    else if (state === "colon" && mark === ":") state = "value";
    else if (mark === "}" && holder instanceof Map && (state === "next" || state === "first key")) leave();
    else if (mark === "]" && Array.isArray(holder) && (state === "next" || state === "first value")) leave();
    else if (isKey && string !== undefined) {
      key = JSON.parse(string);
      demand(!holder.has(key), `an object of ${name} has a key twice`);
      state = "colon";
    } else {
      if (state !== "value" && state !== "first value") fail();
      if (mark === "{") enter(new Map());
      else if (mark === "[") enter([]);
      else if (string !== undefined) put(JSON.parse(string));
      else if (number !== undefined) {
        demand(number.length <= 1000 + number.startsWith("-"), "an integer has more than 1000 digits");
        put(BigInt(number));
      } else if (word !== undefined) put(word === "null" ? null : word === "true");
      else fail();
    }
  }
  demand(/^[ \t\n\r]*$/.test(text.slice(at)), `something follows ${name}`);
  return root;
}

function fields(data, ...keys) {
  demand(data instanceof Map && data.size === keys.length && keys.every((key) => data.has(key)),
    `an object needs the keys ${keys.join(", ")}, and no other`);
  return keys.map((key) => data.get(key));
}

function list(data, what) {
  demand(Array.isArray(data), `${what}: a list is missing`);
  return data;
}

function integer(data, low = 0n, high = LARGEST) {
  demand(typeof data === "bigint", "an integer is missing");
  demand(low <= data && data <= high, "an integer is too small or too large");
  return data;
}

// Return positions below `high` as numbers.
function positions(data, high, length = null) {
  const found = list(data, "positions").map((one) => Number(integer(one, 0n, BigInt(high) - 1n)));
  demand(new Set(found).size === found.length, "a position is repeated");
  demand(length === null || found.length === length, `${length} positions are needed`);
  return found;
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

function fraction(data) {
  demand(typeof data === "string" && /^(0|[1-9][0-9]{0,999})(\/[1-9][0-9]{0,999})?$/.test(data)
    && !data.endsWith("\n"), "a fraction is missing");
  const [over, under = "1"] = data.split("/");
  const [top, bottom] = [BigInt(over), BigInt(under)];
  demand(gcd(top, bottom) === 1n && data.includes("/") === bottom > 1n, "a fraction is not in lowest terms");
  return [top, bottom];
}

// Return whether a double holds a fraction in lowest terms.
function isDouble([top, bottom]) {
  const bits = top.toString(2);
  return bits.length <= 1024 && bits.replace(/0+$/, "").length <= 53
    && /^10*$/.test(bottom.toString(2)) && bottom <= 2n ** 1074n;
}

function printed(top, bottom) {
  const common = gcd(top, bottom);
  return bottom === common ? String(top / common) : `${top / common}/${bottom / common}`;
}

function labels(data) {
  const kinds = new Set(list(data, "items").map((one) => typeof one));
  demand(kinds.size === 1 && (kinds.has("string") || kinds.has("bigint")), "items are all texts or all integers");
  demand(new Set(data).size === data.length, "an item is repeated");
  for (const one of data) {
    if (typeof one === "bigint") integer(one, -LARGEST);
    else demand(!/\p{Surrogate}/u.test(one), "an item has half of a character");
  }
  return data;
}
