// Asks each question of stdin (a JSON list) and prints, per answer, the text and its claims as a page would cut them out.
// Offsets of the contract are Unicode code points; JavaScript counts UTF-16 units, so the text is spread into code points first.
import { createParser } from "eventsource-parser";

const { BASE_URL, TOKEN } = process.env;
let input = "";
for await (const piece of process.stdin) input += piece;

for (const question of JSON.parse(input)) {
  const response = await fetch(`${BASE_URL}/query/`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ question }),
  });
  let text = "";
  const events = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const payload = JSON.parse(data);
      events.push(event);
      if (event === "token") text += payload.token;
      if (event === "done") {
        const points = Array.from(text);
        const claims = payload.claims.map((claim) => points.slice(claim.start, claim.end).join(""));
        console.log(JSON.stringify({ text, claims }));
      }
    },
    onError: (error) => {
      throw error;
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of response.body) parser.feed(decoder.decode(piece, { stream: true }));
  if (events[0] !== "metadata" || events.at(-1) !== "done") throw new Error(events.join(" "));
}
