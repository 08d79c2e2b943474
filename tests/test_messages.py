"""Every message is one or more complete sentences."""

from __future__ import annotations

import re

import pytest

from tests.messages import OR, Message, messages

#: Names of parameters that look like ordinary words.
PARAMETERS = "gamma|mu|degree|labels|membership|kernel|penalty|grid|cv|method|preprocessing"
#: A capital letter, a value, or a name as it is written in code: `c1`, X, sample_weight, --auto, mu.
BEGINNING = re.compile(rf"^([A-Z{{'\"`/]|--[a-z]|\S*[_=.\d(]\S* |({PARAMETERS}) )")
ENDING = re.compile(r"([.?!]|\})$")
#: Raised for programming errors in this code base, never shown to a caller, or not a sentence.
INTERNAL = {"AssertionError", "NotImplementedError", "AttributeError", "KeyError"}

FOUND = [
    message
    for message in messages()
    if message.text and not message.is_log and message.kind not in INTERNAL
]


def test_messages_are_found() -> None:
    assert len(FOUND) > 200


@pytest.mark.parametrize("message", FOUND, ids=lambda m: f"{m.path}:{m.line}")
def test_message_is_a_sentence(message: Message) -> None:
    assert message.text is not None
    for text in message.text.split(OR):
        assert BEGINNING.match(text), text
        assert ENDING.search(text.rstrip()), text
