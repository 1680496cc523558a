"""Names in Thai, which puts no spaces between words: a word that says little, or is said in another way, is one of its
own, and nothing else is."""

from __future__ import annotations

import pytest

from kapture.scenarios.healing.likeness import FLOOR
from kapture.scenarios.healing.names import agrees, contradicts, destroys, equal_texts, name_likeness, undoes


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        ("บันทึก", "บันทึกการเปลี่ยนแปลง"),  # save, save changes
        ("ส่งคำขอของคุณ", "ส่งคำขอ"),  # send your request
        ("กรุณาเลือกจังหวัด", "เลือกจังหวัด"),  # please choose the province
        ("เข้าสู่ระบบ", "ลงชื่อเข้าใช้"),  # log in, sign in
        ("ถัดไป", "ดำเนินการต่อ"),  # next, go on
        ("ดูตะกร้าสินค้า", "ดูรถเข็น (2)"),  # see the cart, the trolley
    ],
)
def test_a_name_fits_that_says_the_same(wanted: str, seen: str) -> None:
    for one, other in ((wanted, seen), (seen, wanted)):
        assert name_likeness(one, other) >= FLOOR
        assert not contradicts(one, other)


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        ("บันทึก", "ไม่บันทึก"),  # do not save
        ("บันทึก", "บันทึกแบบร่าง"),  # save a draft
        ("บันทึก", "บันทึกและเผยแพร่"),  # save and publish
        ("เข้าสู่ระบบ", "ออกจากระบบ"),  # log out
        ("เข้าสู่ระบบ", "เข้าสู่ระบบด้วย Google"),  # with Google
        ("ลบ", "ลบทั้งหมด"),  # delete all
        ("คำสั่งซื้อของคุณ", "ยกเลิกคำสั่งซื้อ"),  # cancel the order
        ("รหัสผ่าน", "รหัสผ่านใหม่"),  # new password
    ],
)
def test_a_name_does_not_fit_that_says_more_or_the_opposite(wanted: str, seen: str) -> None:
    for one, other in ((wanted, seen), (seen, wanted)):
        assert name_likeness(one, other) < FLOOR


def test_what_deletes_pays_or_undoes_is_known() -> None:
    assert destroys("ลบรายการ")
    assert agrees("ชำระเงิน")
    assert undoes("ยกเลิกการจอง")
    assert contradicts("บันทึก", "ยกเลิก")


def test_the_words_of_a_text_are_not_parted_where_it_is_spelt() -> None:
    assert equal_texts("บันทึก การเปลี่ยนแปลง", "บันทึกการเปลี่ยนแปลง")
    assert not equal_texts("บันทึก", "บันทึกการเปลี่ยนแปลง")
