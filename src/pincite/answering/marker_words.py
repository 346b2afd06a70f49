"""The words by which models name a source, join numbers and tell places, and the names of arrays: what a marker is judged by."""


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


SOURCE_WORDS = _words(
    "source sources src quelle quellen fuente fuentes fonte fontes fonti bron bronnen källa källor kilde kilder lähde źródło",
    "źródła zdroj kaynak kaynaklar nguồn sumber forrás πηγή источник источники джерело 来源 來源 资料来源 出典 出所 출처",
    "المصدر مصدر منبع מקור स्रोत উৎস மூலம் แหล่งที่มา",
)
"""Words that make `(Source 1)` a citation even in parentheses."""

LABEL_WORDS = SOURCE_WORDS | _words(
    "s citation citations cite cites ref refs reference references doc docs document documents passage passages context contexts",
    "chunk chunks excerpt excerpts snippet snippets dokument dokumente documento documentos documenti",
    "文档 文件 文献 引用 参考 参考文献 資料 参照 문서 참고",
)
"""Words that make `[Document 1]` a citation."""

SEE_WORDS = _words("see also cf siehe auch vgl voir véase vedi zob смотри см 见 參見 参见 انظر देखें")
"""Words that may stand before the name of a source: `[see Source 1]`."""

AND_WORDS = _words("and und et y e en og och i oraz и та ve dan 和 及 与 與 と 및 와 과 و और")
JOINER_WORDS = _words("and or und oder et ou en of og och и или y e o ve 和 或 及 与 と また و और")
"""Words between two markers that go with the one that is dropped."""

TO_WORDS = _words("to bis à a al through tot till до 至 到 から से إلى")
PLACE_WORDS = _words(
    "p pp pg pgs page pages para paragraph section sec line lines chapter ch article art clause annex appendix table figure fig",
    "note item row sheet slide s seite seiten página páginas pagina pagine",
    "стр 页 頁 ページ 쪽 ص पृष्ठ",
)
"""Words before a number that is a place inside a source: `[1, p. 5]`."""

ARRAY_NAMES = _words("arr argv args kwargs vec mat buf tmp idx nums lst elem elems vals df ptr dict dp xs ys iloc loc")
"""Names that are no words of any prose: `arr[1]` is an index."""

LIKELY_ARRAY_NAMES = _words(
    "array arrays list data items item values value matrix vector tuple row rows col cols column columns result results string",
    "str map table queue stack elements element nodes node index buffer scores names keys params options users lines tokens",
    "words chars input inputs output outputs records entries children points weights",
)
"""Words that are array names as often as prose: `data[1]` is a citation only if 1 was issued."""
