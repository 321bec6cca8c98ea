// The page: what is served, the box, and the conversation. State lives in `turns` and nowhere else.

import { el, factItems, hitItem } from "./render.js";
import { ask, readJson } from "./stream.js";
import { Turn } from "./turn.js";

const byId = (id) => document.getElementById(id);
const [form, box, send, find, stop, fresh, talk, progress, notice] =
  ["ask", "question", "send", "find", "stop", "fresh", "talk", "progress", "notice"].map(byId);

let turns = [];
let running = null;
let hasModel = true;

function say(sentence) {
  progress.textContent = sentence;
}

function setRunning(controller) {
  running = controller;
  stop.hidden = !controller;
  send.disabled = Boolean(controller) || !hasModel;
  find.disabled = Boolean(controller);
  fresh.hidden = Boolean(controller) || !turns.length;
}

function history() {
  return turns.filter((turn) => turn.text && !turn.failed && !turn.isRefusal).flatMap((turn) => [
    { role: "user", content: turn.question },
    { role: "assistant", content: turn.text },
  ]);
}

async function askQuestion(question) {
  const turn = new Turn(question, say);
  const controller = new AbortController();
  const messages = history();
  turns.push(turn);
  talk.append(turn.element);
  setRunning(controller);
  say("Asking…");
  turn.element.scrollIntoView({ block: "nearest" });
  try {
    for await (const event of ask({ question, messages }, controller.signal)) turn.take(event);
  } catch (error) {
    if (controller.signal.aborted) turn.stop();
    else turn.fail(error instanceof TypeError ? "The server cannot be reached. Is it still running?" : error.message);
  }
  setRunning(null);
  showStatus();
  box.focus();
}

async function searchFor(query) {
  say("Searching…");
  const list = el("ol", { class: "hits" });
  const part = el("article", { class: "turn", "aria-label": `Search: ${query}` }, el("h2", {}, `Search: ${query}`));
  try {
    const { hits, total, note } = await readJson(`/api/search?q=${encodeURIComponent(query)}`);
    list.append(...hits.map(hitItem));
    part.append(list, el("p", { class: "foot" }, note || (total > hits.length ? `The first ${hits.length} of ${total}.` : "")));
    say(hits.length ? `${hits.length} results.` : "No results.");
    if (!hits.length && !note) part.append(el("p", {}, "Nothing was found. Try a name from the code, or other words."));
  } catch (error) {
    part.append(el("p", { class: "error", role: "alert" }, error.message));
    say("");
  }
  talk.append(part);
  part.scrollIntoView({ block: "nearest" });
}

async function showStatus() {
  try {
    const status = await readJson("/api/status");
    byId("facts").replaceChildren(...factItems(status));
    hasModel = Boolean(status.model);
    notice.textContent = status.notice;
    notice.hidden = !status.notice;
    send.disabled = !hasModel || Boolean(running);
    find.classList.toggle("main", !hasModel);
    send.classList.toggle("main", hasModel);
  } catch (error) {
    notice.textContent = error instanceof TypeError ? "The server cannot be reached. Is it still running?" : error.message;
    notice.hidden = false;
  }
}

function taken() {
  const question = box.value.trim();
  if (!question || running) return "";
  box.value = "";
  return question;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!hasModel) {
    find.click();
    return;
  }
  const question = taken();
  if (question) askQuestion(question);
});

find.addEventListener("click", () => {
  const query = taken();
  if (query) searchFor(query);
  else box.focus();
});

stop.addEventListener("click", () => running?.abort());

fresh.addEventListener("click", () => {
  turns = [];
  talk.replaceChildren();
  setRunning(null);
  say("");
  box.focus();
});

box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && running) running.abort();
  if (event.key === "/" && !/^(input|textarea)$/i.test(event.target.tagName)) {
    event.preventDefault();
    box.focus();
  }
});

setRunning(null);
showStatus();
box.focus();
