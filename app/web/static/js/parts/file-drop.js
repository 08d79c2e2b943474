/** Files dropped anywhere on the page. Without these listeners the browser would open them. */

const inputOf = (view) => view.querySelector("input[type=file]");

/**
 * @param {HTMLElement} view the file is passed to the file input in it
 * @param {() => Promise<void>} showOne shows a view with a file input, if the present view has none
 */
export function acceptDroppedFiles(view, showOne) {
  const mark = (isOver) => view.querySelector(".drop")?.classList.toggle("over", isOver);
  for (const kind of ["dragenter", "dragover"]) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      mark(true);
    });
  }
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false); // the pointer has left the window
  });
  addEventListener("drop", async (event) => {
    event.preventDefault();
    mark(false);
    const { files } = event.dataTransfer ?? {}; // the browser clears it after the first await
    if (!files?.length) return;
    if (!inputOf(view)) await showOne();
    const input = inputOf(view);
    if (!input) return;
    input.files = files;
    input.dispatchEvent(new Event("change"));
  });
}
