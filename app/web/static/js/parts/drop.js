/** Files that are dropped, wherever on the page: a browser would leave it to show them. */

/** @param {HTMLElement} view the file goes to the field for files in it, if there is one */
export function takeDrops(view) {
  const mark = (isOver) => view.querySelector(".drop")?.classList.toggle("over", isOver);
  for (const kind of ["dragenter", "dragover"]) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      mark(true);
    });
  }
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false); // out of the window
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    const input = view.querySelector("input[type=file]");
    if (!input || !event.dataTransfer?.files.length) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change"));
  });
}
