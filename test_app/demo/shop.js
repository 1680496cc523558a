// The demo shop: a table, a form, a dialog and console output, with nothing that leaves the page.

const goods = [
  { id: "tea", label: "Green tea", price: 4.5, stock: 12 },
  { id: "bread", label: "Rye bread", price: 3.2, stock: 5 },
  { id: "lamp", label: "Desk lamp", price: 24, stock: 3 },
  { id: "book", label: "Blank book", price: 7.9, stock: 0 },
];

/** @template {Element} T @param {string} selector @param {new () => T} type @returns {T} */
function find(selector, type) {
  const element = document.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`${selector} is missing`);
  return element;
}

const form = find("#order-form", HTMLFormElement);
const article = find("#article", HTMLSelectElement);
const total = find("#total", HTMLOutputElement);
const receipt = find("#receipt", HTMLDialogElement);

find("#shelf", HTMLTableSectionElement).replaceChildren(
  ...goods.map(({ label, price, stock }) => {
    const row = document.createElement("tr");
    for (const text of [label, price.toFixed(2), stock ? String(stock) : "sold out"]) {
      row.insertCell().textContent = text;
    }
    return row;
  }),
);

article.replaceChildren(
  ...goods.map(({ id, label, stock }) => Object.assign(new Option(label, id), { disabled: stock === 0 })),
);

function order() {
  const data = new FormData(form);
  const good = goods.find(({ id }) => id === data.get("article")) ?? goods[0];
  const quantity = Number(data.get("quantity")) || 0;
  return { name: String(data.get("name")), good, quantity, gift: data.has("gift"), sum: good.price * quantity };
}

function showTotal() {
  total.value = order().sum.toFixed(2);
}

form.addEventListener("input", showTotal);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, good, quantity, gift, sum } = order();
  console.info(`order: ${quantity} × ${good.id} for ${name}`);
  if (quantity > good.stock) console.warn(`only ${good.stock} of ${good.id} left`);
  find("#receipt-text", HTMLParagraphElement).textContent =
    `${name}, your ${quantity} × ${good.label}${gift ? ", wrapped as a gift," : ""} come to ${sum.toFixed(2)}.`;
  receipt.showModal();
});

showTotal();
console.log("Corner Shop is open");
