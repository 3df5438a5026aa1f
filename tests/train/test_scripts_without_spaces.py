"""Training and predicting on texts of scripts without spaces."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from postil import TextCategorizer

# Who and what they do, at sea and on a farm: sentences of all pairs.
SENTENCES = {
    "chinese": {
        "sea": (
            ["渡轮", "老货船", "三艘渔船", "新来的帆船"],
            ["今天早上离开了码头。", "因为大风停在港口里。", "明天从港口出海。"],
        ),
        "farm": (
            ["绵羊", "两只小羊", "牧场的羊群", "他家的奶牛"],
            ["今天早上离开了羊圈。", "因为大雪留在牧场里。", "明天回到牧场吃草。"],
        ),
    },
    "japanese": {
        "sea": (
            ["フェリーは", "古い貨物船は", "三隻の漁船は", "新しいヨットは"],
            ["今朝港を出た。", "強い風のために港で待っている。", "明日桟橋から海に出る。"],
        ),
        "farm": (
            ["子羊は", "二頭の牛は", "牧場の羊の群れは", "隣の家のヤギは"],
            ["今朝牧場を出た。", "大雪のために小屋で待っている。", "明日牧場で草を食べる。"],
        ),
    },
    "thai": {
        "sea": (
            ["เรือข้ามฟาก", "เรือสินค้าลำเก่า", "เรือประมงสามลำ", "เรือใบลำใหม่"],
            ["ออกจากท่าเรือเมื่อเช้านี้", "จอดรอที่ท่าเรือเพราะลมแรง", "จะออกทะเลพรุ่งนี้"],
        ),
        "farm": (
            ["แกะ", "ลูกแกะสองตัว", "ฝูงแกะในทุ่งหญ้า", "วัวของเพื่อนบ้าน"],
            ["ออกจากคอกเมื่อเช้านี้", "อยู่ในคอกเพราะหิมะตกหนัก", "จะไปกินหญ้าที่ทุ่งพรุ่งนี้"],
        ),
    },
}
WHOLE_RUNS = {"extends": "default", "representation": {"analyzer": "words(whole-runs) lower"}}


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_without_spaces_are_learned(tmp_path, language):
    pairs = [
        (who + does, topic)
        for topic, parts in SENTENCES[language].items()
        for who, does in product(*parts)
    ]
    texts, topics = zip(*(pair for n, pair in enumerate(pairs) if n % 4 != 1), strict=True)
    new_texts, new_topics = zip(*pairs[1::4], strict=True)

    def right(recipe):
        TextCategorizer(recipe).fit(texts, topics).save(tmp_path / "m.postil")
        found = TextCategorizer.load(tmp_path / "m.postil").predict(new_texts)
        return np.mean(found == np.array(new_topics))

    assert right("auto") == 1.0
    assert right(WHOLE_RUNS) < 0.7
