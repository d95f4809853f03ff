"""Claims: said, denied, said of somebody else, left open."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.reading.claims import Claim, find_claim, in_order, is_said
from probatio.builtin.daily.reading.passage import Passage
from probatio.builtin.daily.reading.statements import is_sentence, statements

CLOSES = Claim(
    "closes", wordings=(("plant|factory", "clos*|shut*", "30 june"),), partly=(("clos*|shut*", "june"),)
)
NO_REFUND = Claim("no refund", denied=(("refund*|money back",),))
HIRED = Claim("Porto hired 40", subject="porto", rivals="lisbon", wordings=(("hir*|recruit*", "40"),))
DRIP = Claim("drip gives 9.4", subject="drip*", rivals="sprink*|furrow*", wordings=(("9.4",),))


def state(claim: Claim, text: str) -> str:
    return find_claim(claim, Passage.of(text)).state


@pytest.mark.parametrize(
    "text",
    [
        "The plant closes on 30 June.",
        "On June 30th, the factory will be shut.",
        "The plant, which has not made a profit since 2019, closes on 30 June.",
        "Not only the office but the plant closes on 30 June.",
        "The plant closes no later than 30 June.",
        "- **Closing**: plant, 30 June",
    ],
)
def test_a_claim_is_said_in_many_ways(text: str) -> None:
    assert state(CLOSES, text) == "said"


@pytest.mark.parametrize(
    "text",
    [
        "The plant will not close on 30 June.",
        "The plant won't be shut on 30 June.",
        "Closing the plant on 30 June is not planned.",
        "It is not true that the plant closes on 30 June.",
        "The plant no longer closes on 30 June.",
        "The plant is moved instead of closed on 30 June.",
        "The plant closes on 30 June. The plant does not close on 30 June.",
    ],
)
def test_a_denied_claim_is_not_said(text: str) -> None:
    assert state(CLOSES, text) in ("denied", "doubtful")


def test_half_a_claim_is_partly_said() -> None:
    assert state(CLOSES, "The plant closes in June.") == "partly"


def test_the_groups_must_meet_in_one_statement() -> None:
    assert state(CLOSES, "The plant is old. The office closes on 30 July. It rained on 30 June.") == "absent"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("We are unable to offer you a refund.", True),
        ("A refund is not possible.", True),
        ("We can't give you your money back.", True),
        ("There is no refund after 30 days.", True),
        ("We will refund you, no problem.", False),
        ("You will get a refund.", False),
        ("You will get a refund, and you need not write again.", False),
    ],
)
def test_a_denial_is_said_only_where_the_thing_is_denied(text: str, made: bool) -> None:
    assert (state(NO_REFUND, text) == "said") is made


@pytest.mark.parametrize(
    "text",
    [
        "Porto hired 40 people and Lisbon let 12 go.",
        "Porto, which hired 40 people, is growing; Lisbon is not.",
        "Lisbon let 12 go. Porto grew: it hired 40.",
        "In Porto, the company hired 40 people.",
        "The company hired 40 people in Porto and 12 in Lisbon.",
    ],
)
def test_a_value_beside_its_subject_counts(text: str) -> None:
    assert state(HIRED, text) == "said"


@pytest.mark.parametrize(
    "text",
    [
        "Lisbon hired 40 people and Porto let 12 go.",
        "Porto is old. Lisbon hired 40 people.",
        "The company hired 12 people in Porto and hired 40 in Lisbon.",
    ],
)
def test_a_value_given_to_a_rival_does_not_count(text: str) -> None:
    assert state(HIRED, text) == "misplaced"


@pytest.mark.parametrize(
    "text",
    [
        "Drip used 310 litres, against 420 for sprinklers and 580 for furrows, and gave the largest "
        "harvest, 9.4 kilograms.",
        "Drip plots used 310 litres, against 580 for furrows. They also gave the largest harvest, 9.4 "
        "kilograms.",
        "Drip used least (310 litres versus 580 for furrows) and yielded most (9.4 kg).",
        "Harvests were highest with drip (9.4 kg), then furrows (7.9 kg).",
        "Drip lines outperformed furrows and sprinklers, yielding 9.4 kilograms.",
        "Drip, furrow and sprinkler plots gave 9.4, 7.9 and 6.8 kilograms respectively.",
    ],
)
def test_a_rival_named_in_passing_does_not_take_the_value(text: str) -> None:
    assert state(DRIP, text) == "said"


def test_a_topic_that_is_a_rival_takes_the_value() -> None:
    assert state(DRIP, "Drip saves water. Furrows gave the largest harvest, 9.4 kilograms.") == "misplaced"


@pytest.mark.parametrize(
    "text", ["The fare is 2.20 or 2.40.", "The fare is 2.00, 2.20 or 2.40.", "2.40 or 2.20 is the fare."]
)
def test_a_figure_offered_with_an_alternative_is_left_open(text: str) -> None:
    assert state(Claim("fare", wordings=(("fare", "2.20"),)), text) == "left open"


def test_steps_are_in_order_by_where_they_are_said() -> None:
    steps = [Claim(word, wordings=((word,),)) for word in ("sorry", "photo", "choice")]
    seen = [find_claim(step, Passage.of("Sorry. Send a photo. Here is the choice.")) for step in steps]
    assert in_order(seen) == 1.0
    assert in_order(reversed(seen)) == 0.0
    assert in_order([seen[0], find_claim(steps[1], Passage()), seen[2]]) == 0.0


def test_words_beyond_the_limit_are_not_read() -> None:
    text = "The plant is old and has been so for long. The plant closes on 30 June."
    assert find_claim(CLOSES, Passage.of(text, limit=12)).state == "absent"
    assert find_claim(CLOSES, Passage.of(text)).state == "said"


def test_a_heap_of_keywords_is_no_sentence() -> None:
    heap, sentence = statements(
        "plant close 30 june staff 40 porto hire refund label\nThe plant closes on 30 June."
    )
    assert not is_sentence(heap)
    assert is_sentence(sentence)


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_looked_through(text: str) -> None:
    for claim in (CLOSES, NO_REFUND, HIRED):
        assert 0 <= find_claim(claim, Passage.of(text)).credit <= 1


def test_what_must_not_be_said_is_not_unsaid_elsewhere() -> None:
    promise = Claim("a refund", wordings=(("we will|happy to", "refund*"),))
    assert is_said(promise, Passage.of("We are happy to refund you. We will not refund the postage."))
    assert not is_said(promise, Passage.of("We will not refund the postage."))


FEE = Claim("fee", wordings=(("20", "fee|euros"),))
LABELS = Claim("free labels", wordings=(("label*", "free"),))
MAY = Claim("20 May costs 20", subject="20 may", rivals="30 may", wordings=(("20 may", "20"),))
LATE = Claim("too late", negative=True, denied=(("12 november",),))
PAYS = Claim("pays 19", wordings=(("pay*|refund*", "19"),))


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        (FEE, "There is no refund, and the fee of 20 euros can't be waived.", "said"),
        (FEE, "We are not able to waive the fee of 20 euros.", "said"),
        (FEE, "The fee of 20 euros is not charged.", "denied"),
        (FEE, "There is no fee of 20 euros.", "denied"),
        (FEE, "The fee of 20 euros can't be asked for.", "denied"),
        (LABELS, "You need four labels. They are free and come by e-mail.", "said"),
        (LABELS, "You need four labels. They are not free.", "denied"),
        (LABELS, "We send no labels. They are free elsewhere.", "absent"),
        (LABELS, "You need four labels. It is free to write to us.", "absent"),
        (MAY, "Still to pay:\n- 20 May, two nights: 20.00 euros\n- 30 May, two nights: 54.00 euros", "said"),
        (
            MAY,
            "Still to pay:\n- 20 May, two nights: 54.00 euros\n- 30 May, two nights: 20.00 euros",
            "absent",
        ),
        (MAY, "- 20 May, two nights: not 20 euros", "denied"),
        (MAY, "- 20 May, two nights: 20 or 54 euros", "left open"),
        (LATE, "- 12 November, two nights: not possible", "said"),
        (LATE, "- 12 November, two nights: none", "said"),
        (LATE, "- 12 November, two nights: 54 euros", "absent"),
        (PAYS, "We pay back:\n- 1203: 6 days, 19 euros\n- 1204: 7 euros", "said"),
        (PAYS, "We pay back:\n- 1204: 7 euros\n- 1203: 6 days, 19 euros", "said"),
        (PAYS, "We can not pay back:\n- 1203: 6 days, 19 euros", "absent"),
        (PAYS, "We pay back:\n- 1204: 7 euros\nIt was late. - 1203: 6 days, 19 euros", "absent"),
    ],
)
def test_list_lines_pronouns_and_denials_of_another_verb(claim: Claim, text: str, expected: str) -> None:
    assert state(claim, text) == expected
