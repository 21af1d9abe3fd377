"use strict";
// inside the report the other pages are in its own list: a link there would lead nowhere
if (!location.pathname.endsWith({{ address | tojson }})) {
  document.querySelectorAll(".list a, .link a").forEach((link) => {
    const name = document.createElement("b");
    name.textContent = link.textContent;
    link.replaceWith(name);
  });
}
