// A click on the head of a column sorts the rows of its table; a second click turns the order.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
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
      const compare = (a, b) => numbers ? key(a) - key(b) : key(a).localeCompare(key(b));
      const sign = order === "ascending" ? 1 : -1;
      body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
    });
  });
}
