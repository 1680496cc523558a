"""Synonyms, opposites and filler words in the names of buttons and fields, in the languages that pages use most."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pairs(pairs: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split()) for pair in pairs.split(","))


def _groups(groups: str) -> dict[str, str]:
    """Each phrase, and what stands for all that mean the same."""
    split = [[phrase.strip() for phrase in group.split(",")] for group in groups.split(";")]
    return {phrase: group[0].replace(" ", "") for group in split for phrase in group}


SYNONYMS = _groups(
    "sign in, log in, log on, login, logon, signin; sign out, log out, log off, logout, logoff, signout; "
    "sign up, register, create account, create an account, signup; cart, basket, bag, trolley; "
    "add to, put in, put into; search, find; "
    "next, continue, proceed; send, submit; buy, purchase; settings, preferences; phone, telephone; "
    "zip, zip code, postal code, post code, postcode; username, user name; "
    "surname, last name, family name; first name, given name, forename; "
    "anmelden, einloggen; abmelden, ausloggen; suchen, suche; warenkorb, einkaufswagen, einkaufskorb; "
    "weiter, fortfahren; senden, absenden, abschicken; plz, postleitzahl; nachname, familienname; "
    "se connecter, connexion, sidentifier; se déconnecter, déconnexion; rechercher, chercher, recherche; "
    "suivant, continuer; envoyer, soumettre; iniciar sesión, acceder; cerrar sesión, salir; carrito, cesta; "
    "siguiente, continuar; buscar, búsqueda; "
    "เข้าสู่ระบบ, ล็อกอิน, ลงชื่อเข้าใช้, ลงชื่อเข้าใช้งาน, เข้าระบบ; ออกจากระบบ, ลงชื่อออก; ค้นหา, เสิร์ช; "
    "ถัดไป, ต่อไป, ดำเนินการต่อ; ตะกร้า, ตะกร้าสินค้า, รถเข็น; ตั้งค่า, การตั้งค่า"
)
"""Phrases that pages use for one another on buttons and fields, each with the word that stands for its group."""

FILLERS = _set("the a an to of in for your my now please and this it กรุณา โปรด ครับ ค่ะ นะคะ ของคุณ ของฉัน")
"""Words that are ignored."""

CONJUNCTIONS = _set("and then und dann et puis y luego poi и و ve och og και")
"""Words after which a name goes on to something else."""

ASKING = _set(
    "are you sure do want would like really sind sie sicher möchten wollen wirklich est êtes vous sûr voulez vraiment "
    "está usted seguro desea quiere realmente вы уверены хотите действительно"
)
"""Words that only make a question more polite."""

NEUTRAL = _set(
    "changes required optional here änderungen erforderlich pflichtfeld jetzt bitte modifications obligatoire "
    "maintenant cambios obligatorio ahora การเปลี่ยนแปลง ตอนนี้ เดี๋ยวนี้ จำเป็น"
)
"""Words that may be added to any name or left out of it."""

VERB_ENDINGS = _set("하기 하세요 합니다 하십시오 해주세요 する します してください")
"""Endings that only change the form of a verb: "저장" and "저장하기", to save."""

NEUTRAL_OF_FIELDS = _set("address number adresse nummer numéro dirección número endereço indirizzo numero")
"""Words that may also be added to the name of a field: "Email address"."""

DESTROYING = _set(
    "delete remove erase destroy löschen entfernen supprimer retirer effacer eliminar borrar quitar elimina rimuovi "
    "excluir remover удалить"
)
"""A button with one of these in its name is pressed only beside the same texts as when it was recorded."""

DESTROYING_PARTS = _set("삭제 제거 削除 消去 删除 刪除 移除 מחק מחיק הסר حذف إزالة ลบ กำจัด ทำลาย ถอด")
"""The same for scripts without spaces between words: the name contains one of these."""

AGREEING = _set(
    "approve accept authorize authorise pay refund release sign transfer genehmigen annehmen freigeben zahlen bezahlen "
    "erstatten überweisen unterschreiben approuver accepter payer rembourser signer virer aprobar aceptar pagar "
    "reembolsar firmar transferir aprovar aceitar assinar approva accetta paga firma одобрить оплатить подписать"
)
"""A button with one of these in its name, in one of several rows, is pressed only beside the same amounts."""

AGREEING_PARTS = _set(
    "승인 결제 지급 송금 承認 支払 送金 批准 支付 付款 转账 אשר שלם موافقة دفع ชำระ จ่าย อนุมัติ ยอมรับ โอน คืนเงิน ลงนาม"
)
"""The same, as parts of words."""

SPENDING = _set(
    "buy purchase order donate invest bet bid sell withdraw deposit send book kaufen bestellen spenden senden buchen "
    "verkaufen einzahlen auszahlen aufladen acheter commander donner envoyer réserver vendre comprar pedir donar "
    "enviar reservar vender acquista ordina dona invia prenota vendi купить заказать отправить"
)
"""With one of these in a name, another number makes it another action: "Buy 2", "Donate 50 €"."""

SPENDING_PARTS = _set("구매 주문 기부 송금 충전 購入 注文 寄付 购买 购票 下单 捐 充值 购 ซื้อ บริจาค เติมเงิน")
"""The same, as parts of words."""

UNDOING = DESTROYING | _set(
    "cancel discard clear reset undo withdraw revoke terminate unsubscribe back close decline reject out logout "
    "signout abbrechen verwerfen zurück ablehnen abmelden abbestellen widerrufen kündigen stornieren annuler résilier "
    "refuser déconnexion cancelar rechazar annulla rifiuta recusar отмена отклонить выйти"
)
"""A name with one of these added means something else."""

UNDOING_PARTS = DESTROYING_PARTS | _set(
    "취소 철회 거절 거부 해지 탈퇴 초기화 取消 取り消 キャンセル 撤回 破棄 拒否 拒绝 解約 退会 ביטול בטל דחה דחי إلغاء "
    "رفض ยกเลิก ปฏิเสธ ล้าง รีเซ็ต ย้อนกลับ ออกจากระบบ ลงชื่อออก"
)
"""The same, as parts of words."""

ANSWERS = _set(
    "ok okay yes confirm continue proceed agree accept apply done ja bestätigen fortfahren übernehmen fertig "
    "oui confirmer continuer valider accepter sí confirmar continuar aceptar conferma sì continua sim да ок "
    "подтвердить продолжить 确定 確定 确认 確認 はい 확인 예 אישור כן ตกลง ยืนยัน ใช่"
)
"""A name of nothing but these is an answer: what it does depends on the question."""

NEGATIONS = _set(
    "not no dont doesnt never without except non none nicht kein keine nie ohne außer ne pas sans jamais sin nunca não "
    "sem senza mai не нет без niet geen zonder inte ej utan ikke uden ei nie bez nem nélkül fără δεν μην χωρίς "
    "değil hayır לא בלי ללא אל لا بدون عدم नहीं không tidak jangan tanpa"
)

NEGATION_PARTS = _set("않 금지 없이 말기 ない ません ずに 不 未 无 無 ไม่ ห้าม อย่า")
"""The same, as parts of words."""

NARROWING = _set(
    "all every everything everyone any only other another others first last second given family "
    "confirm confirmation repeat again retype reenter verify later draft template copy guest with "
    "history settings preferences forgot forgotten lost app help preview test trial "
    "alle alles jede nur andere anderer erste letzte wiederholen bestätigen erneut nochmals später entwurf vorlage "
    "gast mit verlauf einstellungen vergessen hilfe vorschau "
    "tous tout toutes autre premier dernier confirmer répéter encore tard brouillon invité avec historique paramètres "
    "oublié aide todos todas todo otro primer último confirmar repetir luego después borrador invitado con historial "
    "ajustes olvidada ayuda"
)
"""Of two names that are otherwise alike, the one with one of these means something else: "Delete all", "Confirm
email", "Sign in with …"."""

NARROWING_PARTS = _set(
    "모두 모든 전체 나중 다시 다른 초안 임시 확인 すべて 全て 全部 後で 再 他の 別の 下書き 所有 稍后 重新 其他 草稿 "
    "הכל כולם אחר שוב מאוחר טיוטה الكل آخر لاحقا مسودة ทั้งหมด ทุก อื่น ภายหลัง อีกครั้ง ร่าง ยืนยัน ด้วย ลืม"
)
"""The same, as parts of words."""

NARROWING_OF_FIELDS = _set("new current old neues neuer aktuelles altes nouveau actuel nueva nuevo actual")
"""Of two fields, the one with one of these is a different field: "New password"."""

OPPOSITES = _pairs(
    "on off, in out, in up, up down, yes no, start stop, begin end, start end, show hide, open close, open shut, "
    "enable disable, allow deny, allow block, allow forbid, approve deny, approve reject, approve decline, "
    "accept decline, accept reject, accept refuse, accept deny, agree decline, grant revoke, confirm cancel, "
    "raise lower, more less, more fewer, plus minus, expand collapse, play pause, play stop, resume pause, "
    "resume suspend, continue stop, run stop, run pause, add remove, insert delete, join leave, enter leave, "
    "enter exit, signin signup, signin signout, send receive, buy sell, buy rent, deposit withdraw, credit debit, "
    "pay refund, next previous, next prev, forward backward, left right, top bottom, first last, before after, "
    "from to, old new, current new, all none, public private, save discard, keep discard, archive restore, "
    "male female, mr mrs, shipping billing, home work, mobile landline, light dark, edit view, copy move, "
    "month year, day week, week month, monthly yearly, "
    "ein aus, an aus, an ab, ja nein, annehmen ablehnen, zulassen verbieten, zeigen verbergen, "
    "anzeigen ausblenden, öffnen schließen, anmelden registrieren, starten stoppen, starten beenden, "
    "hinzufügen entfernen, kaufen verkaufen, oui non, accepter refuser, afficher masquer, ouvrir fermer, "
    "ajouter supprimer, suivant précédent, démarrer arrêter, prénom nom, sí no, aceptar rechazar, mostrar ocultar, "
    "abrir cerrar, añadir eliminar, siguiente anterior, iniciar detener, nombre apellido, nombre apellidos, "
    "да нет, показать скрыть, 是 否, 开 关, 打开 关闭, 显示 隐藏, 开始 停止, はい いいえ, 開く 閉じる, 表示 非表示"
)
"""Pairs of words: one in place of the other changes the meaning of a name."""

OPPOSITE_SIGNS = _pairs("+ -, + −, + –, ← →, ↑ ↓, ⬅ ➡, ⬆ ⬇, ◀ ▶, ◂ ▸, ▲ ▼, ▴ ▾, ‹ ›, « », < >")
"""Pairs of signs: one in place of the other changes the meaning of a name."""

DIRECTIONS = _set(
    "to from into onto before after than nach von zu zum zur vor auf à vers avant après desde hasta para antes después"
)
"""Between these, the order of words matters: "Copy A to B"."""

OPPOSITE_PREFIXES = (
    *("in de", "in ex", "im ex", "en de", "at de", "a de", "up down", "in out", "over under", "on off", "maxi mini"),
    *("ein aus", "an ab", "an aus", "hoch herunter", "auf zu", "vor nach", "в вы", "от за", "под от"),
)
"""Prefixes that make opposites of the same stem: "increase" and "decrease", "attach" and "detach"."""

REVERSING_PREFIXES = _set("un dis de non mis re in im ir ent ab aus vor nach des dés dé 取消 不 反 解除 не от")
"""Prefixes that turn a word into its opposite, or mean doing it again."""

REVERSING_SUFFIXES = _set("d ed ing ned ped ted ning ping ting 解除 中 済み しない")
"""Suffixes of a verb whose action is done, so that its button undoes it: "Following", "Subscribed"."""
