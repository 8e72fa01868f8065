"use strict";
// Links open their chapter, and prints have all chapters open.
{
  const chapters = [...document.querySelectorAll("details")];
  const reveal = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const chapter = name && document.getElementById(name)?.closest("details");
    if (!chapter) return;
    chapter.open = true;
    chapter.scrollIntoView();
  };
  for (const link of document.querySelectorAll('a[href^="#"]')) link.addEventListener("click", () => setTimeout(reveal));
  addEventListener("hashchange", reveal);
  reveal();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = chapters.filter((chapter) => !chapter.open);
    for (const chapter of closed) chapter.open = true;
  });
  addEventListener("afterprint", () => { for (const chapter of closed) chapter.open = false; });
}
