// From data to elements. Everything that comes from the repository or the model is text, or markdown made harmless.

const markdown = window.markdownit({ html: false, linkify: false, breaks: false }).disable(["image"]);
const TAGS = ["p", "br", "strong", "em", "s", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "a",
  "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"];

/** An element with attributes and children; a string child is text. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Shows markdown in an element. Links of an answer come from a model: they never carry a referrer or an opener. */
export function showMarkdown(element, text) {
  element.innerHTML = window.DOMPurify.sanitize(markdown.render(text), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?:|\/file\/|#)/i,
  });
  for (const link of element.querySelectorAll("a")) link.rel = "noopener noreferrer nofollow";
}

/** The address of a place in the file view. */
export function placeUrl(path, start, end) {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return start ? `/file/${encoded}?lines=${start}-${end}#L${start}` : `/file/${encoded}`;
}

/** One step: what ran, on what, and what came of it; the text that the model saw unfolds. */
export function stepItem(step) {
  const head = el("summary", {}, el("b", {}, step.tool), ` ${readable(step.arguments)} · ${step.summary}`,
    step.ms ? ` · ${step.ms} ms` : "");
  return el("li", {}, el("details", {}, head, el("pre", { tabindex: "0" }, step.result || "(nothing)")));
}

function readable(written) {
  try {
    const values = Object.entries(JSON.parse(written));
    if (values.length === 1) return spoken(values[0][1]);
    return values.map(([name, value]) => `${name}: ${spoken(value)}`).join(", ");
  } catch {
    return written;
  }
}

function spoken(value) {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? `“${value}”` : String(value);
}

const STATES = {
  verified: ["✓ verified", "verified", "These lines exist, the model was shown them, and the answer names them."],
  shown: ["◐ shown, not named", "partly", "The model was shown these lines, but the answer does not name what is in them."],
  named: ["◐ named, not shown", "partly", "The answer names what is in these lines, but the model was not shown them."],
  exists: ["○ exists only", "partly", "These lines exist, but nothing ties the answer to them."],
  missing: ["✗ does not exist", "missing", "There are no such lines in the repository."],
};

/** Which of the states a citation is in. */
export function stateOf(citation) {
  if (!citation.exists) return "missing";
  if (citation.verified) return "verified";
  if (citation.shown) return "shown";
  return citation.supports ? "named" : "exists";
}

/** One source: the place, what it is, and how far it can be trusted. */
export function sourceItem(citation) {
  const { path, start_line: start, end_line: end, name } = citation;
  const [label, kind, meaning] = STATES[stateOf(citation)];
  const written = `${path}:${start}-${end}`;
  const place = citation.exists
    ? el("a", { href: placeUrl(path, start, end) }, written)
    : el("span", { class: "gone" }, written);
  return el("li", {}, place, name ? el("code", {}, name) : "", el("span", { class: `state ${kind}`, title: meaning }, label));
}

/** One hit of a search. */
export function hitItem(hit) {
  const span = hit.start_line ? `:${hit.start_line}-${hit.end_line}` : "";
  const item = el("li", {}, el("a", { href: placeUrl(hit.path, hit.start_line, hit.end_line) }, hit.qualname || hit.name),
    " ", el("span", { class: "foot" }, `${hit.kind} · ${hit.path}${span}`));
  if (hit.signature) item.append(el("span", { class: "sign" }, hit.signature));
  if (hit.doc) item.append(el("span", { class: "doc" }, hit.doc));
  return item;
}

/** What is served, for the head of the page. */
export function factItems(status) {
  const { repository, model } = status;
  const facts = [];
  if (repository) {
    facts.push(fact("Repository", el("span", { title: repository.root }, repository.name)));
    if (repository.commit) facts.push(fact("Commit", el("code", {}, repository.commit.slice(0, 10))));
    facts.push(fact("Index", freshness(repository)));
    if (repository.is_indexed) facts.push(fact("Search", searchKind(repository)));
  }
  facts.push(fact("Model", model ? el("span", { title: model.detail }, model.id) : el("span", { class: "warn" }, "none")));
  if (model) {
    facts.push(fact("Source", model.is_remote
      ? el("span", { class: "warn", title: model.detail }, "leaves this machine") : "stays on this machine"));
  }
  return facts;
}

function freshness(repository) {
  if (!repository.is_indexed) return el("span", { class: "warn" }, "not built");
  if (!repository.changed_files) return "up to date";
  const files = repository.changed_files === 1 ? "1 file" : `${repository.changed_files} files`;
  return el("span", { class: "warn", title: repository.reason }, `${files} behind`);
}

function searchKind(repository) {
  if (!repository.search_note) return "by words and meaning";
  return el("span", { class: "warn", title: repository.search_note }, "by words");
}

function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}
