from tank.session.effects import notice


def test_a_notice_is_clean_and_as_long_as_a_record_may_be() -> None:
    order = notice("a\x1b[2J\r\nb\u202e" + "x" * 9999)
    assert order.record["text"][:12] == "Tank: a[2J\nb"  # type: ignore[index]
    assert len(order.record["text"]) == 4096  # type: ignore[arg-type]
