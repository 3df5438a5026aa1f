// A click on the head of a column sorts the rows of its table; a second click turns the order.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("span"); // on paper a real button is blank from page 2
    button.setAttribute("role", "button");
    button.tabIndex = 0;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numbers = head.classList.contains("n");
      const first = numbers ? "descending" : "ascending";
      const second = numbers ? "ascending" : "descending";
      const order = head.ariaSort === first ? second : first;
      for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
      head.ariaSort = order;
      const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const sign = order === "ascending" ? 1 : -1;
      const undefinedLast = (a, b) => isNaN(key(a)) - isNaN(key(b)) || sign * (key(a) - key(b));
      const compare = (a, b) => numbers ? undefinedLast(a, b) : sign * key(a).localeCompare(key(b));
      body.append(...[...body.rows].sort(compare));
    });
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      button.click();
    });
  });
}
