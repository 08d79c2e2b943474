"""Conversion of bodies to tensors: malicious bytes, and the fast against the regular parser."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidRequest, MalformedBody, ServiceError
from app.wire.v2 import numbers
from app.wire.v2.datatypes import DTYPES
from app.wire.v2.requests import QUICK_BYTES, ParsedRequest, parse_if_quick, parse_request

DATATYPES = [*DTYPES, "BYTES"]


def tensor(data: Any = None, **changes: Any) -> dict[str, Any]:
    plain = {"name": "X", "shape": [2, 2], "datatype": "FP64", "data": data}
    found = {**plain, **changes}
    return {key: value for key, value in found.items() if value is not None}


def binary(size: int, **changes: Any) -> dict[str, Any]:
    return tensor(parameters={"binary_data_size": size}, **changes)


def body_of(*inputs: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"inputs": list(inputs), **more}).encode()


def with_binary(head: bytes, data: bytes) -> ParsedRequest:
    return parse_request(head + data, len(head))


def texts(*words: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(word)) + word for word in words)


def test_binary_data_are_not_copied() -> None:
    rows = np.arange(4.0).reshape(2, 2)
    head = body_of(binary(32))
    body = head + rows.tobytes()
    found = parse_request(body, len(head)).tensors[0].values
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, rows)
    assert np.shares_memory(found, np.frombuffer(body, np.uint8))


@pytest.mark.parametrize("padding", range(8))
def test_the_json_part_may_have_any_length(padding: int) -> None:
    head = body_of(binary(32)) + b" " * padding
    found = with_binary(head, np.arange(4.0).tobytes()).tensors[0].values
    assert np.asarray(found).tolist() == [[0, 1], [2, 3]]


def test_binary_and_json_tensors_mix() -> None:
    head = body_of(
        binary(2, name="a", datatype="BOOL", shape=[2]),
        tensor([1, 2], name="b", datatype="INT8", shape=[2, 1]),
        binary(11, name="c", datatype="BYTES", shape=[2]),
    )
    found = with_binary(head, b"\1\0" + texts("é".encode(), b"x")).tensors
    assert [np.asarray(each.values).tolist() for each in found] == [
        [True, False],
        [[1], [2]],
        ["é", "x"],
    ]


WRONG_BINARY: list[tuple[str, bytes, bytes]] = [
    ("too few bytes", body_of(binary(32)), bytes(31)),
    ("too many bytes", body_of(binary(32)), bytes(33)),
    ("size below the shape", body_of(binary(24)), bytes(24)),
    ("size above the shape", body_of(binary(40)), bytes(40)),
    ("negative size", body_of(binary(-32)), bytes(32)),
    ("size in quotes", body_of(tensor(parameters={"binary_data_size": "32"})), bytes(32)),
    ("size as float", body_of(tensor(parameters={"binary_data_size": 32.0})), bytes(32)),
    ("size as boolean", body_of(binary(1, shape=[1]), datatype="BOOL"), bytes(1)),
    ("data as well", body_of({**binary(32), "data": [1, 2, 3, 4]}), bytes(32)),
    ("neither", body_of(tensor()), b""),
    ("bytes without a tensor", body_of(tensor([1, 2, 3, 4])), bytes(8)),
    ("negative shape", body_of(binary(32, shape=[-2, -2])), bytes(32)),
    ("zero rows", body_of(binary(0, shape=[0, 2])), b""),
    ("shape that overflows", body_of(binary(32, shape=[2**62, 2**62])), bytes(32)),
    ("shape beyond 64 bits", body_of(binary(32, shape=[2**64, 1])), bytes(32)),
    ("product that wraps to 4", body_of(binary(32, shape=[2**62 + 1, 4])), bytes(32)),
    ("shape of nothing", body_of(binary(8, shape=[])), bytes(8)),
    ("nine dimensions", body_of(binary(8, shape=[1] * 9)), bytes(8)),
    ("shape as float", body_of(binary(32, shape=[2.5, 2])), bytes(32)),
    ("BOOL of 2", body_of(binary(2, shape=[2], datatype="BOOL")), b"\1\2"),
    ("unknown datatype", body_of(binary(8, shape=[1], datatype="BF16")), bytes(8)),
    ("text cut short", body_of(binary(6, shape=[1], datatype="BYTES")), b"\5\0\0\0ab"),
    ("text of 4 GB", body_of(binary(8, shape=[1], datatype="BYTES")), b"\xff\xff\xff\xffabcd"),
    ("text left over", body_of(binary(6, shape=[1], datatype="BYTES")), texts(b"a") + b"x"),
    ("half a length", body_of(binary(9, shape=[2], datatype="BYTES")), texts(b"ab") + b"\0\0\0"),
    ("texts that cannot fit", body_of(binary(8, shape=[2**40], datatype="BYTES")), bytes(8)),
    ("text not UTF-8", body_of(binary(6, shape=[1], datatype="BYTES")), texts(b"\xff\xfe")),
    ("shared memory", body_of(tensor([1] * 4, parameters={"shared_memory_region": "r"})), b""),
]


@pytest.mark.parametrize(
    ("head", "data"), [case[1:] for case in WRONG_BINARY], ids=[case[0] for case in WRONG_BINARY]
)
def test_wrong_binary_tensors_are_refused(head: bytes, data: bytes) -> None:
    with pytest.raises((InvalidRequest, MalformedBody)):
        with_binary(head, data)


@pytest.mark.parametrize("length", [1, 10**6, 10**18])
def test_a_json_part_longer_than_the_body(length: int) -> None:
    head = body_of(binary(0))
    with pytest.raises(MalformedBody):
        parse_request(head, len(head) + length)


WRONG_JSON: list[tuple[str, dict[str, Any]]] = [
    ("too few", tensor([1, 2, 3])),
    ("too many", tensor([1, 2, 3, 4, 5])),
    ("nothing", tensor([])),
    ("an object", tensor({"a": 1})),
    ("a number", tensor(7)),
    ("ragged", tensor([[1, 2, 3], [4]])),
    ("too deep", tensor([[[1], [2]], [[3], [4]]])),
    ("half nested", tensor([[1, 2], 3, 4])),
    ("text", tensor([1, 2, 3, "4"])),
    ("boolean", tensor([1, 2, 3, True])),
    ("float in INT32", tensor([1, 2, 3, 4.5], datatype="INT32")),
    ("whole float in INT32", tensor([1, 2, 3, 4.0], datatype="INT32")),
    ("null in INT32", tensor([1, 2, 3, None], datatype="INT32")),
    ("INT8 overflow", tensor([1, 2, 3, 128], datatype="INT8")),
    ("UINT8 below 0", tensor([1, 2, 3, -1], datatype="UINT8")),
    ("UINT64 overflow", tensor([1, 2, 3, 2**64], datatype="UINT64")),
    ("FP16 overflow", tensor([1, 2, 3, 1e5], datatype="FP16")),
    ("FP32 overflow", tensor([1, 2, 3, 1e39], datatype="FP32")),
    ("huge integer", tensor([1, 2, 3, 10**400])),
    ("number in BYTES", tensor(["a", "b", "c", 4], datatype="BYTES")),
    ("number in BOOL", tensor([True, False, True, 1], datatype="BOOL")),
    ("negative shape", tensor([1, 2], shape=[-1, -2])),
    ("no name", {"shape": [1], "datatype": "FP64", "data": [1]}),
    ("empty name", tensor([1, 2, 3, 4], name="")),
    ("unknown field", {**tensor([1, 2, 3, 4]), "dtype": "FP64"}),
    ("nested parameters", tensor([1, 2, 3, 4], parameters={"a": [1]})),
    ("null parameters", tensor([1, 2, 3, 4], parameters={"a": None})),
]


@pytest.mark.parametrize("padding", [0, 5000], ids=["small", "large"])
@pytest.mark.parametrize(
    "given_tensor", [case[1] for case in WRONG_JSON], ids=[case[0] for case in WRONG_JSON]
)
def test_wrong_json_tensors_are_refused(given_tensor: dict[str, Any], padding: int) -> None:
    body = body_of(given_tensor) + b" " * padding
    with pytest.raises(InvalidRequest):
        parse_request(body, None)


WRONG_DOCUMENTS: list[tuple[str, dict[str, Any]]] = [
    ("no inputs", {"inputs": []}),
    ("unknown field", {"input": []}),
    ("same output twice", {"outputs": [{"name": "label"}, {"name": "label"}]}),
    ("classification", {"outputs": [{"name": "label", "parameters": {"classification": 3}}]}),
    ("binary_data in quotes", {"outputs": [{"name": "label", "parameters": {"binary_data": "1"}}]}),
    ("binary_data_output as number", {"parameters": {"binary_data_output": 1}}),
    ("id is a number", {"id": 7}),
]


@pytest.mark.parametrize(
    "changes", [case[1] for case in WRONG_DOCUMENTS], ids=[case[0] for case in WRONG_DOCUMENTS]
)
def test_wrong_documents_are_refused(changes: dict[str, Any]) -> None:
    body = json.dumps({"inputs": [tensor([1, 2, 3, 4])], **changes}).encode()
    with pytest.raises(InvalidRequest):
        parse_request(body, None)


def test_outputs_and_their_form() -> None:
    outputs = [{"name": "score"}, {"name": "label", "parameters": {"binary_data": False}}]
    found = parse_request(
        body_of(tensor([1] * 4), outputs=outputs, parameters={"binary_data_output": True}), None
    )
    assert found.outputs is not None
    assert [(each.name, each.binary) for each in found.outputs] == [
        ("score", True),
        ("label", False),
    ]
    everything = parse_request(body_of(tensor([1] * 4), outputs=[]), None)
    assert (everything.outputs, everything.binary) == (None, False)


def test_null_fields_count_as_absent() -> None:
    nothing = {"parameters": None, "outputs": None, "id": None, "model_version": None}
    body = json.dumps({"inputs": [{**tensor([1] * 4), "parameters": None}], **nothing}).encode()
    found = parse_request(body, None)
    assert (found.id, found.outputs, found.binary) == (None, None, False)


# --- malicious bytes --------------------------------------------------------------------------

shapes = st.lists(
    st.one_of(st.integers(-2, 5), st.sampled_from([2**31, 2**62, 2**63, 2**64])), max_size=3
)
sizes = st.one_of(st.integers(-1, 64), st.sampled_from([2**31, 2**63, 2**64, 1.5, "8", True]))
hostile_tensors = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["X", "a", "\u0000", "data"]),
        "shape": shapes,
        "datatype": st.sampled_from([*DATATYPES, "FP8"]),
    },
    optional={
        "parameters": st.fixed_dictionaries({"binary_data_size": sizes}),
        "data": st.lists(
            st.one_of(
                st.integers(-3, 300), st.floats(), st.booleans(), st.none(), st.text(max_size=3)
            ),
            max_size=6,
        ),
    },
)


@settings(max_examples=300)
@given(st.lists(hostile_tensors, max_size=3), st.binary(max_size=80), st.integers(-3, 3))
def test_the_binary_decoder_raises_service_errors_only(
    inputs: list[dict[str, Any]], data: bytes, shift: int
) -> None:
    head = body_of(*inputs)
    try:
        found = parse_request(head + data, max(0, len(head) + shift))
    except ServiceError:
        return
    for each in found.tensors:
        assert np.size(np.asarray(each.values, object)) == np.prod(each.shape)


@settings(max_examples=100)
@given(st.binary(max_size=200), st.one_of(st.none(), st.integers(0, 250)))
def test_random_bytes_raise_service_errors_only(body: bytes, length: int | None) -> None:
    with pytest.raises(ServiceError):
        parse_request(body, length)


# --- the fast parser ---------------------------------------------------------------------------

cells = st.one_of(
    st.integers(-(2**70), 2**70),
    st.integers(-130, 300),
    st.floats(),
    st.sampled_from(["-0", "-0.0", "1E5", "1e400", "01", "+1", ".5", "1.", "nan", "null", "true"]),
    st.sampled_from(['"1"', "[]", "[1]", "{}"]),
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Requests in many notations, most of them almost valid."""

    def text(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    inputs = []
    for _ in range(draw(st.integers(1, 3))):
        n, k = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        plain = st.integers(0, 100) if draw(st.booleans()) else st.floats(-1e6, 1e6)
        rows = [[draw(plain) for _ in range(k)] for _ in range(n)]
        if draw(st.integers(0, 3)) == 0:
            rows[draw(st.integers(0, n - 1))][draw(st.integers(0, k - 1))] = draw(cells)
        if draw(st.integers(0, 5)) == 0:
            rows[-1] = rows[-1][:-1]
        blank = draw(st.sampled_from(["", " ", "\n\t"]))
        nested = ",".join("[" + f"{blank},".join(map(text, row)) + "]" for row in rows)
        flat = f",{blank}".join(text(cell) for row in rows for cell in row)
        data = f"{blank}[{flat if draw(st.booleans()) else nested}{blank}]"
        name = draw(st.sampled_from(['"X"', '"data"', '"a"', r'"\u0058"']))
        shape = draw(st.sampled_from([[n, k], [n * k], [n * k, 1], [k, n]]))
        datatype = draw(st.sampled_from(["FP64", "FP64", "FP32", "INT64", "UINT8", "BYTES"]))
        key = draw(st.sampled_from(['"data"'] * 6 + [r'"d\u0061ta"']))
        parts = [f'"name":{name}', f'"shape":{shape}', f'"datatype":"{datatype}"']
        parts.append(draw(st.sampled_from([f"{key}{blank}:{data}"] * 6 + ['"data":3'])))
        if draw(st.integers(0, 5)) == 0:
            more = ['"parameters":{"data":[1]}', '"data":[1]', '"data":0']
            parts.append(draw(st.sampled_from([*more, '"parameters":{"binary_data_size":0}'])))
        parts = draw(st.permutations(parts))
        inputs.append("{" + ",".join(parts) + "}")
    tail = draw(
        st.sampled_from(["", "", "", ',"id":"data"', ',"data":[1]', ',"id":"\\"data\\":[1]"', "]"])
    )
    return (f'{{"inputs":[{",".join(inputs)}]{tail}}}').encode()


def outcome(body: bytes, *, fast: bool) -> Any:
    try:
        found = parse_request(body + b" " * 2048, None, fast=fast)
    except ServiceError as error:
        return type(error), error.detail
    return found.id, [
        (each.name, each.datatype, each.shape, repr(np.asarray(each.values).tolist()))
        for each in found.tensors
    ]


@settings(max_examples=500)
@given(documents())
def test_both_parsers_agree(body: bytes) -> None:
    assert outcome(body, fast=True) == outcome(body, fast=False)


_X = '"name":"X","shape":[2],"datatype":"FP64"'
#: Documents that a careless `cut` would accept or misread.
TRAPS = [
    '{"inputs":[{%s,"data":[1,2],"parameters":{"data":[1]}}]}',
    '{"inputs":[{%s,"data":[1,2]}],"parameters":{"data":[1]}}',
    '{"inputs":[{%s,"d\\u0061ta":0}],"parameters":{"data":[1,2]}}',
    '{"inputs":[{%s,"data":0}],"parameters":{"data":[1,2]}}',
    '{"inputs":[{%s,"data":[1,2],"data":[3,4]}]}',
    '{"inputs":[{%s,"data":[3,4],"data":0}]}',
    '{"inputs":[{%s,"data":[1,2]}],"id":"\\"data\\":[1,2]"}',
    '{"inputs":[{%s,"data":[1,2]}],"id":"data"}',
    '{"inputs":[{%s,"data":[1],[2]}]}',
    '{"inputs":[{%s,"data":[1,2]],"id":"1"}]}',
    '{"inputs":[{%s,"data":[1,2] 0}]}',
    '{"inputs":[{%s,"data":[1,,2]}]}',
    '{"inputs":[{%s,"data":[[1,2]]}]}',
    '{"inputs":[{%s,"data":[1,2',
    '{"inputs":[{%s,"data":[1,2]}],"data":[1]}',
    '{"inputs":[{%s,"x"data":[1,2]}]}',
]


@pytest.mark.parametrize("trap", TRAPS)
def test_both_parsers_agree_on_traps(trap: str) -> None:
    body = (trap % _X).encode()
    assert outcome(body, fast=True) == outcome(body, fast=False)


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("datatype", ["FP64", "FP32", "INT16", "UINT64"])
def test_the_fast_parser_reads_many_numbers(nested: bool, datatype: str) -> None:
    rows = np.arange(4000).reshape(1000, 4)
    data = rows.tolist() if nested else rows.reshape(-1).tolist()
    body = body_of(tensor(data, shape=[1000, 4], datatype=datatype), id="1")
    found = numbers.cut(body)
    assert found is not None
    assert len(found.document) < 200
    [parsed] = parse_request(body, None).tensors
    assert isinstance(parsed.values, np.ndarray)
    assert parsed.values.dtype == DTYPES[datatype]
    np.testing.assert_array_equal(parsed.values, rows)


def test_a_body_full_of_keys_is_read_in_time_proportional_to_it() -> None:
    body = b'{"inputs":[' + b'"data":[' * 400_000
    assert numbers.cut(body) is None


def test_large_arrays_are_read_quickly_and_exactly() -> None:
    rows = np.arange(20_000.0).reshape(-1, 2)
    shape = list(rows.shape)
    head = body_of(binary(rows.nbytes, shape=shape))
    packed = parse_if_quick(head + rows.tobytes(), len(head))
    plain = parse_if_quick(body_of(tensor(rows.ravel().tolist(), shape=shape)), None)
    for found in (packed, plain):
        assert found is not None
        np.testing.assert_array_equal(found.tensors[0].values, rows)


def test_slow_documents_are_left_to_a_thread() -> None:
    words = texts(*[b"word"] * 10_000)
    head = body_of(binary(len(words), shape=[10_000], datatype="BYTES"))
    assert parse_if_quick(head + words, len(head)) is None
    assert with_binary(head, words).tensors[0].values == ["word"] * 10_000
    long_head = head + b" " * QUICK_BYTES
    assert parse_if_quick(long_head + words, len(long_head)) is None
    in_words = body_of(tensor(["word"] * 10_000, shape=[10_000], datatype="BYTES"))
    assert len(in_words) > QUICK_BYTES
    assert parse_if_quick(in_words, None) is None


@pytest.mark.parametrize("header_length", [None, 3, 10**6])
def test_both_functions_give_the_same_error(header_length: int | None) -> None:
    body = b"[1" + b" " * 2 * QUICK_BYTES

    def refusal(parse: Callable[[bytes, int | None], object]) -> str | None:
        try:
            parse(body, header_length)
        except ServiceError as error:
            return error.detail
        return None

    assert refusal(parse_request) is not None
    assert refusal(parse_if_quick) in (None, refusal(parse_request))
