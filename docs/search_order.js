/* An exact name leads to its page. Then guides come first, and lists of names and of sources last. */
const FOLDERS = [["howto/index", -30], ["howto/own_", -10], ["howto/", 30], ["lectures", 20], ["words", 12],
  ["explanation/glossary", -80], ["explanation/", 6], ["reference/index", -30], ["reference/", -15], ["api/", -25],
  ["gallery/", -10], ["changelog", -40], ["references", -40]];
const QUERY = (new URLSearchParams(window.location.search).get("q") ?? "").trim();
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    score + (FOLDERS.find(([start]) => page.startsWith(start)) ?? ["", 0])[1] - (anchor ? 5 : 0)
    + (page.startsWith("api/") && page.endsWith("." + QUERY) ? 200 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
