"""Characters of symbol fonts, which files name by their place in the font, as Unicode characters."""

import re


def _table(pairs: str) -> dict[int, str]:
    """Return a table written as hexadecimal place and character, such as `6dμ`."""
    return {int(pair[:2], 16): pair[2:] for pair in pairs.split()}


# Greek, and what else of the font Symbol is frequent; Adobe's public table symbol.txt.
_SYMBOL = _table(
    "41Α 42Β 43Χ 44Δ 45Ε 46Φ 47Γ 48Η 49Ι 4aϑ 4bΚ 4cΛ 4dΜ 4eΝ 4fΟ 50Π 51Θ 52Ρ 53Σ 54Τ 55Υ 56ς 57Ω 58Ξ 59Ψ 5aΖ 61α 62β 63χ "
    "64δ 65ε 66φ 67γ 68η 69ι 6aϕ 6bκ 6cλ 6dμ 6eν 6fο 70π 71θ 72ρ 73σ 74τ 75υ 76ϖ 77ω 78ξ 79ψ 7aζ "
    "22∀ 24∃ 27∋ 2a∗ 2d− 40≅ 5c∴ 5e⊥ 7e∼ a2′ a3≤ a5∞ ab↔ ac← ad↑ ae→ af↓ b0° b1± b2″ b3≥ b4× b5∝ b6∂ b7• b8÷ b9≠ ba≡ bb≈ "
    "bc… c5⊕ c6∅ c7∩ c8∪ cc⊂ cd⊆ ce∈ cf∉ d1∇ d2® d3© d4™ d5∏ d6√ d7⋅ d8¬ d9∧ da∨ db⇔ dc⇐ de⇒ e5∑ f2∫ "
)
_WINGDINGS = _table("28☎ 2a✉ 4a☺ 4c☹ 6c● 6e■ 6f□ 71❑ 76❖ 9f• a7▪ a8☐ d8➢ df← e0→ e8➔ f0⇨ fb✗ fc✓ fd☒ fe☑ ")
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_PRIVATE = 0xF000
_IN_FONT = re.compile("[\uf020-\uf0ff]")
_MAX_CODE = 0x10FFFF


def symbol(font: str, code: str) -> str:
    """Return the character at a hexadecimal place of a font; empty where only the font knows what it looks like."""
    try:
        place = int(code, 16)
    except ValueError:
        return ""
    in_font = place - _PRIVATE if _PRIVATE <= place < _PRIVATE + 0x100 else place
    table = _FONTS.get(font.lower())
    if table is not None:
        return table.get(in_font, chr(in_font) if 0x20 <= in_font < 0x41 and table is _SYMBOL else "")
    is_drawn = in_font != place or not 0x20 <= place <= _MAX_CODE or 0xD800 <= place < 0xE000
    return "" if is_drawn else chr(place)


def plain(text: str, font: str) -> str:
    """Return text that is printed in a font with those characters replaced that only a symbol font knows."""
    return _IN_FONT.sub(lambda found: symbol(font, f"{ord(found.group()):x}"), text)
