"""The language of a sample of texts."""

from __future__ import annotations

import pytest

from postil.text.detection import identified_languages, stemmer_for
from postil.text.languages import NAME_OF
from postil.text.stoplists import SNOWBALL_LANGUAGES

# The same news in many languages.
TEXTS = {
    "de": (
        "Der Hafen war zwei Tage lang geschlossen, weil der Sturm den alten Anleger "
        "beschädigt hatte. Der Gemeinderat entscheidet am Montag, ob er noch vor dem "
        "Sommer repariert werden kann."
    ),
    "fr": (
        "Le port est resté fermé pendant deux jours parce que la tempête avait abîmé la "
        "vieille jetée. Le conseil décidera lundi si elle peut être réparée avant l'été."
    ),
    "es": (
        "El puerto estuvo cerrado dos días porque la tormenta había dañado el viejo "
        "muelle. El ayuntamiento decidirá el lunes si se puede reparar antes del verano."
    ),
    "it": (
        "Il porto è rimasto chiuso per due giorni perché la tempesta aveva danneggiato il "
        "vecchio molo. Il consiglio deciderà lunedì se può essere riparato prima "
        "dell'estate."
    ),
    "pt": (
        "O porto esteve fechado durante dois dias porque a tempestade tinha danificado o "
        "velho cais. A câmara decide na segunda-feira se ele pode ser reparado antes do "
        "verão."
    ),
    "nl": (
        "De haven was twee dagen gesloten omdat de storm de oude steiger had beschadigd. "
        "De gemeenteraad beslist maandag of hij nog voor de zomer kan worden hersteld."
    ),
    "da": (
        "Havnen var lukket i to dage, fordi stormen havde ødelagt den gamle mole. Byrådet "
        "beslutter på mandag, om den kan blive repareret inden sommeren, og hvad det vil "
        "koste efter ferien."
    ),
    "no": (
        "Havnen var stengt i to dager fordi stormen hadde ødelagt den gamle moloen. "
        "Kommunestyret bestemmer på mandag om den kan bli reparert før sommeren, og hva "
        "det vil koste etter ferien."
    ),
    "sv": (
        "Hamnen var stängd i två dagar eftersom stormen hade skadat den gamla piren. "
        "Kommunen beslutar på måndag om den kan lagas före sommaren, och vad det skulle "
        "kosta efter semestern."
    ),
    "fi": (
        "Satama oli suljettu kaksi päivää, koska myrsky oli vaurioittanut vanhaa "
        "laituria. Valtuusto päättää maanantaina, voidaanko se korjata ennen kesää, ja "
        "mitä se tulee maksamaan."
    ),
    "hu": (
        "A kikötő két napig zárva volt, mert a vihar megrongálta a régi mólót. A tanács "
        "hétfőn dönt arról, hogy meg lehet-e javítani a nyár előtt, és hogy mennyibe "
        "kerül majd."
    ),
    "ru": (
        "Порт был закрыт два дня, потому что буря повредила старый причал. Совет решит в "
        "понедельник, можно ли его починить до лета и сколько это будет стоить."
    ),
    "en": (
        "The harbour was closed for two days because the storm had damaged the old pier. "
        "The council will decide on Monday whether it can be repaired before the summer."
    ),
    "pl": (
        "Port był zamknięty przez dwa dni, ponieważ sztorm uszkodził stare molo. Rada "
        "zdecyduje w poniedziałek, czy można je naprawić przed latem i ile to będzie "
        "kosztować."
    ),
    "uk": (
        "Порт був закритий два дні, тому що буря пошкодила старий причал. Рада вирішить у "
        "понеділок, чи можна його полагодити до літа і скільки це буде коштувати."
    ),
    "el": (
        "Το λιμάνι έμεινε κλειστό για δύο μέρες επειδή η καταιγίδα είχε καταστρέψει την "
        "παλιά προβλήτα. Το συμβούλιο θα αποφασίσει τη Δευτέρα αν μπορεί να επισκευαστεί "
        "πριν από το καλοκαίρι."
    ),
    "ko": ("폭풍이 낡은 부두를 망가뜨려 항구가 이틀 동안 문을 닫았다."),
    "zh": ("港口关闭了两天，因为暴风雨损坏了旧码头。市议会将在星期一决定能否在夏天之前修好。"),
    "ja": (
        "嵐で古い桟橋が壊れたため、港は二日間閉鎖された。議会は夏までに修理できるかどうかを月曜日に決める。"
    ),
    "th": ("ท่าเรือปิดเป็นเวลาสองวันเพราะพายุทำให้ท่าเทียบเรือเก่าเสียหาย สภาจะตัดสินใจในวันจันทร์"),
}


@pytest.mark.parametrize("code", TEXTS)
def test_the_stemmer_is_that_of_the_language(code):
    if code in ("zh", "ja", "th"):
        expected = None  # pairs of characters have no stems
    else:
        expected = NAME_OF[code] if code in SNOWBALL_LANGUAGES and code != "en" else "porter"
    assert stemmer_for([TEXTS[code]]) == expected


def test_most_texts_decide():
    assert stemmer_for([TEXTS["de"], TEXTS["de"], TEXTS["en"], TEXTS["ja"]]) == "german"
    assert stemmer_for([TEXTS["de"], TEXTS["ja"], TEXTS["zh"], TEXTS["th"]]) is None
    assert stemmer_for(["", "1990", "x"]) == "porter"
    assert stemmer_for([]) == "porter"


def test_py3langid_identifies_each_text():
    assert identified_languages([*TEXTS.values(), "", "12 %", "\ud800"]) == dict.fromkeys(TEXTS, 1)
