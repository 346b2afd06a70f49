"""Prose for generated pages: sentences that are told apart by their names and figures, in words that no running head uses."""

from dataclasses import dataclass
from random import Random

_FIRST = "Corven Maris Oskar Tilda Berend Ylva Anselm Petra Joris Signe Hamish Runa Elias Wanda Iver Noor Casper Linnea"
_LAST = "Hale Brandt Okoro Lindqvist Varga Moreau Teller Quist Amadi Rosk Dahlen Ferro Whitlock Sorel Nakata Bell Kroll Ashdown"
_PLACES = ("Tallow Bay", "Norrvik", "Castle Fen", "Aldermouth", "Gull Point", "Vesterby", "Marrow Hill", "Saint Orme", "Dunlaw")
_ENGLISH = """
{who} told the council of {place} in {year} that the repair of the northern breakwater would cost {amount} crowns and could
not begin before the storms of the spring had passed

In {year} the keeper {who} counted {amount} ships in the roads of {place}, more than any keeper before him had seen in one
season

After a long discussion {who} and the merchants of {place} agreed to lend {amount} crowns for the lighthouse, on the
condition that the money be returned within {small} years

The engineer {who} measured the channel at {place} and found it {small} fathoms deep where the old chart of {year} had shown
nothing but sand and broken stone

When the bridge at {place} fell in {year}, {who} wrote to the governor that {amount} travellers a month now had to take the
ferry, which was neither large nor safe enough for them

Nobody in {place} remembered who had planted the {amount} elms along the canal, although {who} kept letters about them that
went back to {year}

{who} left {place} with {small} wagons of timber and returned in {year} with a printing press, the first that the valley had
known

The inspectors whom {who} sent to {place} reported that {amount} barrels had been stored without a permission, some of them
since {year}, in cellars that belonged to nobody
"""
_GERMAN = """
Im Jahr {year} berichtete {who} dem Rat von {place}, dass die Ausbesserung der nördlichen Mole {amount} Kronen kosten werde
und erst nach den Stürmen des Frühlings beginnen könne

Nach langer Beratung bewilligten {who} und die Kaufleute von {place} eine Anleihe von {amount} Kronen für den Leuchtturm, die
binnen {small} Jahren zurückgezahlt werden musste

Der Ingenieur {who} vermaß die Fahrrinne bei {place} und fand sie {small} Klafter tief, wo die Seekarte von {year} nur
Sandbänke verzeichnet hatte

Als die Brücke von {place} im Jahr {year} einstürzte, schrieb {who} dem Statthalter, dass nun {amount} Reisende im Monat die
Fähre nehmen mussten
"""
_FRENCH = """
En {year}, {who} annonça au conseil de {place} que la réparation de la jetée coûterait {amount} couronnes et ne pourrait
commencer avant la fin des tempêtes du printemps

Après une longue discussion, {who} et les marchands de {place} prêtèrent {amount} couronnes pour le phare, à condition que
cette somme soit rendue dans les {small} années suivantes

L'ingénieur {who} mesura le chenal de {place} et le trouva profond de {small} brasses, là où la carte de {year} ne montrait
que du sable

Quand le pont de {place} tomba en {year}, {who} écrivit au gouverneur que {amount} voyageurs par mois devaient maintenant
prendre le bac
"""
_LANGUAGES = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH}
COMPOUNDS = ("well-known", "long-standing", "tax-free", "old-fashioned", "self-taught", "three-year", "cost-effective")


@dataclass
class Prose:
    """Writes sentences. No two have the same name."""

    random: Random
    lang: str = "en"

    def __post_init__(self) -> None:
        middles = ("", "de ", "van ")
        names = [f"{first} {middle}{last}" for middle in middles for first in _FIRST.split() for last in _LAST.split()]
        self.random.shuffle(names)
        self._names = iter(names)
        self._templates = [" ".join(text.split()) for text in _LANGUAGES[self.lang].split("\n\n")]

    def sentence(self) -> str:
        """Return a sentence of 15 to 40 words with its full stop."""
        text = self.random.choice(self._templates).format(
            who=next(self._names),
            place=self.random.choice(_PLACES),
            year=self.random.randrange(1801, 1990),
            amount=f"{self.random.randrange(2, 99)},{self.random.randrange(100, 999)}",
            small=self.random.randrange(3, 48),
        )
        return f"{text}."

    def paragraph(self) -> list[str]:
        """Return two to five sentences."""
        return [self.sentence() for _ in range(self.random.randrange(2, 6))]
