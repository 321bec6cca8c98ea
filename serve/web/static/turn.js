// One question and its answer on the page, filled by the events of the stream.

import { el, showMarkdown, sourceItem, stepItem } from "./render.js";

/** Shows one answer as it comes. `progress` gets a short sentence for the status line. */
export class Turn {
  constructor(question, progress) {
    this.question = question;
    this.text = "";
    this.isRefusal = false;
    this.failed = false;
    this.progress = progress;
    this.steps = el("ol", { class: "steps", "aria-label": "Steps" });
    this.answer = el("div", { class: "answer", "aria-live": "polite", "aria-busy": "true" });
    this.after = el("div");
    this.element = el("article", { class: "turn", "aria-label": `Question: ${question}` },
      el("h2", {}, question), this.steps, this.answer, this.after);
    this.startedAt = performance.now();
    this.isDrawing = false;
  }

  take(event) {
    const taker = this[`on_${event.type}`];
    if (taker) taker.call(this, event);
  }

  on_queued({ position }) {
    this.progress(`Waiting, place ${position} in the queue…`);
  }

  on_started() {
    this.progress("Looking…");
  }

  on_heartbeat({ done, total }) {
    this.progress(total ? `Reading ${done} of ${total} tokens…` : "Reading…");
  }

  on_reasoning() {
    this.progress("Thinking…");
  }

  on_step(step) {
    this.steps.append(stepItem(step));
    this.progress(`${step.tool}: ${step.summary}. Reading…`);
  }

  on_text({ text }) {
    if (!this.text) this.progress("Writing…");
    this.text += text;
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => this.draw());
  }

  on_cited({ citations, is_refusal: isRefusal }) {
    this.isRefusal = isRefusal;
    if (!citations.length) return;
    this.after.append(el("h3", {}, "Sources"), el("ul", { class: "sources" }, ...citations.map(sourceItem)));
  }

  on_finished({ reason, usage }) {
    const seconds = ((performance.now() - this.startedAt) / 1000).toFixed(1);
    const cut = reason === "length" ? " · cut: its budget ran out" : "";
    this.after.append(el("p", { class: "foot" },
      `${usage.prompt_tokens} tokens read (${usage.cached_tokens} from the cache), ${usage.completion_tokens} written, ${seconds} s${cut}`));
    this.end("Answered.");
  }

  on_failed({ message }) {
    this.fail(message);
  }

  fail(message) {
    this.failed = true;
    this.after.append(el("p", { class: "error", role: "alert" }, message));
    this.end("");
  }

  stop() {
    this.failed = true;
    this.after.append(el("p", { class: "foot" }, "Stopped."));
    this.end("Stopped.");
  }

  end(sentence) {
    this.draw();
    this.answer.setAttribute("aria-busy", "false");
    this.progress(sentence);
  }

  draw() {
    this.isDrawing = false;
    showMarkdown(this.answer, this.text);
  }
}
