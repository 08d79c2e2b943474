/** Files that are dropped, wherever on the page: a browser would leave it to show them. */

const inputOf = (view) => view.querySelector("input[type=file]");

/**
 * @param {HTMLElement} view the file goes to the field for files in it
 * @param {() => Promise<void>} showOne shows a view that has such a field, where there is none
 */
export function takeDrops(view, showOne) {
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
  addEventListener("drop", async (event) => {
    event.preventDefault();
    mark(false);
    const { files } = event.dataTransfer ?? {}; // gone after the first wait
    if (!files?.length) return;
    if (!inputOf(view)) await showOne();
    const input = inputOf(view);
    if (!input) return;
    input.files = files;
    input.dispatchEvent(new Event("change"));
  });
}
