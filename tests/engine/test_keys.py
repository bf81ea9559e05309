"""Random numbers for keys."""

import pytest

from kibitz.engine.keys import KEY_BITS, KEY_MASK, SplitMix64, random_keys

pytestmark = pytest.mark.core


def test_split_mix_gives_its_published_numbers() -> None:
    """The first numbers of the authors' C code for the seeds 0 and 1234567."""
    generator = SplitMix64(0)
    assert [generator.draw() for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    generator = SplitMix64(1234567)
    assert [generator.draw() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_split_mix_wraps() -> None:
    generator = SplitMix64(2**64 - 1)
    assert all(0 <= generator.draw() < 2**64 for _ in range(100))
    assert 0 <= generator.state < 2**64


def test_random_keys_are_the_same_for_a_seed_and_differ_between_seeds() -> None:
    keys = random_keys(7, 500)
    assert keys == random_keys(7, 500)
    assert keys[:10] == random_keys(7, 10)
    assert len(set(keys) | set(random_keys(8, 500))) == 1000


def test_random_keys_fit() -> None:
    assert KEY_BITS == 62
    assert KEY_MASK == 2**62 - 1
    keys = random_keys(3, 1000)
    assert all(0 <= key <= KEY_MASK for key in keys)
    union = 0
    for key in keys:
        union |= key
    assert union == KEY_MASK
