// Reading the server: JSON, and server-sent events over fetch (EventSource cannot post a question).

/** The body of a JSON route; throws an Error with the server's own sentence. */
export async function readJson(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(await sentenceOf(response));
  return response.json();
}

/** Yields the events of one answer; ends when the server ends it or `signal` aborts. */
export async function* ask(body, signal) {
  const response = await fetch("/api/ask", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(await sentenceOf(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      if (data.length && data[0] !== "[DONE]") yield JSON.parse(data.join("\n"));
    }
  }
}

async function sentenceOf(response) {
  try {
    return (await response.json()).error.message;
  } catch {
    return `The server answered ${response.status} ${response.statusText}.`;
  }
}
