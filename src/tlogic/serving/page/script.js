// Runs in the browser only: keyboard navigation, light and dark, and a lost connection.

function moveInSearch(event) {
  const search = event.target.closest(".search");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!search || !step) return;
  const stops = [...search.querySelectorAll("input, .results a, .results button")];
  stops[stops.indexOf(event.target) + step]?.focus();
  event.preventDefault();
}

function leaveSearch(event) {
  const search = event.target.closest(".search");
  if (!search || event.key !== "Escape") return;
  search.classList.add("closed");
  search.querySelector("input").focus();
}

function beginSearch(event) {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector(".main-search input");
  field?.focus();
  field?.select();
  event.preventDefault();
}

// Apply the choice of the user, or else the setting of the system.
function applyTheme() {
  const chosen = localStorage.getItem("theme");
  setDark(chosen === null ? null : chosen === "dark");
}

function switchTheme(event) {
  if (!event.target.closest(".theme")) return;
  const dark = !document.body.classList.contains("body--dark");
  // A choice that equals the setting of the system is not stored: the page follows the system again.
  if (dark === matchMedia("(prefers-color-scheme: dark)").matches) localStorage.removeItem("theme");
  else localStorage.setItem("theme", dark ? "dark" : "light");
  applyTheme();
}

// Focus the explanation after a click on a candidate, for keyboards and screen readers; phones scroll to it.
function showExplanation() {
  const heading = document.getElementById("why");
  heading?.focus();
  if (matchMedia("(max-width: 760px)").matches) heading?.scrollIntoView();
}

// Browsers offer the clipboard to pages on this machine or over HTTPS only; elsewhere, select the address in a dialog.
async function copyAddress(event) {
  const button = event.target.closest("[data-copy-address]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(location.href);
    button.firstElementChild.textContent = button.dataset.copyAddress;
  } catch {
    prompt("The address of this view", location.href);
  }
}

// NiceGUI shows this element while it has no connection.
function explainLostConnection() {
  const popup = document.getElementById("popup");
  const [what, then] = popup.children;
  popup.role = "status";
  what.textContent = "The connection to the service is lost.";
  then.textContent = "What you see may be out of date. The page reconnects by itself as soon as it can.";
}

document.addEventListener("keydown", moveInSearch);
document.addEventListener("keydown", leaveSearch);
document.addEventListener("keydown", beginSearch);
document.addEventListener("input", (event) => event.target.closest(".search")?.classList.remove("closed"));
document.addEventListener("click", switchTheme);
document.addEventListener("click", copyAddress);
// At this point the page is built but not painted yet.
document.addEventListener("DOMContentLoaded", applyTheme);
document.addEventListener("DOMContentLoaded", explainLostConnection);
// A press on a result must not move the focus, which would close the results before the click.
document.addEventListener("mousedown", (event) => event.target.closest(".results") && event.preventDefault());
