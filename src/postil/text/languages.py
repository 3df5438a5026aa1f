"""ISO 639-1 codes and English names of the languages that stop lists and stemmers know."""

from __future__ import annotations

NAME_OF = {
    "af": "afrikaans", "ar": "arabic", "bg": "bulgarian", "bn": "bengali", "br": "breton",
    "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "gl": "galician",
    "gu": "gujarati", "ha": "hausa", "he": "hebrew", "hi": "hindi", "hr": "croatian",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "ja": "japanese",
    "ko": "korean", "ku": "kurdish", "la": "latin", "lt": "lithuanian", "lv": "latvian",
    "mr": "marathi", "ms": "malay", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sk": "slovak",
    "sl": "slovenian", "so": "somali", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "sw": "swahili", "ta": "tamil", "th": "thai", "tl": "tagalog", "tr": "turkish",
    "uk": "ukrainian", "ur": "urdu", "vi": "vietnamese", "yi": "yiddish", "yo": "yoruba",
    "zh": "chinese", "zu": "zulu",
}  # fmt: skip

CODE_OF = {name: code for code, name in NAME_OF.items()} | {"nb": "no", "bokmål": "no"}


def code_of(language: str) -> str | None:
    """Return the ISO code of a language given by code or name, in any case, else None."""
    wanted = language.lower()
    return wanted if wanted in NAME_OF else CODE_OF.get(wanted)
