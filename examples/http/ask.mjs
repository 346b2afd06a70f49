// Ask over HTTP and show the answer as it comes, then its claims with their quotes. Node 18 or newer, no packages.
//
// BASE_URL=http://127.0.0.1:8000/api TOKEN=pin_… node ask.mjs "What can happen when fsync is turned off?"

const { BASE_URL, TOKEN } = process.env;
const response = await fetch(`${BASE_URL}/query/`, {
  method: "POST",
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
  body: JSON.stringify({ question: process.argv[2] }),
});
if (!response.ok) throw new Error((await response.json()).detail);

let buffer = "";
let text = "";
const decoder = new TextDecoder();
for await (const piece of response.body) {
  buffer += decoder.decode(piece, { stream: true });
  const blocks = buffer.split("\n\n");
  buffer = blocks.pop();
  for (const block of blocks) {
    const [, name, data] = block.match(/^event: (.*)\ndata: (.*)$/) ?? [];
    if (!name) continue; // a comment, the sign of life of a silent stream
    const payload = JSON.parse(data);
    if (name === "token") {
      text += payload.token;
      process.stdout.write(payload.token);
    }
    if (name === "error") throw new Error(payload.message);
    if (name === "done") show(payload);
  }
}

function show({ claims, citations }) {
  // Offsets are Unicode code points; JavaScript's strings count UTF-16 units, so an emoji would shift what follows.
  const points = Array.from(text);
  console.log("\n");
  for (const claim of claims) {
    console.log(`claim: ${points.slice(claim.start, claim.end).join("")}`);
    for (const index of claim.citations) {
      for (const quote of citations[index].quotes) console.log(`  quote: ${quote.text}`);
    }
  }
}
