"""Hands out the signed receipt of an answer, checks it, and tells what became of its quotes when the document changed."""

from pincite import Pincite, check_receipt

with Pincite.sync() as client:
    client.add_text("# Lease\n\nThe rent is 1,200 euros a month. Pets are allowed.", path="lease.md")
    answer = client.ask("How much is the rent?")

    receipt = client.receipt(answer.message_id)  # bytes: keep them as they are
    checked = check_receipt(receipt)  # needs no installation, no network and no key
    print(checked.faults, checked.text("question"), checked.text("passages/0"))

    redacted = check_receipt(client.receipt(answer.message_id, withhold=[1]))  # without the passage [1]
    print(redacted.faults, redacted.text("passages/0"), redacted.id == checked.id)

    forged = check_receipt(receipt.replace(b"1,200", b"1,300"))
    print(forged.faults[0].message)

    client.add_text("# Lease\n\nThe rent is 1,350 euros a month. Pets are allowed.", path="lease.md")
    for quote in client.verify(checked):
        print(quote.standing, quote.quote.text, "→", quote.text)
    print([each.question for each in client.drift() if each.has_drifted])
